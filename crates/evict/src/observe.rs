use alloc::vec::Vec;
use core::time::Duration;

use evictd_condition::Pressure;
use evictd_node::{ConditionSet, Layout, Mono, Policy, Reading, Readings, Resource, Signal};
use evictd_threshold::{Threshold, derive_containerfs};

use crate::Config;
use crate::set::ThresholdSet;

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

/// What is known between rounds: what is met since when, and which conditions hold.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) configured: Vec<Threshold>,
    pub(crate) thresholds: Vec<Threshold>,
    pub(crate) layout: Option<Layout>,
    pub(crate) first_met: [Option<Mono>; ThresholdSet::CAPACITY],
    /// Met before a restart and not observed since: what is not known to have been
    /// met all the time may not act at first sight.
    pub(crate) unconfirmed: ThresholdSet,
    /// Met with their grace period over, fresh or not.
    pub(crate) due: ThresholdSet,
    /// Those of them that may act in this round.
    pub(crate) fresh: ThresholdSet,
    /// Those for which no pod is evicted in this round.
    pub(crate) passed: ThresholdSet,
    pub(crate) readings: Readings,
    /// The same, or what was measured again since.
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
            thresholds: configured.clone(),
            configured,
            layout: None,
            first_met: [None; ThresholdSet::CAPACITY],
            unconfirmed: ThresholdSet::default(),
            due: ThresholdSet::default(),
            fresh: ThresholdSet::default(),
            passed: ThresholdSet::default(),
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
        let met = self.met(readings, counted);
        let mut observed = ConditionSet::empty();
        let mut due = ThresholdSet::default();
        for ((index, threshold), first) in
            self.thresholds.iter().enumerate().zip(&mut self.first_met)
        {
            if !met.has(index) {
                *first = None;
                continue;
            }
            observed.insert(threshold.signal.condition().set());
            let since = *first.get_or_insert(now);
            if now.since(since) >= grace(threshold) && !self.unconfirmed.has(index) {
                due.insert(index);
            }
        }
        self.unconfirmed = ThresholdSet::default();
        self.conditions =
            self.pressure
                .observe(now, observed, config.transition_period, &config.policy);
        self.fresh = self.fresh_of(due, readings, &config.policy);
        self.due = due;
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
        self.thresholds.clone_from(&self.configured);
        if let Some(layout) = layout {
            derive_containerfs(&mut self.thresholds, layout);
        }
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

    /// Met now, or met before with less than the minimum reclaimed since.
    fn met(&self, readings: &Readings, counted: usize) -> ThresholdSet {
        let mut met = ThresholdSet::default();
        for (index, threshold) in self.thresholds.iter().enumerate() {
            let Some(reading) = readings.get(threshold.signal) else {
                continue;
            };
            let is_met = index < counted && threshold.is_met(&reading);
            if is_met || (self.due.has(index) && threshold.is_unreclaimed(&reading)) {
                met.insert(index);
            }
        }
        met
    }

    /// Of those due, the ones whose reading is newer than that of the last round.
    /// No time stamp counts as fresh, and so does a signal that was missing.
    fn fresh_of(&self, due: ThresholdSet, readings: &Readings, policy: &Policy) -> ThresholdSet {
        let mut fresh = ThresholdSet::default();
        for index in due.each() {
            let Some(signal) = self.thresholds.get(index).map(|t| t.signal) else {
                continue;
            };
            let Some(reading) = readings.get(signal) else {
                continue;
            };
            let newer = match (self.readings.get(signal), reading.sampled) {
                (None, _) | (_, None) => true,
                (Some(last), Some(sampled)) => last.sampled.is_none_or(|last| sampled > last),
            };
            let is_of_since = |at: Mono| self.settled_at.is_none_or(|s| at >= s + signal.window());
            let settled =
                policy.stats_may_predate_last_eviction || reading.sampled.is_none_or(is_of_since);
            if newer && settled && self.trusts(&reading, policy) {
                fresh.insert(index);
            }
        }
        fresh
    }

    /// Without what was measured before this process or the machine stood still.
    pub(crate) fn trusted(&self, readings: &Readings, policy: &Policy) -> Readings {
        let mut trusted = *readings;
        for signal in Signal::ALL {
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
        let fresh = || self.fresh.each().filter(|index| !self.passed.has(*index));
        let is_memory = |index: &usize| {
            let threshold = self.thresholds.get(*index);
            threshold.is_some_and(|t| t.signal.resource() == Resource::Memory)
        };
        fresh().find(is_memory).or_else(|| fresh().next())
    }

    /// Whether the threshold to act on is like that; not where there is none.
    pub(crate) fn acts_next(&self, is_so: impl Fn(&Threshold) -> bool) -> bool {
        let index = self.first_to_act();
        let threshold = index.and_then(|index| self.thresholds.get(index));
        threshold.is_some_and(is_so)
    }

    /// Whether a second measurement shows that no pod has to be evicted. The kubelet asks
    /// for every signal, grace aside; evictd for what triggered it (decision D30).
    pub(crate) fn is_reclaimed(&self, acting: usize, again: &Readings, policy: &Policy) -> bool {
        let signal = self.thresholds.get(acting).map(|t| t.signal);
        let mut all = self.thresholds.iter().enumerate();
        !all.any(|(index, threshold)| {
            let counts = policy.reclaim_must_clear_every_signal
                || (Some(threshold.signal) == signal && self.due.has(index));
            let reading = again.get(threshold.signal);
            counts && reading.is_some_and(|reading| threshold.is_unreclaimed(&reading))
        })
    }

    /// The node was measured again, which may be long after the round began: what is short no
    /// more, or cannot be read, acts no more in it.
    pub(crate) fn pass_what_is_over(&mut self, again: &Readings, policy: &Policy) {
        if policy.stats_may_predate_last_eviction {
            return;
        }
        let mut fresh = ThresholdSet::default();
        for index in self.fresh.each() {
            let threshold = self.thresholds.get(index);
            let reading = threshold.and_then(|threshold| again.get(threshold.signal));
            let both = threshold.zip(reading);
            if both.is_some_and(|(threshold, reading)| threshold.is_unreclaimed(&reading)) {
                fresh.insert(index);
            }
        }
        self.fresh = fresh;
    }

    /// The node was read again, and no round begins by that: what is over has been over, and
    /// what could not be read acts no more in this round.
    pub(crate) fn read_again(&mut self, again: &Readings) {
        let met = self.met(again, self.thresholds.len());
        for (index, threshold) in self.thresholds.iter().enumerate() {
            if again.get(threshold.signal).is_none() {
                self.fresh.remove(index);
            } else if !met.has(index) {
                if let Some(first) = self.first_met.get_mut(index) {
                    *first = None;
                }
                self.due.remove(index);
                self.fresh.remove(index);
            }
        }
        self.latest = *again;
    }

    /// Whether what triggered the reclaim is over, and only another threshold of the signal is
    /// not: that one has its own grace, and acts in its own round.
    pub(crate) fn is_another_left(&self, acting: usize, again: &Readings, policy: &Policy) -> bool {
        let threshold = self.thresholds.get(acting);
        let reading = threshold.and_then(|threshold| again.get(threshold.signal));
        !policy.reclaim_must_clear_every_signal
            && threshold
                .zip(reading)
                .is_some_and(|(threshold, reading)| !threshold.is_unreclaimed(&reading))
    }

    pub(crate) fn met_thresholds(&self) -> impl Iterator<Item = Met<'_>> {
        let with_times = self.thresholds.iter().zip(self.first_met);
        with_times.filter_map(|(threshold, first)| {
            let since = first?;
            Some(Met {
                threshold,
                since,
                acts_at: since + grace(threshold),
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

fn grace(threshold: &Threshold) -> Duration {
    Duration::try_from(threshold.grace).unwrap_or(Duration::ZERO)
}
