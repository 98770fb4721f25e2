//! Whether evicting a pod is known to help (decision D0).
//!
//! The kubelet evicts as long as a threshold is met. Where nothing brings pods back, each
//! one has to be worth it: it holds what is short, and the last eviction gave something
//! back, or something has changed since.

use core::time::Duration;

use evictd_node::{Layout, Mono, Policy, Reading, Readings, Resource, Signal};
use evictd_rank::Place;
use evictd_threshold::Threshold;

/// What every container holds anyway: on disk an empty log and a few directories, in memory
/// the pages of one process.
const TRIFLE_BYTES: u64 = 1 << 20;
const TRIFLE_INODES: u64 = 100;

/// Of memory, in bytes, where it is not known how much is missing: a hundredth. A machine
/// thrashes for what many pods hold together, so that none of them is spared for being small.
const HUNDREDTH: i64 = 100;

/// A change that is no chance: an eighth of what it is compared with.
const VISIBLE: u64 = 8;

/// The last eviction for a resource, of disks for one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last {
    at: Mono,
    /// What it was for: the signal of the disk where several watch one.
    signal: Signal,
    /// How much was left, or lost.
    available: i64,
    /// By how much that has to change, where it is nothing that pods hold.
    change: Option<u64>,
    /// What the pod was known to use.
    used: Option<u64>,
    /// What the other pods held then, by numbers of which some may be bounds until
    /// [`Evict::note_others`](crate::Evict::note_others); `None` where not all of them were known.
    pub(crate) others: Option<u64>,
    /// It gave something back, or less is left by now.
    has_answer: bool,
}

impl Last {
    /// An eviction for that begins. `others` is what the pods that are left hold, where all of
    /// that is known. `None` where nothing can be learned of it, as the signal was not read.
    pub(crate) fn new(
        now: Mono,
        place: &Place,
        others: Option<u64>,
        readings: &Readings,
        layout: Layout,
    ) -> Option<Self> {
        let reading = readings.get(place.signal)?;
        let of_time = place.signal.grows_with_trouble();
        Some(Self {
            at: now,
            signal: place.signal.of_disk(layout),
            available: reading.available,
            change: of_time.then_some(reading.capacity.unsigned_abs() / VISIBLE),
            used: place.used,
            others,
            has_answer: false,
        })
    }

    /// Something was measured.
    pub(crate) fn note(&mut self, readings: &Readings, layout: Layout) {
        if let Some(reading) = reading_of(self.signal, readings, layout) {
            self.has_answer |= self.is_answered_by(reading.available);
        }
    }

    /// Whether so much is left that the eviction has helped, or so much less that
    /// something still takes it.
    fn is_answered_by(&self, available: i64) -> bool {
        let signed = |of: u64| i64::try_from(of).unwrap_or(i64::MAX);
        let gain = self.change.unwrap_or_else(|| self.gain());
        let loss = self.change.unwrap_or_else(|| self.left());
        available >= self.available.saturating_add(signed(gain))
            || available < self.available.saturating_sub(signed(loss))
    }

    /// How much more shows that it gave something back.
    fn gain(&self) -> u64 {
        let eighth = self.used.map(|used| used / VISIBLE);
        eighth.unwrap_or_else(|| self.left()).max(1)
    }

    fn left(&self) -> u64 {
        u64::try_from(self.available).unwrap_or(0) / VISIBLE
    }
}

/// The reading of a disk by any of its signals.
fn reading_of(of_disk: Signal, readings: &Readings, layout: Layout) -> Option<Reading> {
    let same = Signal::ALL.into_iter();
    let mut same = same.filter(|signal| signal.of_disk(layout) == of_disk);
    same.find_map(|signal| readings.get(signal))
}

/// The last eviction for each resource, and for each disk. One counts once its pod is gone: of a
/// pod that could not be killed nothing is learned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence([Option<Last>; Signal::COUNT]);

impl Evidence {
    /// Something was measured.
    pub(crate) fn note(&mut self, readings: &Readings, layout: Layout) {
        for last in self.0.iter_mut().flatten() {
            last.note(readings, layout);
        }
    }

    /// The pod of that eviction is gone.
    pub(crate) fn add(&mut self, last: Last) {
        if let Some(place) = self.0.get_mut(last.signal.index()) {
            *place = Some(last);
        }
    }

    /// The pods hold so much now. Where that is more than the others held at the last eviction,
    /// what it gave back was taken by them, and is had by the next.
    pub(crate) fn note_held(&mut self, signal: Signal, layout: Layout, held: u64) {
        let place = self.0.get_mut(signal.of_disk(layout).index());
        if let Some(last) = place.and_then(Option::as_mut) {
            let grown = last.others.map(|others| others.saturating_add(last.gain()));
            last.has_answer |= grown.is_some_and(|grown| held >= grown);
        }
    }

    fn last(&self, signal: Signal, layout: Layout) -> Option<&Last> {
        self.0.get(signal.of_disk(layout).index())?.as_ref()
    }

    /// Whether the last eviction gave nothing back and nothing has changed since.
    pub(crate) fn is_missing(&self, signal: Signal, layout: Layout) -> bool {
        let last = self.last(signal, layout);
        last.is_some_and(|last| !last.has_answer)
    }

    pub(crate) fn is_younger_than(
        &self,
        signal: Signal,
        layout: Layout,
        now: Mono,
        wait: Duration,
    ) -> bool {
        let last = self.last(signal, layout);
        last.is_some_and(|last| now.since(last.at) < wait)
    }
}

/// What an eviction for a threshold has to be worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    pub(crate) signal: Signal,
    pub(crate) is_hard: bool,
    /// The threshold itself is not met, only its minimum reclaim is not reached.
    pub(crate) is_chase: bool,
    /// How much is missing; `None` where that was not read, and for lost time.
    missing: Option<u64>,
    /// What a pod has to hold of memory, in bytes.
    trifle: u64,
    policy: Policy,
}

impl Need {
    pub(crate) fn of(threshold: &Threshold, readings: &Readings, policy: &Policy) -> Self {
        let reading = readings.get(threshold.signal);
        let is_of_time = threshold.signal.grows_with_trouble();
        let is_chase = reading.is_some_and(|reading| !threshold.is_met(&reading));
        let missing = reading.filter(|_| !is_of_time).map(|reading| {
            let wanted = if is_chase {
                threshold.clear_at(reading.capacity)
            } else {
                threshold.value.against(reading.capacity)
            };
            u64::try_from(wanted.value().saturating_sub(reading.available)).unwrap_or(0)
        });
        Self {
            signal: threshold.signal,
            is_hard: threshold.is_hard(),
            is_chase,
            missing,
            trifle: trifle(threshold.signal, readings),
            policy: *policy,
        }
    }

    /// As if a threshold of the signal had just begun to be met: hardly anything is missing.
    pub(crate) fn of_one_just_met(
        signal: Signal,
        is_hard: bool,
        readings: &Readings,
        policy: &Policy,
    ) -> Self {
        Self {
            signal,
            is_hard,
            is_chase: false,
            missing: None,
            trifle: trifle(signal, readings),
            policy: *policy,
        }
    }

    /// Whether evicting that pod gives back what is short.
    pub(crate) fn is_met_by(&self, place: &Place) -> bool {
        if self.policy.evicts_without_evidence {
            return true;
        }
        let holds = |trifle| place.used.is_some_and(|used| used >= trifle);
        match self.signal.resource() {
            Resource::EphemeralStorage => holds(TRIFLE_BYTES) && self.may_chase(place),
            Resource::Inodes => holds(TRIFLE_INODES) && self.may_chase(place),
            // At a hard threshold one whose use is unknown comes last, but it comes.
            Resource::Memory => {
                (place.used.is_none() || holds(self.trifle)) && self.may_chase(place)
            }
            Resource::Pids => true,
        }
    }

    /// What keeps to its request is not ended for a minimum reclaim.
    const fn may_chase(&self, place: &Place) -> bool {
        !self.is_chase || place.exceeds
    }

    /// Whether pods that hold so much together can make a difference: all of what is
    /// missing for a minimum reclaim, else half of what is missing or was taken
    /// [elsewhere](crate::elsewhere).
    pub(crate) fn is_within_reach(&self, together: u64, taken_elsewhere: u64) -> bool {
        self.missing.is_none_or(|missing| {
            if self.is_chase {
                together >= missing
            } else {
                together >= missing.max(taken_elsewhere) / 2
            }
        })
    }
}

/// What a pod has to hold of memory at least for that signal.
fn trifle(signal: Signal, readings: &Readings) -> u64 {
    let memory = readings.get(Signal::MemoryAvailable);
    let memory = memory.filter(|_| signal.grows_with_trouble());
    let hundredth = memory.and_then(|memory| u64::try_from(memory.capacity / HUNDREDTH).ok());
    hundredth.unwrap_or(0).max(TRIFLE_BYTES)
}
