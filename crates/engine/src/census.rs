//! When pods are looked at: for limits of their own, and whether what they hold on disk is
//! known well enough to choose one of them by it.

use core::time::Duration;

use evictd_node::Mono;

use crate::ports::Pods;
use crate::timers::{Timer, Timers};

/// How often pods are listed for their own limits, as often as the kubelet looks at them.
const EVERY: Duration = Duration::from_secs(10);

/// How long container runtimes are waited for then.
const RUNTIMES_WAIT: Duration = Duration::from_secs(1);

/// What pods hold on disk may be that old for one to be chosen by it.
const FRESH: Duration = Duration::from_secs(10);

/// It may be that old for no pod to be chosen by it.
const VERY_FRESH: Duration = Duration::from_secs(1);

/// How long measuring it may take. Then what is known decides: of a pod that has
/// not been measured it is unknown what it holds.
const PATIENCE: Duration = Duration::from_secs(10);

/// How soon to look whether it is measured. Memory has its own looks meanwhile.
const AGAIN: Duration = Duration::from_millis(50);

#[derive(Default)]
pub(crate) struct Census {
    /// A container runtime has said what it holds since it was asked.
    listed: bool,
    /// Since when a decision waits for what pods hold on disk.
    disk_asked: Option<Mono>,
    /// What was measured before is too old whatever its age.
    trusted_from: Mono,
    /// When it was last measured anew because no pod held enough, since a disk is short.
    looked_again: Option<Mono>,
}

impl Census {
    /// Whether the pods are to be looked at for their own limits. Where there are
    /// container runtimes, they are asked first, and waited for a little.
    pub(crate) fn is_due<P: Pods>(&mut self, now: Mono, pods: &mut P, timers: &mut Timers) -> bool {
        if timers.is_due(Timer::Census, now) {
            timers.set(Timer::Census, now + EVERY);
            timers.set(Timer::CensusWait, now + RUNTIMES_WAIT);
            pods.ask_runtimes();
            self.listed = false;
        }
        let waits = pods.has_runtimes() && !self.listed;
        let is_due = timers
            .get(Timer::CensusWait)
            .is_some_and(|until| !waits || now >= until);
        if is_due {
            timers.stop(Timer::CensusWait);
        }
        is_due
    }

    /// A container runtime has said what it holds. Returns whether the pods wait for that.
    pub(crate) fn runtime_has_listed(&mut self, timers: &Timers) -> bool {
        self.listed = true;
        timers.get(Timer::CensusWait).is_some()
    }

    /// What pods hold on disk is to be measured anew from then on.
    pub(crate) const fn trust_only_from(&mut self, now: Mono) {
        self.trusted_from = now;
    }

    /// Whether no pod would be chosen for disk by numbers that may be from before one of them
    /// filled it: then they are measured anew first, but not again and again.
    pub(crate) fn looks_again<P: Pods>(&mut self, now: Mono, pods: &mut P) -> bool {
        let lately = |then: Mono| now.since(then) < FRESH.saturating_add(PATIENCE);
        if self.looked_again.is_some_and(lately) {
            return false;
        }
        let recent = now.since(Mono::ZERO).saturating_sub(VERY_FRESH);
        let recent = Mono::ZERO + recent;
        let is_old = !pods.has_measured_disk(recent);
        if is_old {
            self.trusted_from = self.trusted_from.max(recent);
            self.looked_again = Some(now);
        }
        is_old
    }

    /// No threshold is met: the next one that is begins anew.
    pub(crate) const fn nothing_is_short(&mut self) {
        self.looked_again = None;
    }

    /// Whether a pod would be chosen for disk now by numbers that are not there yet, or
    /// old: then they are measured without rests, and the next round, which comes soon,
    /// chooses.
    pub(crate) fn must_measure<P: Pods>(
        &mut self,
        now: Mono,
        pods: &mut P,
        timers: &mut Timers,
    ) -> bool {
        if self.disk_asked.is_none() {
            pods.freshen(true);
            timers.set(Timer::DiskWait, now + PATIENCE);
        }
        let asked = *self.disk_asked.get_or_insert(now);
        let fresh = u64::try_from(FRESH.as_nanos()).unwrap_or(u64::MAX);
        let since = Mono::from_nanos(asked.as_nanos().saturating_sub(fresh));
        let since = since.max(self.trusted_from);
        if timers.is_expired(Timer::DiskWait, now) || pods.has_measured_disk(since) {
            self.disk_asked = None;
            return false;
        }
        timers.set_earlier(Timer::Round, now + AGAIN);
        true
    }
}
