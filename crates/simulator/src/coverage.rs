//! What runs have met, counted: a world that never kills shows nothing.

use core::fmt;

use evictd_engine::Event;
use evictd_evict::NoPod;
use evictd_node::{Resource, Signal};

/// What runs have met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// How many runs.
    pub runs: u64,
    /// Turns of the loop.
    pub turns: u64,
    /// What the kernel's own OOM killer did.
    pub oom_strikes: u64,
    pub(crate) late_wakes: u64,
    pub(crate) reloads: u64,
    pub(crate) restarts: u64,
    events: Vec<(&'static str, u64)>,
}

impl Coverage {
    pub(crate) fn note(&mut self, event: &Event) {
        self.count(event.name(), 1);
        if let Event::Evicting(decision) = event {
            let signal = decision.threshold.as_ref().map(|of| of.signal);
            self.count(signal.map_or("evicting: limit", of_signal), 1);
            let hard = decision.threshold.as_ref();
            let hard = hard.is_some_and(evictd_threshold::Threshold::is_hard);
            let kind = if hard {
                "evicting: hard"
            } else {
                "evicting: soft"
            };
            self.count(kind, 1);
        }
        if let Event::NoCandidate(verdict) = event
            && let Err(why) = verdict.next
        {
            self.count(of_none(why), 1);
        }
        if let Event::Reclaimed(collected) = event {
            let rung = collected.field("rung").and_then(|rung| rung.as_str());
            self.count(rung.map_or("reclaimed: pages", of_rung), 1);
        }
    }

    pub(crate) fn note_relief(&mut self, [asked, braked]: [u64; 2]) {
        self.count("relief: reclaim", asked);
        self.count("relief: brake", braked);
    }

    pub(crate) fn count(&mut self, name: &'static str, times: u64) {
        match self.events.iter_mut().find(|(of, _)| *of == name) {
            Some((_, count)) => *count += times,
            None => self.events.push((name, times)),
        }
    }

    /// Adds that of other runs.
    pub fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.turns += other.turns;
        self.oom_strikes += other.oom_strikes;
        self.late_wakes += other.late_wakes;
        self.reloads += other.reloads;
        self.restarts += other.restarts;
        for (name, times) in &other.events {
            self.count(name, *times);
        }
    }

    /// How often something happened.
    #[must_use]
    pub fn of(&self, name: &str) -> u64 {
        let mut all = self.events.iter();
        all.find(|(of, _)| *of == name)
            .map_or(0, |(_, count)| *count)
    }
}

const fn of_signal(signal: Signal) -> &'static str {
    match signal.resource() {
        Resource::Memory => "evicting: memory",
        Resource::EphemeralStorage => "evicting: disk",
        Resource::Inodes => "evicting: inodes",
        Resource::Pids => "evicting: process ids",
    }
}

const fn of_none(why: NoPod) -> &'static str {
    match why {
        NoPod::AllSkipped => "no pod: all are skipped",
        NoPod::NothingKnown => "no pod: nothing is known",
        NoPod::HoldTooLittle => "no pod: they hold too little",
        NoPod::FreedNothing => "no pod: freed nothing",
        NoPod::WithinRequests => "no pod: within requests",
        NoPod::Rehearsed | NoPod::RehearsedMost | _ => "no pod",
    }
}

fn of_rung(rung: &str) -> &'static str {
    match rung {
        "containers" => "reclaimed: containers",
        "images" => "reclaimed: images",
        "buildCache" => "reclaimed: build cache",
        "directories" => "reclaimed: directories",
        "reserve" => "reclaimed: reserve",
        "logs" => "reclaimed: logs",
        _ => "reclaimed: other",
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} runs, {} turns, {} restarts, {} reloads, {} late wakes, {} OOM kills",
            self.runs, self.turns, self.restarts, self.reloads, self.late_wakes, self.oom_strikes
        )?;
        let mut events = self.events.clone();
        events.sort_unstable();
        for (name, count) in events {
            writeln!(f, "{count:>12} {name}")?;
        }
        Ok(())
    }
}
