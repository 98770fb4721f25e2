//! The flight recorder: how long each stage of the loop takes, from the start on.

use core::fmt::Write;

use evictd_node::Mono;
use evictd_node::kill::KillReport;
use serde::Serialize;

use crate::timing::Histogram;

/// A stage of the loop.
#[derive(Clone, Copy)]
pub(crate) enum Stage {
    /// From a deadline to the loop being awake. What the kernel tells of has no time
    /// before that.
    Wake,
    /// Reading the node, or its memory alone.
    Read,
    /// Listing the pods and reading what they use.
    List,
    /// A step of the state machine.
    Decide,
    /// From the choice of a pod to SIGKILL having been sent, where it is due at once.
    Act,
    /// From SIGKILL until the pod was found gone, and with it its memory.
    VerifiedFree,
}

impl Stage {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Wake, "wake"),
        (Self::Read, "read"),
        (Self::List, "list"),
        (Self::Decide, "decide"),
        (Self::Act, "act"),
        (Self::VerifiedFree, "verified_free"),
    ];
}

/// How long each stage takes, in memory that never grows.
#[derive(Debug)]
pub struct Recorder {
    /// The time, as it passes within a turn of the loop.
    clock: fn() -> Mono,
    stages: [Histogram; Stage::ALL.len()],
    /// When the stage that is being measured began.
    begun: Mono,
    /// When the pod in flight was sent SIGKILL, as far as that was measured.
    sent: Option<Mono>,
}

impl Recorder {
    pub(crate) const fn new(clock: fn() -> Mono) -> Self {
        Self {
            clock,
            stages: [const { Histogram::new() }; Stage::ALL.len()],
            begun: Mono::ZERO,
            sent: None,
        }
    }

    /// The time now, as it passes within a turn of the loop.
    pub(crate) fn now(&self) -> Mono {
        (self.clock)()
    }

    /// A stage begins that no other stage went before.
    pub(crate) fn begin(&mut self) {
        self.begun = (self.clock)();
    }

    /// A stage has ended, and the next one begins.
    pub(crate) fn lap(&mut self, stage: Stage) {
        let now = (self.clock)();
        self.record(stage, self.begun, now);
        self.begun = now;
    }

    /// The loop is awake, which had to be by `due` and not before it fell asleep.
    pub fn woken(&mut self, asleep: Mono, due: Mono) {
        let (due, now) = (due.max(asleep), (self.clock)());
        if now >= due {
            self.record(Stage::Wake, due, now);
        }
    }

    /// A kill was begun. With a grace SIGKILL comes later, if at all.
    pub(crate) fn begun(&mut self, report: &KillReport) {
        self.sent = None;
        if report.kill_sent.is_some() {
            self.lap(Stage::Act);
            self.sent = Some(self.begun);
        }
    }

    /// A pod is gone. One that ended by itself was never sent SIGKILL.
    pub(crate) fn gone(&mut self, report: &KillReport) {
        if let Some(sent) = self.sent.take().or(report.kill_sent) {
            self.record(Stage::VerifiedFree, sent, (self.clock)());
        }
    }

    fn record(&mut self, stage: Stage, from: Mono, to: Mono) {
        if let Some(histogram) = self.stages.get_mut(stage as usize) {
            histogram.record(to.as_nanos().saturating_sub(from.as_nanos()));
        }
    }

    /// Each stage by its name.
    pub fn stages(&self) -> impl Iterator<Item = (&'static str, &Histogram)> {
        let names = Stage::ALL.iter().map(|(_, name)| *name);
        names.zip(&self.stages)
    }

    /// As a table for people.
    #[must_use]
    pub fn in_text(&self) -> String {
        let mut text =
            String::from("STAGE             COUNT       P50       P90       P99       MAX\n");
        for of in self.times() {
            let _ = write!(text, "{:<14}{:>9}", of.stage, of.count);
            if of.count > 0 {
                for nanos in [of.p50_nanos, of.p90_nanos, of.p99_nanos, of.max_nanos] {
                    let _ = write!(text, " {:>9}", short(nanos));
                }
            }
            text.push('\n');
        }
        text
    }

    /// For programs.
    #[must_use]
    pub fn in_json(&self) -> String {
        let stages = self.times().collect();
        let text = serde_json::to_string(&Document { stages });
        text.unwrap_or_default() + "\n"
    }

    fn times(&self) -> impl Iterator<Item = StageTimes> {
        self.stages().map(|(stage, histogram)| StageTimes {
            stage,
            count: histogram.count(),
            p50_nanos: histogram.percentile(50),
            p90_nanos: histogram.percentile(90),
            p99_nanos: histogram.percentile(99),
            max_nanos: histogram.max(),
            sum_nanos: histogram.sum(),
        })
    }
}

#[derive(Serialize)]
struct Document {
    stages: Vec<StageTimes>,
}

/// What is told of a stage.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StageTimes {
    stage: &'static str,
    count: u64,
    p50_nanos: u64,
    p90_nanos: u64,
    p99_nanos: u64,
    max_nanos: u64,
    sum_nanos: u64,
}

/// A time with one decimal place, in the unit that it reaches.
pub(crate) fn short(nanos: u64) -> String {
    let (one, unit) = match nanos {
        0..1_000 => (1, "ns"),
        1_000..1_000_000 => (1_000, "µs"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    // Of what lasts for centuries the last digits do not matter.
    let tenths = nanos.saturating_mul(10).saturating_add(one / 2) / one;
    format!("{}.{}{unit}", tenths / 10, tenths % 10)
}
