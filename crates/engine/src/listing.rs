//! When pods are listed for limits of their own, and whether what they hold on disk is
//! known well enough to choose one of them by it.

use core::time::Duration;

use evictd_node::Mono;

use crate::ports::{Runtimes, Usage};
use crate::timers::{Timer, Timers};

/// How often pods are listed for their own limits, as often as the kubelet looks at them.
const EVERY: Duration = Duration::from_secs(10);

/// How long container runtimes are waited for then.
const RUNTIMES_WAIT: Duration = Duration::from_secs(1);

/// What pods hold on disk may be that old to see that still none of them is to be chosen.
const FRESH: Duration = Duration::from_secs(10);

/// How long measuring it may take. Then what is known decides: of a pod that has
/// not been measured it is unknown what it holds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who did not look for so long has not waited.
const SLEPT: Duration = Duration::from_secs(1);

/// A loop that is always late must not wait for ever.
const FEW_TIMES: u8 = 3;

/// How soon to look whether it is measured. Memory has its own looks meanwhile.
const AGAIN: Duration = Duration::from_millis(50);

#[derive(Default)]
pub(crate) struct Listings {
    /// A container runtime has said what it holds since it was asked.
    listed: bool,
    /// Since when a decision waits for what pods hold on disk.
    disk_asked: Option<Mono>,
    /// When it was last looked whether it is measured, in the wait that goes on,
    looked_at: Mono,
    /// and how often that wait was begun anew.
    begun_anew: u8,
    /// What was measured before is too old whatever its age.
    trusted_from: Mono,
    /// Numbers of a disk from before then choose no pod; `None` until that is asked, since a
    /// disk is short or the last pod was chosen.
    wanted_from: Option<Mono>,
    /// All numbers of the last choice were from then or later.
    known_from: Mono,
}

impl Listings {
    /// Whether the pods are to be looked at for their own limits. Where there are
    /// container runtimes, they are asked first, and waited for a little.
    pub(crate) fn is_due<P: Runtimes>(
        &mut self,
        now: Mono,
        pods: &mut P,
        timers: &mut Timers,
    ) -> bool {
        // Rounds may be rarer than that wait is long.
        let is_over = timers.is_expired(Timer::LimitsWait, now);
        if timers.is_due(Timer::Limits, now) {
            timers.set(Timer::Limits, now + EVERY);
            if !is_over {
                timers.set(Timer::LimitsWait, now + RUNTIMES_WAIT);
            }
            pods.ask_runtimes();
            self.listed = false;
        }
        let waits = pods.has_runtimes() && !self.listed;
        let is_due = is_over || !waits && timers.get(Timer::LimitsWait).is_some();
        if is_due {
            timers.stop(Timer::LimitsWait);
        }
        is_due
    }

    /// A container runtime has said what it holds. Returns whether the pods wait for that.
    pub(crate) fn runtime_has_listed(&mut self, timers: &Timers) -> bool {
        self.listed = true;
        timers.get(Timer::LimitsWait).is_some()
    }

    /// What pods hold on disk is to be measured anew from then on.
    pub(crate) const fn trust_only_from(&mut self, now: Mono) {
        self.trusted_from = now;
    }

    /// Whether a pod is chosen for a disk by numbers of which some may be far older than
    /// others, or that nobody waited for: then all are measured anew, and it is chosen again.
    pub(crate) fn must_choose_again<P: Usage>(
        &mut self,
        now: Mono,
        pods: &mut P,
        timers: &mut Timers,
    ) -> bool {
        let is_old = now.since(self.known_from) >= FRESH;
        if is_old && !self.is_measuring() {
            self.wanted_from = Some(now);
        }
        let waits = is_old && self.must_measure(now, pods, timers);
        if !waits {
            self.wanted_from = None; // the next one is chosen by newer ones
        }
        waits
    }

    /// No threshold is met: the next one that is begins anew.
    pub(crate) const fn nothing_is_short(&mut self) {
        self.wanted_from = None;
    }

    /// Whether a decision waits for what pods hold on disk.
    pub(crate) const fn is_measuring(&self) -> bool {
        self.disk_asked.is_some()
    }

    /// Whether a pod would be chosen for disk now by numbers that are not there yet, or
    /// old: then they are measured without rests, and the next round, which comes soon,
    /// chooses.
    ///
    /// All are from after it was first asked: by one of before, who fills the disk would be
    /// passed over, and another go in its place. While none is chosen they may be some
    /// seconds older, as a disk may be short for days.
    pub(crate) fn must_measure<P: Usage>(
        &mut self,
        now: Mono,
        pods: &mut P,
        timers: &mut Timers,
    ) -> bool {
        let slept = now.since(self.looked_at) > SLEPT;
        if self.disk_asked.is_none() {
            timers.set(Timer::DiskWait, now + PATIENCE);
            self.begun_anew = 0;
        } else if slept && self.begun_anew < FEW_TIMES {
            // A reclaim, a kill for memory or a node that could not be read came between, and
            // nobody asked for what was measured meanwhile.
            timers.set(Timer::DiskWait, now + PATIENCE);
            self.begun_anew += 1;
        }
        self.looked_at = now;
        let asked = *self.disk_asked.get_or_insert(now);
        let wanted = *self.wanted_from.get_or_insert(asked);
        let fresh = Mono::ZERO + asked.since(Mono::ZERO).saturating_sub(FRESH);
        let since = wanted.max(fresh).max(self.trusted_from);
        let is_over = timers.is_expired(Timer::DiskWait, now);
        let is_measured = pods.has_measured_disk(since);
        if is_over || is_measured {
            self.disk_asked = None;
            self.known_from = if is_measured {
                since.max(self.known_from)
            } else {
                now
            };
            return false;
        }
        timers.set_earlier(Timer::Round, now + AGAIN);
        true
    }
}
