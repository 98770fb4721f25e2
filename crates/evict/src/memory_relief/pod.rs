//! A pod, as memory relief sees it.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::time::Duration;

use evictd_node::Mono;

use super::steps::{Lift, Lifted};

/// How long there is no brake after one, unless there was room again.
const BRAKE_RESTS: Duration = Duration::from_secs(60);

/// An unreadable pod is forgotten after this number of looks. Until then it keeps its rest, since
/// evictd may only be out of descriptors. Looks are counted and not seconds, because minutes may
/// lie between two looks.
const REMEMBERED: u32 = 10;

/// What was just measured of a pod.
#[derive(Clone, Debug, Default)]
pub struct ReliefPod<'a> {
    /// Its uid.
    pub uid: &'a str,
    /// Which cgroup it has: one that was started anew has another.
    pub cgroup: u64,
    /// Whether it is critical: then nothing is done to it.
    pub is_critical: bool,
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
    cgroup: u64,
    /// The number of looks in a row that did not find or could not read the pod.
    missed: u32,
    usage: (Mono, u64),
    /// How much it gained in a second, as of the last look.
    pub(super) gained: u64,
    pub(super) asked_at: Option<Mono>,
    pub(super) braked: Option<Mono>,
    rests: Option<Mono>,
}

impl Held {
    pub(super) fn new(now: Mono, pod: &ReliefPod<'_>) -> Self {
        Self {
            uid: pod.uid.to_owned(),
            cgroup: pod.cgroup,
            missed: 0,
            usage: (now, pod.usage_bytes),
            gained: 0,
            asked_at: None,
            braked: None,
            rests: None,
        }
    }

    /// Of a pod that was started anew nothing is known, and nothing is set.
    pub(super) fn is(&self, pod: &ReliefPod<'_>) -> bool {
        self.uid == pod.uid && self.cgroup == pod.cgroup
    }

    pub(super) fn note(&mut self, now: Mono, pod: &ReliefPod<'_>) {
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
        self.braked.is_some()
    }

    /// Whether it does not rest from a brake.
    pub(super) fn may_be_braked(&self, now: Mono) -> bool {
        self.rests.is_none_or(|until| now >= until)
    }

    /// Lifts its brake, where `why` has a reason for it.
    pub(super) fn lift(&mut self, now: Mono, why: impl Fn(Mono) -> Option<Lifted>) -> Option<Lift> {
        let since = self.braked?;
        let why = why(since)?;
        if why == Lifted::Room {
            self.braked = None;
        } else {
            self.end(now);
        }
        Some(Lift {
            uid: self.uid.clone(),
            why,
            after: now.since(since),
        })
    }

    /// Its brake is over, and there is none again for a while.
    pub(super) fn end(&mut self, now: Mono) {
        self.braked = None;
        self.rests = Some(now + BRAKE_RESTS);
    }
}
