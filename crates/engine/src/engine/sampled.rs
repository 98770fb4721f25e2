//! The node, and what was last measured of it.

use core::time::Duration;

use evictd_evict::Evict;
use evictd_node::{Mono, Reading, Readings, Signal};
use evictd_threshold::Threshold;

use crate::pace::is_memory_unreclaimed;
use crate::ports::{Depth, Node, Sample};

/// How long a round waits for the filesystems: a healthy one answers in microseconds, a
/// dead one must not delay the memory decision.
pub const FS_WAIT: Duration = Duration::from_millis(5);

/// How long it waits until the layout is known, and when somebody waits for an answer.
pub const FIRST_FS_WAIT: Duration = Duration::from_secs(1);

/// A loop that is that late has stood still, and a reading of that age is no base for an
/// eviction.
pub(super) const STANDSTILL: Duration = Duration::from_secs(1);

/// The node's port, with the sample of the latest round.
pub(super) struct Sampled<N> {
    pub(super) node: N,
    pub(super) sample: Sample,
    /// The signals of memory, as of the latest round or look.
    pub(super) memory: Readings,
    /// When all of it was read last.
    at: Mono,
    /// The least that was left of memory since the OOM killer's work was last looked at.
    least_memory: Option<Reading>,
}

impl<N: Node> Sampled<N> {
    pub(super) fn new(node: N) -> Self {
        Self {
            node,
            sample: Sample::default(),
            memory: Readings::default(),
            at: Mono::ZERO,
            least_memory: None,
        }
    }

    /// Reads all that is watched.
    pub(super) fn read(&mut self, now: Mono, fs_wait: Duration) -> Readings {
        self.sample = self.node.read(now, fs_wait);
        self.at = now;
        self.memory = self.sample.readings;
        self.sample.readings
    }

    /// Reads what is left of memory, between two rounds.
    pub(super) fn look_at_memory(&mut self, now: Mono) -> &Readings {
        self.memory = self.node.read_memory(now, Depth::Whole);
        &self.memory
    }

    /// What was left of a signal in the latest round.
    pub(super) fn reading(&self, signal: Signal) -> Option<Reading> {
        self.sample.readings.get(signal)
    }

    /// Notes what was left of memory.
    pub(super) fn note_memory(&mut self, readings: &Readings) {
        self.memory = *readings;
        let both = [self.least_memory, readings.get(Signal::MemoryAvailable)];
        let both = both.into_iter().flatten();
        self.least_memory = both.min_by_key(|reading| reading.available);
    }

    /// The least that was left of memory since this was last asked. The latest round counts
    /// the next time too.
    pub(super) fn take_least_memory(&mut self) -> Option<Reading> {
        let latest = self.reading(Signal::MemoryAvailable);
        core::mem::replace(&mut self.least_memory, latest)
    }

    /// Whether a threshold of memory is met now, where anything comes before a kill for it.
    pub(super) fn memory_is_short(&mut self, now: Mono, evict: &Evict) -> bool {
        if evict.policy().kill_comes_before_file_pages {
            return false;
        }
        is_memory_unreclaimed(evict, self.look_at_memory(now))
    }

    /// Reads all of it again where the sample is old by now, as the process was stopped
    /// meanwhile or got no processor.
    pub(super) fn read_where_old(&mut self, now: Mono) -> Option<Readings> {
        (now.since(self.at) >= STANDSTILL).then(|| self.read(now, FS_WAIT))
    }

    /// Whether what was just read says that this threshold is met.
    pub(super) fn bears_out(&self, now: Mono, threshold: &Threshold) -> bool {
        let reading = self.reading(threshold.signal);
        reading.is_some_and(|reading| {
            let is_old = |at: Mono| now.since(at) >= STANDSTILL;
            !reading.sampled.is_some_and(is_old) && threshold.is_unreclaimed(&reading)
        })
    }
}
