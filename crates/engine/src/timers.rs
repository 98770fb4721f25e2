//! All deadlines of the engine in one table.

use evictd_node::Mono;

/// Something that has its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Timer {
    /// The next round begins.
    Round,
    /// Memory is looked at between two rounds.
    Look,
    /// The kill in flight wants to be polled.
    Kill,
    /// The container runtime that is to end a pod has to have said that it will.
    RuntimeSilent,
    /// Pods that were evicted are looked at: do they run again?
    Held,
    /// Pods are looked at for their own limits.
    Limits,
    /// No container runtime is waited for any longer before that.
    LimitsWait,
    /// The list of pods that is kept for when memory is short is made anew.
    Listing,
    /// What pods hold on disk is not waited for any longer.
    DiskWait,
    /// Dead containers are collected.
    Containers,
    /// Images are collected.
    Images,
    /// What was given up for a disk is taken back, where none is short.
    Tidy,
}

impl Timer {
    /// All of them, in the order of their indexes.
    pub const ALL: [Self; 12] = [
        Self::Round,
        Self::Look,
        Self::Kill,
        Self::RuntimeSilent,
        Self::Held,
        Self::Limits,
        Self::LimitsWait,
        Self::Listing,
        Self::DiskWait,
        Self::Containers,
        Self::Images,
        Self::Tidy,
    ];
}

/// The time of each [`Timer`] that is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timers([Option<Mono>; Timer::ALL.len()]);

impl Timers {
    fn put(&mut self, timer: Timer, at: Option<Mono>) {
        if let Some(place) = self.0.get_mut(timer as usize) {
            *place = at;
        }
    }

    /// Sets a timer, whatever it was set to.
    pub fn set(&mut self, timer: Timer, at: Mono) {
        self.put(timer, Some(at));
    }

    /// Sets a timer that is not set, or set to a later time.
    pub fn set_earlier(&mut self, timer: Timer, at: Mono) {
        self.set(timer, self.get(timer).map_or(at, |former| former.min(at)));
    }

    /// Takes the time of a timer away.
    pub fn stop(&mut self, timer: Timer) {
        self.put(timer, None);
    }

    /// When its time is, where it is set.
    #[must_use]
    pub fn get(&self, timer: Timer) -> Option<Mono> {
        self.0.get(timer as usize).copied().flatten()
    }

    /// Whether it is set and its time has come.
    #[must_use]
    pub fn is_expired(&self, timer: Timer, now: Mono) -> bool {
        self.get(timer).is_some_and(|at| at <= now)
    }

    /// Whether its time has come; a timer is due until it is set for the first time.
    #[must_use]
    pub fn is_due(&self, timer: Timer, now: Mono) -> bool {
        self.get(timer).is_none_or(|at| at <= now)
    }
}
