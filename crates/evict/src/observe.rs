//! What is known between rounds: what is met since when, and which conditions hold.

use alloc::vec::Vec;
use core::time::Duration;

use evictd_condition::Pressure;
use evictd_node::{ConditionSet, Layout, Mono, Policy, Reading, Readings, Resource};
use evictd_threshold::Threshold;

use crate::Config;
use crate::watched::{Watched, watch};

/// What was observed for a round.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// A reading of each signal that could be measured.
    pub readings: &'a Readings,
    /// How the filesystems lie; `None` where that is not known now: before it was known once,
    /// nothing is derived.
    pub layout: Option<Layout>,
}

impl<'a> Observation<'a> {
    /// Where it is not known how the filesystems lie.
    #[must_use]
    pub const fn new(readings: &'a Readings) -> Self {
        Self {
            readings,
            layout: None,
        }
    }
}

/// A threshold that is met, as `status` shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Met<'a> {
    /// The threshold.
    pub threshold: &'a Threshold,
    /// Since when.
    pub since: Mono,
    /// When its grace period is over.
    pub acts_at: Mono,
}

/// What is known between rounds.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) configured: Vec<Threshold>,
    /// As configured, then those that the layout implies.
    pub(crate) thresholds: Vec<Watched>,
    pub(crate) layout: Option<Layout>,
    pub(crate) readings: Readings,
    /// Those readings, or what was measured again since.
    pub(crate) latest: Readings,
    pub(crate) pressure: Pressure,
    pub(crate) conditions: ConditionSet,
    /// No older reading may act: the last eviction ended then.
    pub(crate) settled_at: Option<Mono>,
    /// No older reading may act: until then nothing was observed for a while.
    pub(crate) trusted_from: Mono,
}

impl Watch {
    pub(crate) fn new(configured: Vec<Threshold>) -> Self {
        Self {
            thresholds: watch(&configured, None, &[], Watched::new),
            configured,
            layout: None,
            readings: Readings::default(),
            latest: Readings::default(),
            pressure: Pressure::default(),
            conditions: ConditionSet::empty(),
            settled_at: None,
            trusted_from: Mono::ZERO,
        }
    }

    /// The pure bookkeeping of a round, up to the thresholds that may act.
    pub(crate) fn observe(&mut self, now: Mono, observation: &Observation<'_>, config: &Config) {
        let counted = self.lay_out(observation.layout, &config.policy);
        let readings = observation.readings;
        let mut observed = ConditionSet::empty();
        let mut thresholds = core::mem::take(&mut self.thresholds);
        for (index, watched) in thresholds.iter_mut().enumerate() {
            watched.is_skipped = false;
            let was_unconfirmed = core::mem::take(&mut watched.is_unconfirmed);
            let reading = readings.get(watched.signal());
            let reading = reading.filter(|reading| is_short(watched, reading, index < counted));
            let Some(reading) = reading else {
                watched.is_over();
                continue;
            };
            observed.insert(watched.signal().condition().set());
            let since = *watched.first_met.get_or_insert(now);
            watched.is_due = now.since(since) >= watched.grace() && !was_unconfirmed;
            watched.is_fresh = watched.is_due && self.is_fresh(watched, &reading, &config.policy);
        }
        self.thresholds = thresholds;
        self.conditions =
            self.pressure
                .observe(now, observed, config.transition_period, &config.policy);
        self.readings = *readings;
        self.latest = *readings;
    }

    /// Takes over the layout and returns how many thresholds count in this round. One that is
    /// known stays so, as the kubelet's does, while a filesystem cannot be read.
    pub(crate) fn lay_out(&mut self, layout: Option<Layout>, policy: &Policy) -> usize {
        let layout = layout.or(self.layout);
        let before = self.thresholds.len();
        if self.layout == layout {
            return before;
        }
        self.layout = layout;
        self.thresholds = watch(&self.configured, layout, &self.thresholds, Watched::new);
        if policy.derived_thresholds_lag_a_round {
            before
        } else {
            self.thresholds.len()
        }
    }

    /// The layout that ranking and reclaim use; one filesystem until it is known.
    pub(crate) fn layout_or_one(&self) -> Layout {
        self.layout.unwrap_or(Layout::OneFilesystem)
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Threshold> {
        self.thresholds.get(index).map(|watched| &watched.threshold)
    }

    /// Whether the reading of a threshold that is due is newer than that of the last round, and
    /// than all that must have passed. No time stamp counts as fresh, and so does a signal that
    /// was missing.
    fn is_fresh(&self, watched: &Watched, reading: &Reading, policy: &Policy) -> bool {
        let signal = watched.signal();
        let newer = match (self.readings.get(signal), reading.sampled) {
            (None, _) | (_, None) => true,
            (Some(last), Some(sampled)) => last.sampled.is_none_or(|last| sampled > last),
        };
        let is_of_since = |at: Mono| self.settled_at.is_none_or(|s| at >= s + signal.window());
        let settled =
            policy.stats_may_predate_last_eviction || reading.sampled.is_none_or(is_of_since);
        newer && settled && self.trusts(reading, policy)
    }

    /// Without what was measured before this process or the machine stood still.
    pub(crate) fn trusted(&self, readings: &Readings, policy: &Policy) -> Readings {
        let mut trusted = *readings;
        for signal in evictd_node::Signal::ALL {
            let reading = readings.get(signal);
            let reading = reading.filter(|reading| self.trusts(reading, policy));
            trusted.set(signal, reading);
        }
        trusted
    }

    /// Nothing acts by what was measured before a standstill.
    fn trusts(&self, reading: &Reading, policy: &Policy) -> bool {
        let is_of_now = |at: Mono| at >= self.trusted_from;
        policy.stats_may_predate_last_eviction || reading.sampled.is_none_or(is_of_now)
    }

    /// The threshold to act on: a memory signal's before all others, else the
    /// first configured (K: `byEvictionPriority`).
    pub(crate) fn first_to_act(&self) -> Option<usize> {
        let all = || self.thresholds.iter();
        let of_memory = |watched: &Watched| watched.signal().resource() == Resource::Memory;
        let memory = all().position(|watched| watched.acts() && of_memory(watched));
        memory.or_else(|| all().position(Watched::acts))
    }

    /// Whether any hard threshold is to be acted on.
    pub(crate) fn is_hard_met(&self) -> bool {
        let mut acting = self.thresholds.iter().filter(|watched| watched.acts());
        acting.any(|watched| watched.threshold.is_hard())
    }

    /// No threshold acts by what was read so far.
    pub(crate) fn nothing_is_fresh(&mut self) {
        for watched in &mut self.thresholds {
            watched.is_fresh = false;
        }
    }

    /// No pod is evicted in this round for thresholds like that.
    pub(crate) fn skip(&mut self, is_so: impl Fn(&Threshold) -> bool) {
        for watched in &mut self.thresholds {
            watched.is_skipped |= is_so(&watched.threshold);
        }
    }

    /// Whether a second measurement shows that no pod has to be evicted. The kubelet asks
    /// for every signal, grace aside; evictd for what triggered it (decision D30).
    pub(crate) fn is_reclaimed(&self, acting: usize, again: &Readings, policy: &Policy) -> bool {
        let signal = self.get(acting).map(|t| t.signal);
        !self.thresholds.iter().any(|watched| {
            let counts = policy.reclaim_must_clear_every_signal
                || (Some(watched.signal()) == signal && watched.is_due);
            counts && is_unreclaimed(&watched.threshold, again)
        })
    }

    /// The node was measured again, which may be long after the round began: what is short no
    /// more, or cannot be read, acts no more in it.
    pub(crate) fn skip_what_is_over(&mut self, again: &Readings, policy: &Policy) {
        if policy.stats_may_predate_last_eviction {
            return;
        }
        for watched in &mut self.thresholds {
            watched.is_fresh &= is_unreclaimed(&watched.threshold, again);
        }
    }

    /// The node was read again, and no round begins by that: what is over has been over, and
    /// what could not be read acts no more in this round.
    pub(crate) fn read_again(&mut self, again: &Readings) {
        for watched in &mut self.thresholds {
            match again.get(watched.signal()) {
                None => watched.is_fresh = false,
                Some(reading) if !is_short(watched, &reading, true) => watched.is_over(),
                Some(_) => {}
            }
        }
        self.latest = *again;
    }

    /// Whether what triggered the reclaim is over, and only another threshold of the signal is
    /// not: that one has its own grace, and acts in its own round.
    pub(crate) fn is_another_left(&self, acting: usize, again: &Readings, policy: &Policy) -> bool {
        let threshold = self.get(acting);
        let reading = threshold.and_then(|threshold| again.get(threshold.signal));
        !policy.reclaim_must_clear_every_signal
            && threshold
                .zip(reading)
                .is_some_and(|(threshold, reading)| !threshold.is_unreclaimed(&reading))
    }

    pub(crate) fn met_thresholds(&self) -> impl Iterator<Item = Met<'_>> {
        self.thresholds.iter().filter_map(|watched| {
            let since = watched.first_met?;
            Some(Met {
                threshold: &watched.threshold,
                since,
                acts_at: since + watched.grace(),
            })
        })
    }

    /// When the bookkeeping changes without any new observation.
    pub(crate) fn next_deadline(&self, now: Mono, transition: Duration) -> Option<Mono> {
        let acts = self
            .met_thresholds()
            .map(|met| met.acts_at)
            .filter(|at| *at > now);
        acts.chain(self.pressure.next_change(now, transition)).min()
    }
}

/// Whether it is met, or was met before with less than the minimum reclaimed since.
fn is_short(watched: &Watched, reading: &Reading, counts: bool) -> bool {
    let threshold = &watched.threshold;
    counts && threshold.is_met(reading) || watched.is_due && threshold.is_unreclaimed(reading)
}

/// Whether those readings say that its minimum is not reclaimed.
fn is_unreclaimed(threshold: &Threshold, readings: &Readings) -> bool {
    let reading = readings.get(threshold.signal);
    reading.is_some_and(|reading| threshold.is_unreclaimed(&reading))
}
