//! All deadlines of the engine in one table.

use evictd_node::Mono;

/// Something that has its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// The next round begins.
    Round,
    /// Memory is looked at between two rounds.
    Look,
    /// The kill in flight wants to be polled.
    Kill,
    /// The container runtime that is to end a pod has to have said that it will.
    RuntimeSilent,
    /// Pods are looked at for their own limits.
    Census,
    /// No container runtime is waited for any longer before that.
    CensusWait,
    /// The list of pods that is kept for when memory is short is made anew.
    Listing,
    /// What pods hold on disk is not waited for any longer.
    DiskWait,
    /// Dead containers are collected.
    Containers,
    /// Images are collected.
    Images,
    /// Where nothing was given back, it is tried again.
    ReclaimRest,
}

impl Timer {
    /// All of them, in the order of their indexes.
    pub const ALL: [Self; 11] = [
        Self::Round,
        Self::Look,
        Self::Kill,
        Self::RuntimeSilent,
        Self::Census,
        Self::CensusWait,
        Self::Listing,
        Self::DiskWait,
        Self::Containers,
        Self::Images,
        Self::ReclaimRest,
    ];

    /// Whether the loop comes back for it. The others are looked at in the next round,
    /// whenever that is: waking a sleeping machine for them would gain nothing.
    #[must_use]
    pub const fn wakes(self) -> bool {
        matches!(
            self,
            Self::Round | Self::Look | Self::Kill | Self::RuntimeSilent
        )
    }
}

/// The time of each [`Timer`] that is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timers([Option<Mono>; Timer::ALL.len()]);

impl Timers {
    fn place(&mut self, timer: Timer) -> Option<&mut Option<Mono>> {
        self.0.get_mut(timer as usize)
    }

    /// Sets a timer, whatever it was set to.
    pub fn set(&mut self, timer: Timer, at: Mono) {
        if let Some(place) = self.place(timer) {
            *place = Some(at);
        }
    }

    /// Sets a timer that is not set, or set to a later time.
    pub fn set_earlier(&mut self, timer: Timer, at: Mono) {
        if let Some(place) = self.place(timer) {
            *place = Some(place.map_or(at, |former| former.min(at)));
        }
    }

    /// Takes the time of a timer away.
    pub fn stop(&mut self, timer: Timer) {
        if let Some(place) = self.place(timer) {
            *place = None;
        }
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

    /// The same of a timer that is due until it is set for the first time.
    #[must_use]
    pub fn is_due(&self, timer: Timer, now: Mono) -> bool {
        self.get(timer).is_none_or(|at| at <= now)
    }

    /// The first time of all those that wake.
    #[must_use]
    pub fn next(&self) -> Option<Mono> {
        let waking = Timer::ALL.into_iter().filter(|timer| timer.wakes());
        waking.filter_map(|timer| self.get(timer)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_timer_has_a_place_of_its_own() {
        let mut timers = Timers::default();
        for (index, timer) in Timer::ALL.into_iter().enumerate() {
            assert_eq!(timer as usize, index);
            assert!(timers.is_due(timer, Mono::ZERO), "{timer:?} was never set");
            assert!(
                !timers.is_expired(timer, Mono::ZERO),
                "{timer:?} is not set"
            );
            timers.set(timer, Mono::from_millis(1000 - index as u64));
        }
        for (index, timer) in Timer::ALL.into_iter().enumerate() {
            let at = Mono::from_millis(1000 - index as u64);
            assert_eq!(timers.get(timer), Some(at));
            assert!(timers.is_expired(timer, at));
            assert!(!timers.is_due(timer, Mono::from_millis(500)));
        }
    }

    #[test]
    fn only_what_wakes_is_next() {
        let mut timers = Timers::default();
        timers.set(Timer::Images, Mono::from_millis(1));
        assert_eq!(timers.next(), None);
        timers.set(Timer::Round, Mono::from_millis(9));
        timers.set(Timer::Kill, Mono::from_millis(5));
        assert_eq!(timers.next(), Some(Mono::from_millis(5)));
        timers.set_earlier(Timer::Kill, Mono::from_millis(7));
        assert_eq!(timers.next(), Some(Mono::from_millis(5)));
        timers.stop(Timer::Kill);
        assert_eq!(timers.next(), Some(Mono::from_millis(9)));
        timers.set_earlier(Timer::Kill, Mono::from_millis(7));
        assert_eq!(timers.next(), Some(Mono::from_millis(7)));
    }
}
