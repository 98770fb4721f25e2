//! Before a pod is killed for memory, file pages that the kernel would give back are asked
//! for.

use evictd_node::{Mono, Readings, Signal};

use super::Engine;
use crate::event::Event;
use crate::pace::is_memory;
use crate::pages::{AT_MOST, Wait};
use crate::ports::{Depth, Node, Pods, Reclaim};
use crate::timers::Timer;

impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// Whether a threshold of memory is met now, where anything comes before a kill for it.
    pub(super) fn memory_is_short(&mut self, now: Mono) -> bool {
        if self.evict.policy().kill_comes_before_file_pages {
            return false;
        }
        let readings = self.node.read_memory(now, Depth::Whole);
        self.is_met(&readings)
    }

    fn is_met(&self, readings: &Readings) -> bool {
        let thresholds = self.evict.thresholds().iter();
        let mut of_memory = thresholds.filter(|threshold| is_memory(threshold));
        of_memory.any(|threshold| {
            let reading = readings.get(threshold.signal);
            reading.is_some_and(|reading| threshold.is_met(&reading))
        })
    }

    /// Whether the kill of a pod for memory waits for what the kernel gives back; then it is
    /// measured again soon.
    pub(super) fn waits_for_pages(&mut self, now: Mono) -> bool {
        if self.settings.dry_run || self.evict.policy().kill_comes_before_file_pages {
            return false;
        }
        let threshold = self.evict.acting_on().filter(|t| is_memory(t));
        let Some((wanted, reading)) = threshold.and_then(|threshold| {
            let reading = self.sample.readings.get(threshold.signal)?;
            Some((threshold.value.against(reading.capacity).value(), reading))
        }) else {
            return false;
        };
        if self.pages.is_waiting() && !self.memory_is_short(now) {
            // The kernel went on while the pods were listed; the next round tells.
            self.timers.set_earlier(Timer::Round, now);
            return true;
        }
        let missing = u64::try_from(wanted.saturating_sub(reading.available)).unwrap_or(0);
        let available = u64::try_from(reading.available).unwrap_or(0);
        let filling = self.pages.filling(now, available);
        let left = (available, filling.max(self.pace.filling()));
        let mut wait = self.pages.before_kill(now, left, self.pods.pages_given());
        if wait == Wait::Ask {
            // A little more, as others take some of it meanwhile.
            let asked = missing.saturating_add(missing / 4).saturating_add(1 << 20);
            if self.pods.ask_for_pages(asked, now + AT_MOST) {
                self.pages.asked(now);
                wait = Wait::Measure(crate::pages::LOOK);
            }
        }
        let Wait::Measure(after) = wait else {
            return false;
        };
        self.timers.set_earlier(Timer::Round, now + after);
        true
    }

    /// Tells that no pod had to be killed, once that is so.
    pub(super) fn tell_pages(&mut self, now: Mono) {
        if let Some(reading) = self.sample.readings.get(Signal::MemoryAvailable) {
            let available = u64::try_from(reading.available).unwrap_or(0);
            self.pages.note(now, available);
        }
        if self.is_met(&self.sample.readings) {
            return;
        }
        let given = self.pods.pages_given();
        if let Some(collected) = self.pages.clear(now, given) {
            self.telling.tell(now, Event::Reclaimed(collected));
        }
    }
}
