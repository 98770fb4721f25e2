//! The reclaim under way: its steps, and which of them is awaited.

use core::time::Duration;

use evictd_evict::NodeReclaim;
use evictd_node::{Mono, Reading, ReliefStep};

/// A deletion is waited for as long as it frees something at least this often. The whole of it
/// may take as long as the pods chose that left the files.
const FREES_WITHIN: Duration = Duration::from_secs(10);

/// So much of a disk shows that it does.
const VISIBLE: i64 = 1000;

/// A step of a reclaim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Call(NodeReclaim),
    Climb(ReliefStep),
}

/// The kubelet's calls, and the relief steps around them.
pub(crate) type Steps = (&'static [NodeReclaim], &'static [ReliefStep]);

/// A reclaim under way: the build cache, which nothing that runs needs, then the kubelet's calls,
/// then the other relief steps, made one after the other.
pub(crate) struct Awaited {
    calls: &'static [NodeReclaim],
    rungs: &'static [ReliefStep],
    /// All of its steps.
    pub(crate) all: Steps,
    pub(crate) number: u64,
    /// How many have not answered it.
    pub(crate) answers: usize,
    /// Since when nothing was freed, and what was left then.
    pub(crate) idle: Option<(Mono, Reading)>,
    /// Whether what dead pods left was seen to, which belongs to the call for containers.
    saw_to_leftovers: bool,
    /// Whether anything was deleted at all.
    pub(crate) gave: bool,
    /// Whether steps were left out.
    pub(crate) is_cut_short: bool,
    /// What is left after a step could not be read, or memory came between: it counts as never
    /// tried.
    is_blind: bool,
}

impl Awaited {
    pub(crate) const fn new(calls: &'static [NodeReclaim], rungs: &'static [ReliefStep]) -> Self {
        Self {
            calls,
            rungs,
            all: (calls, rungs),
            number: 0,
            answers: 0,
            idle: None,
            saw_to_leftovers: false,
            gave: false,
            is_cut_short: false,
            is_blind: false,
        }
    }

    /// What is under way; `None` when all was done.
    pub(crate) fn step(&self) -> Option<Step> {
        let call = self.calls.first().map(|call| Step::Call(*call));
        let rung = self.rungs.first().copied();
        let before_calls = rung.filter(|rung| *rung == ReliefStep::BuildCache);
        let first = before_calls.map(Step::Climb).or(call);
        first.or_else(|| rung.map(Step::Climb))
    }

    /// Whether what dead pods left is to be seen to now; from then on it was.
    pub(crate) fn sees_to_leftovers(&mut self) -> bool {
        self.step() == Some(Step::Call(NodeReclaim::ContainerGc))
            && !core::mem::replace(&mut self.saw_to_leftovers, true)
    }

    /// Whether the job under way deletes what pods have left, and has freed nothing of what is
    /// short for [`FREES_WITHIN`]. It is not waited for any more then. Pods cannot prolong the
    /// deletion of images or a relief step, so those are always waited for.
    pub(crate) fn is_idle(&mut self, now: Mono, left: Reading) -> bool {
        if self.step() != Some(Step::Call(NodeReclaim::ContainerGc)) {
            return false;
        }
        let (since, then) = *self.idle.get_or_insert((now, left));
        let visible = (left.capacity / VISIBLE).max(1);
        if left.available >= then.available.saturating_add(visible) {
            self.idle = Some((now, left));
            return false;
        }
        now.since(since) >= FREES_WITHIN
    }

    /// Goes on to the next step.
    pub(crate) fn go_on(&mut self) {
        match self.step() {
            Some(Step::Call(_)) => self.calls = self.calls.get(1..).unwrap_or_default(),
            Some(Step::Climb(_)) => self.rungs = self.rungs.get(1..).unwrap_or_default(),
            None => {}
        }
    }

    /// Takes no further step now, as it cannot be told whether it is needed.
    pub(crate) const fn go_blind(&mut self) {
        self.is_blind = true;
        self.stop();
    }

    pub(crate) const fn is_blind(&self) -> bool {
        self.is_blind
    }

    /// Takes no further step.
    pub(crate) const fn stop(&mut self) {
        self.is_cut_short |= self.step_is_left();
        (self.calls, self.rungs) = (&[], &[]);
    }

    /// Whether those steps were among its own, for the same filesystem.
    pub(crate) fn has_covered(&self, (calls, rungs): Steps) -> bool {
        let (own_calls, own_rungs) = self.all;
        own_calls == calls && rungs.iter().all(|rung| own_rungs.contains(rung))
    }

    pub(crate) const fn step_is_left(&self) -> bool {
        !self.calls.is_empty() || !self.rungs.is_empty()
    }
}
