//! What the machine knows: to be shown, or to wait for.

use evictd_condition::Pressure;
use evictd_node::{ConditionSet, Layout, Mono, Policy, Readings, Signal};
use evictd_threshold::Threshold;

use crate::evict::Stage;
use crate::{Evict, Met};

impl Evict {
    /// The switches between evictd and the kubelet.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.config.policy
    }

    /// The thresholds that are watched: as configured, then the derived ones.
    #[must_use]
    pub fn thresholds(&self) -> &[Threshold] {
        &self.watch.thresholds
    }

    /// The conditions that are to be reported.
    #[must_use]
    pub fn conditions(&self) -> ConditionSet {
        self.watch.conditions
    }

    /// When each condition was last observed.
    #[must_use]
    pub const fn pressure(&self) -> &Pressure {
        &self.watch.pressure
    }

    /// How the filesystems lay when it was last known.
    #[must_use]
    pub const fn observed_layout(&self) -> Option<Layout> {
        self.watch.layout
    }

    /// The thresholds that are met, whether their grace period is over or not.
    pub fn met(&self) -> impl Iterator<Item = Met<'_>> {
        self.watch.met_thresholds()
    }

    /// The thresholds that are met and whose grace period is over.
    pub fn due(&self) -> impl Iterator<Item = &Threshold> {
        self.watch
            .due
            .each()
            .filter_map(|index| self.watch.thresholds.get(index))
    }

    /// The threshold that the last step acts on: the resource of the node event
    /// `Attempting to reclaim`.
    #[must_use]
    pub fn acting_on(&self) -> Option<&Threshold> {
        self.watch.thresholds.get(self.acting_on?)
    }

    /// Whether an outcome of [`Plan::Reclaim`](crate::Plan::Reclaim) is awaited.
    #[must_use]
    pub const fn is_reclaiming(&self) -> bool {
        matches!(self.stage, Stage::Reclaiming { .. })
    }

    /// Whether the node has given back enough, so that the calls of
    /// [`Plan::Reclaim`](crate::Plan::Reclaim) that are left need not be made.
    #[must_use]
    pub fn may_stop_reclaiming(&self, again: &Readings) -> bool {
        let policy = &self.config.policy;
        let Stage::Reclaiming { threshold } = self.stage else {
            return false;
        };
        !policy.reclaim_makes_every_call && self.watch.is_reclaimed(threshold, again, policy)
    }

    /// The signal that the node is to give back for, and how much of it has to be
    /// available for that, in the signal's unit; `None` when nothing is reclaimed
    /// or the signal was not read.
    #[must_use]
    pub fn reclaim_target(&self, readings: &Readings) -> Option<(Signal, i64)> {
        let signal = self.acting_on()?.signal;
        let capacity = readings.get(signal)?.capacity;
        let same = self.due().filter(|threshold| threshold.signal == signal);
        let wanted = same.map(|threshold| threshold.clear_at(capacity).value());
        Some((signal, wanted.max()?))
    }

    /// When to step again at the latest, beside the regular interval: a grace
    /// period ends, a condition is left, or the wait for a clean-up is over.
    #[must_use]
    pub fn next_deadline(&self, now: Mono) -> Option<Mono> {
        let cleaning = match self.stage {
            Stage::CleaningUp { until, .. } => Some(until),
            Stage::Idle
            | Stage::ReadingPods { .. }
            | Stage::Reclaiming { .. }
            | Stage::Killing { .. } => None,
        };
        let watch = self.watch.next_deadline(now, self.config.transition_period);
        cleaning.into_iter().chain(watch).min()
    }

    /// Whether an evicted pod is still on its way out.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self.stage, Stage::Killing { .. } | Stage::CleaningUp { .. })
    }
}
