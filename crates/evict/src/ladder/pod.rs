//! A pod on the ladder.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use evictd_node::{MemoryRung, Mono};

use super::steps::{Lift, Lifted};

/// How long there is no brake after one, unless there was room again.
const BRAKE_RESTS: Duration = Duration::from_secs(60);
/// The same of a pod that stood still.
const FREEZE_RESTS: Duration = Duration::from_secs(600);

/// A pod that cannot be read is remembered for so many looks: it may only be that descriptors
/// are lacking, and it rests from what was done to it. Looks, as there may be minutes between
/// two of them.
const REMEMBERED: u32 = 10;

/// Whether a pod stands still for it.
pub(super) const fn stops(rung: MemoryRung) -> bool {
    matches!(rung, MemoryRung::Freeze | MemoryRung::StartStorm)
}

/// What was just measured of a pod.
#[derive(Clone, Debug, Default)]
pub struct LadderPod<'a> {
    /// Its uid.
    pub uid: &'a str,
    /// Which cgroup it has: one that was started anew has another.
    pub cgroup: u64,
    /// Its priority.
    pub priority: i32,
    /// Whether it is critical: then nothing is done to it.
    pub is_critical: bool,
    /// Whether all its containers may be frozen (`evictd.freezable=true`).
    pub is_freezable: bool,
    /// Whether any of them asks for a signal (`evictd.pressure-signal`).
    pub listens: bool,
    /// Whether it is being evicted: what stands still cannot end by itself.
    pub is_ending: bool,
    /// What it uses of memory.
    pub usage_bytes: u64,
    /// How much of the time since the last look any of it waited for memory, in thousandths;
    /// `None` where the kernel does not say.
    pub waited_permille: Option<u64>,
    /// How much it read back since the last look of what was taken from it.
    pub refaulted_bytes: u64,
    /// How long ago it began; `None` where that is not known, or nobody asks.
    pub age: Option<Duration>,
}

impl LadderPod<'_> {
    /// Whether that may be set of it, by what is known of it now.
    pub(super) fn may_stay(&self, rung: MemoryRung) -> bool {
        !self.is_critical && (rung != MemoryRung::Freeze || self.is_freezable)
    }
}

/// What is known of a pod from one look to the next.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) uid: String,
    cgroup: u64,
    /// At so many looks in a row it was not there, or could not be read.
    missed: u32,
    usage: (Mono, u64),
    /// How much it gained in a second, as of the last look.
    pub(super) gained: u64,
    pub(super) told_at: Option<Mono>,
    pub(super) asked_at: Option<Mono>,
    pub(super) braked: Option<Mono>,
    /// Since when, and for which rung.
    pub(super) frozen: Option<(Mono, MemoryRung)>,
    brake_rests: Option<Mono>,
    freeze_rests: Option<Mono>,
}

impl Held {
    pub(super) fn new(now: Mono, pod: &LadderPod<'_>) -> Self {
        Self {
            uid: pod.uid.to_owned(),
            cgroup: pod.cgroup,
            missed: 0,
            usage: (now, pod.usage_bytes),
            gained: 0,
            told_at: None,
            asked_at: None,
            braked: None,
            frozen: None,
            brake_rests: None,
            freeze_rests: None,
        }
    }

    /// Of a pod that was started anew nothing is known, and nothing is set.
    pub(super) fn is(&self, pod: &LadderPod<'_>) -> bool {
        self.uid == pod.uid && self.cgroup == pod.cgroup
    }

    pub(super) fn note(&mut self, now: Mono, pod: &LadderPod<'_>) {
        let (at, before) = core::mem::replace(&mut self.usage, (now, pod.usage_bytes));
        let millis = now.since(at).as_millis().max(1);
        let gained = u128::from(pod.usage_bytes.saturating_sub(before));
        let a_second = gained.saturating_mul(1000) / millis;
        self.gained = u64::try_from(a_second).unwrap_or(u64::MAX);
    }

    pub(super) const fn look_for(&mut self, is_there: bool) {
        self.missed = if is_there {
            0
        } else {
            self.missed.saturating_add(1)
        };
    }

    /// Whether it was there at a look not long ago.
    pub(super) const fn is_remembered(&self) -> bool {
        self.missed < REMEMBERED
    }

    pub(super) const fn is_set(&self) -> bool {
        self.braked.is_some() || self.frozen.is_some()
    }

    /// Whether it does not rest from that.
    pub(super) fn may(&self, rung: MemoryRung, now: Mono) -> bool {
        let rests = if stops(rung) {
            self.freeze_rests
        } else {
            self.brake_rests
        };
        rests.is_none_or(|until| now >= until)
    }

    /// Lifts what `why` has a reason for.
    pub(super) fn lift(
        &mut self,
        now: Mono,
        why: impl Fn(MemoryRung, Mono) -> Option<Lifted>,
        over: &mut Vec<Lift>,
    ) {
        let braked = self.braked.map(|since| (since, MemoryRung::Brake));
        for (since, rung) in [braked, self.frozen].into_iter().flatten() {
            let Some(why) = why(rung, since) else {
                continue;
            };
            over.push(Lift {
                uid: self.uid.clone(),
                rung,
                why,
                after: now.since(since),
            });
            // Whoever waited for its turn has had it.
            if why == Lifted::Room && rung != MemoryRung::StartStorm {
                self.unset(rung);
            } else {
                self.end(rung, now);
            }
        }
    }

    fn unset(&mut self, rung: MemoryRung) {
        if stops(rung) {
            self.frozen = None;
        } else {
            self.braked = None;
        }
    }

    /// It is over, and is not done again for a while.
    pub(super) fn end(&mut self, rung: MemoryRung, now: Mono) {
        self.unset(rung);
        if stops(rung) {
            self.freeze_rests = Some(now + FREEZE_RESTS);
        } else {
            self.brake_rests = Some(now + BRAKE_RESTS);
        }
    }
}
