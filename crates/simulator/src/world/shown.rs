//! What evictd was shown, and what it asked for.

use core::time::Duration;

use evictd_node::{Mono, Readings};

use super::pod::Held;

/// What is older nobody asks for.
const REMEMBERED: Duration = Duration::from_secs(120);

/// What evictd was shown of the node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// Each look at all of it, the last one last.
    pub(crate) looks: Vec<(Mono, Readings)>,
    /// Which of them were beside the rounds, by their times.
    pub(crate) beside: Vec<Mono>,
    pub(crate) is_round: bool,
    /// So many were none of these.
    pub(crate) rounds: u64,
    pub(crate) looked_at: Mono,
    /// What looks at memory between rounds have shown of late, by exact numbers.
    pub(crate) memory: Vec<(Mono, Readings)>,
    /// How often memory was looked at, in rounds and between them.
    pub(crate) memory_looks: u64,
    /// The loop came later than it wanted to,
    pub(crate) is_late: bool,
    /// and last so late that it has stood still until then.
    pub(crate) stood_still_until: Option<Mono>,
}

impl Given {
    pub(crate) fn take(&mut self, now: Mono, readings: &Readings) {
        self.looked_at = now;
        self.looks.push((now, *readings));
        self.rounds += u64::from(self.is_round);
        self.memory_looks += u64::from(self.is_round);
        if !self.is_round {
            self.beside.push(now);
        }
    }

    /// Forgets what is old.
    pub(crate) fn trim(&mut self, now: Mono) {
        if self.looks.len() > 4000 {
            self.looks.retain(|(at, _)| now.since(*at) < REMEMBERED);
            self.beside.retain(|at| now.since(*at) < REMEMBERED);
        }
        if self.memory.len() > 1000 {
            let is_new = |at: Mono| now.since(at) < Duration::from_secs(5);
            self.memory.retain(|(at, _)| is_new(*at));
        }
    }
}

/// A pod that was listed: its index, and what was known of its disk use then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) index: usize,
    pub(crate) measured: Option<(Mono, Held)>,
}

/// What has come of evictd's kills.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kills {
    /// Whose grace runs.
    pub(crate) graceful: Option<String>,
    /// Who could not be ended in the round that goes on.
    pub(super) tried: Vec<String>,
    /// Who was started again, and when.
    pub(crate) returned: Vec<(String, Mono)>,
    /// Of whom the runtime has said that it is down.
    pub(crate) down: Vec<String>,
}

/// When each thing was asked for the last time that costs nobody anything.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) containers: Option<Mono>,
    pub(crate) images: Option<Mono>,
    pub(crate) builds: Option<Mono>,
    pub(crate) directories: Option<Mono>,
    pub(crate) reserve: Option<Mono>,
}
