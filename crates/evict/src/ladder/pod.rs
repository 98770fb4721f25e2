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

/// What was just measured of a pod.
#[derive(Clone, Debug, Default)]
pub struct LadderPod<'a> {
    /// Its uid.
    pub uid: &'a str,
    /// Its priority.
    pub priority: i32,
    /// Whether it is critical: then nothing is done to it.
    pub is_critical: bool,
    /// Whether all its containers may be frozen (`evictd.freezable=true`).
    pub is_freezable: bool,
    /// Whether any of them asks for a signal (`evictd.pressure-signal`).
    pub listens: bool,
    /// What it uses of memory.
    pub usage_bytes: u64,
    /// How much of the time since the last look any of it waited for memory, in thousandths;
    /// `None` where the kernel does not say.
    pub waited_permille: Option<u64>,
    /// How much it read back since the last look of what was taken from it.
    pub refaulted_bytes: u64,
}

/// What is known of a pod from one look to the next.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) uid: String,
    usage: (Mono, u64),
    /// How much it gained in a second, as of the last look.
    pub(super) gained: u64,
    pub(super) told_at: Option<Mono>,
    pub(super) asked_at: Option<Mono>,
    pub(super) braked: Option<Mono>,
    pub(super) frozen: Option<Mono>,
    brake_rests: Option<Mono>,
    freeze_rests: Option<Mono>,
}

impl Held {
    pub(super) fn new(now: Mono, pod: &LadderPod<'_>) -> Self {
        Self {
            uid: pod.uid.to_owned(),
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

    pub(super) fn note(&mut self, now: Mono, pod: &LadderPod<'_>) {
        let (at, before) = core::mem::replace(&mut self.usage, (now, pod.usage_bytes));
        let millis = now.since(at).as_millis().max(1);
        let gained = u128::from(pod.usage_bytes.saturating_sub(before));
        let a_second = gained.saturating_mul(1000) / millis;
        self.gained = u64::try_from(a_second).unwrap_or(u64::MAX);
    }

    pub(super) const fn is_set(&self) -> bool {
        self.braked.is_some() || self.frozen.is_some()
    }

    /// Whether it does not rest from that.
    pub(super) fn may(&self, rung: MemoryRung, now: Mono) -> bool {
        let rests = if rung == MemoryRung::Freeze {
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
        for (rung, since) in [
            (MemoryRung::Brake, self.braked),
            (MemoryRung::Freeze, self.frozen),
        ] {
            let Some((since, why)) = since.and_then(|since| Some((since, why(rung, since)?)))
            else {
                continue;
            };
            over.push(Lift {
                uid: self.uid.clone(),
                rung,
                why,
                after: now.since(since),
            });
            if why == Lifted::Room {
                self.unset(rung);
            } else {
                self.end(rung, now);
            }
        }
    }

    fn unset(&mut self, rung: MemoryRung) {
        if rung == MemoryRung::Freeze {
            self.frozen = None;
        } else {
            self.braked = None;
        }
    }

    /// It is over, and is not done again for a while.
    pub(super) fn end(&mut self, rung: MemoryRung, now: Mono) {
        self.unset(rung);
        if rung == MemoryRung::Freeze {
            self.freeze_rests = Some(now + FREEZE_RESTS);
        } else {
            self.brake_rests = Some(now + BRAKE_RESTS);
        }
    }
}
