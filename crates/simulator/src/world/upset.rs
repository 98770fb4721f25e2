//! Clocks that are upset in a world: they step, the machine sleeps, or is paused.

use core::time::Duration;

use super::clock::{set, step_wall};
use super::machine::World;
use crate::feature::Feature;

const DAY: u64 = 86_400;

impl World {
    /// Upsets a clock, where it is time to.
    pub(crate) fn upset_clocks(&mut self) {
        if self.is_calm() || self.clocks.next.take_if(|at| *at <= self.now).is_none() {
            return;
        }
        self.clocks.upset += 1;
        let after = self.clocks.random.within(100, 30_000);
        self.clocks.next = Some(self.now + Duration::from_millis(after));
        if self.has(Feature::ClockSteps) {
            let seconds = self.clocks.random.pick(&[1, 30, 3600, DAY, 3650 * DAY]);
            let seconds = seconds.unwrap_or(1).cast_signed();
            let seconds = if self.clocks.random.one_in(2) {
                seconds
            } else {
                -seconds
            };
            self.tell(|| format!("the wall clock is set by {seconds} s"));
            step_wall(seconds);
        }
        if self.has(Feature::Suspend) && self.clocks.random.one_in(2) {
            self.sleep();
        }
        if self.has(Feature::Paused) && self.clocks.random.one_in(2) {
            self.pause();
        }
    }

    /// Nothing runs, and `CLOCK_MONOTONIC` stands still with it; the kernel has given back what
    /// it could to write memory to the disk, and the runtime is slow to find its feet.
    fn sleep(&mut self) {
        let seconds = self.clocks.random.within(1, 3 * DAY);
        self.tell(|| format!("the machine sleeps for {seconds} s"));
        step_wall(seconds.cast_signed());
        for pod in &mut self.pods {
            pod.held.inactive = 0;
        }
        if self.runtime.exists && !self.runtime_is_away() {
            let silent = Duration::from_millis(self.clocks.random.within(1, 4000));
            self.runtime.away = (self.now, (self.now + silent).min(self.chaos_ends));
        }
    }

    /// Nothing runs, and `CLOCK_MONOTONIC` goes on. It ends with chaos at the latest.
    fn pause(&mut self) {
        let lasts = Duration::from_millis(self.clocks.random.within(100, 40_000));
        let until = (self.now + lasts).min(self.chaos_ends);
        let lasts = until.since(self.now);
        self.tell(|| format!("the machine is paused for {lasts:?}"));
        if lasts >= Duration::from_secs(1) {
            self.given.stood_still_until = Some(until);
        }
        self.given.is_late = true;
        self.reliever.room_since = None;
        self.clocks.paused_until = until;
        self.now = until;
        set(until);
        step_wall(0);
        // The helper wakes as soon as the loop does.
        self.advance(until + Duration::from_millis(1));
    }
}
