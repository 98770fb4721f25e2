//! Whether what real machines did lies in what worlds allow: recordings of `evictd record`, step
//! by step, beside the bounds that the dice of the worlds have.

mod moment;
mod rule;
mod run;
mod step;

use core::fmt;

use evictd_recording::{Line, LineError};

use crate::world::bounds::Bounds;
use moment::Moment;
use rule::{Rule, Rules};
use run::Runs;
use step::step;

/// Recordings beside worlds.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    rules: Rules,
    moments: u64,
}

impl Comparison {
    /// Compares a recording too.
    ///
    /// # Errors
    /// Which of its lines is none.
    pub fn add(&mut self, recording: &str) -> Result<(), LineError> {
        self.add_within(recording, &Bounds::WORLDS)
    }

    pub(crate) fn add_within(&mut self, recording: &str, bounds: &Bounds) -> Result<(), LineError> {
        let mut moments = Vec::new();
        for line in recording.lines() {
            if let Line::Seen(seen) = Line::parse(line.as_bytes())? {
                moments.push(Moment::of(&seen));
            }
        }
        let pairs = moments.iter().zip(moments.iter().skip(1));
        let gaps = pairs
            .clone()
            .map(|(before, after)| after.at.since(before.at));
        let every = gaps.min().unwrap_or_default();
        let mut runs = Runs::new(every);
        for (before, after) in pairs {
            step(&mut self.rules, (before, after), bounds);
            runs.step(&mut self.rules, (before, after), bounds);
        }
        self.moments += u64::try_from(moments.len()).unwrap_or(0);
        Ok(())
    }

    /// Whether all that was seen lies in what worlds allow.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.outside().next().is_none()
    }

    /// What does not.
    pub(crate) fn outside(&self) -> impl Iterator<Item = &Rule> {
        self.rules.outside()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} moments", self.moments)?;
        write!(f, "{}", self.rules)
    }
}

#[cfg(test)]
mod tests;
