//! Whether evicting a pod is known to help (decision D0).
//!
//! The kubelet evicts as long as a threshold is met. Where nothing brings pods back, each
//! one has to be worth it: it holds what is short, and the last eviction gave something
//! back, or something has changed since.

use core::time::Duration;

use evictd_node::{Mono, Policy, Readings, Resource, Signal};
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

/// The last eviction for a signal.
#[derive(Clone, Copy, Debug)]
struct Last {
    at: Mono,
    /// How much was left, or lost.
    available: i64,
    /// By how much that has to change, where it is nothing that pods hold.
    change: Option<u64>,
    /// What the pod was known to use.
    used: Option<u64>,
    /// What the other pods held then, by numbers of which some may be bounds until
    /// [`Evict::note_others`](crate::Evict::note_others); `None` where not all of them were known.
    others: Option<u64>,
    /// It gave something back, or less is left by now.
    has_answer: bool,
}

impl Last {
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

/// The last eviction for each signal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    last: Lasts,
    /// The same before the eviction that was begun last: one that is not done teaches nothing,
    /// and takes nothing away of what the one before has taught.
    before: Lasts,
}

type Lasts = [Option<Last>; Signal::COUNT];

impl Evidence {
    /// Something was measured.
    pub(crate) fn note(&mut self, readings: &Readings) {
        for lasts in [&mut self.last, &mut self.before] {
            for (signal, last) in Signal::ALL.into_iter().zip(lasts) {
                if let (Some(last), Some(reading)) = (last, readings.get(signal)) {
                    last.has_answer |= last.is_answered_by(reading.available);
                }
            }
        }
    }

    /// The pods hold so much now. Where that is more than the others held at the last eviction,
    /// what it gave back was taken by them, and is had by the next.
    pub(crate) fn note_held(&mut self, signal: Signal, held: u64) {
        if let Some(Some(last)) = self.last.get_mut(signal.index()) {
            let grown = last.others.map(|others| others.saturating_add(last.gain()));
            last.has_answer |= grown.is_some_and(|grown| held >= grown);
        }
    }

    /// The pods that are left held so much at the last eviction, by exact numbers.
    pub(crate) fn note_others(&mut self, signal: Signal, others: Option<u64>) {
        let at = self.last(signal).map(|last| last.at);
        let of_that = |last: &&mut Last| Some(last.at) == at;
        for last in self.last.iter_mut().flatten().filter(of_that) {
            last.others = others;
        }
    }

    /// A pod is evicted for the signal, and so for each one that reads the same: nodefs and
    /// containerfs are often one filesystem.
    ///
    /// `others` is what the pods that are left hold, where all of that is known.
    pub(crate) fn begin(
        &mut self,
        now: Mono,
        place: &Place,
        others: Option<u64>,
        readings: &Readings,
    ) {
        let amount = |signal| {
            let reading = readings.get(signal);
            reading.map(|reading| (reading.available, reading.capacity))
        };
        let own = amount(place.signal);
        let of_time = place.signal.grows_with_trouble();
        let last = own.map(|(available, capacity)| Last {
            at: now,
            available,
            change: of_time.then_some(capacity.unsigned_abs() / VISIBLE),
            used: place.used,
            others,
            has_answer: false,
        });
        self.before = self.last;
        for (signal, held) in Signal::ALL.into_iter().zip(&mut self.last) {
            let reads_the_same = signal.resource() == place.signal.resource()
                && own.is_some()
                && amount(signal) == own;
            if signal == place.signal || reads_the_same {
                *held = last;
            }
        }
    }

    /// The eviction for that signal is begun by a newer reading than it was decided by: what it
    /// gives back counts from there.
    pub(crate) fn begin_by(&mut self, signal: Signal, readings: &Readings) {
        let at = self.last(signal).map(|last| last.at);
        for (signal, last) in Signal::ALL.into_iter().zip(&mut self.last) {
            let of_that = last.as_mut().filter(|last| Some(last.at) == at);
            if let (Some(last), Some(reading)) = (of_that, readings.get(signal)) {
                last.available = reading.available;
                last.has_answer = false;
            }
        }
    }

    /// Nothing can be learned of the last eviction: it was not done.
    pub(crate) const fn forget(&mut self) {
        self.last = self.before;
    }

    fn last(&self, signal: Signal) -> Option<&Last> {
        self.last.get(signal.index())?.as_ref()
    }

    /// What the pod of the last eviction was known to use.
    pub(crate) fn used_by_last(&self, signal: Signal) -> Option<u64> {
        self.last(signal)?.used
    }

    /// Whether the last eviction gave nothing back and nothing has changed since.
    pub(crate) fn is_missing(&self, signal: Signal) -> bool {
        self.last(signal).is_some_and(|last| !last.has_answer)
    }

    pub(crate) fn is_younger_than(&self, signal: Signal, now: Mono, wait: Duration) -> bool {
        self.last(signal)
            .is_some_and(|last| now.since(last.at) < wait)
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
