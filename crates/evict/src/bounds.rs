//! Which pods have to be read exactly before one is chosen by what they use of memory.
//!
//! To read each exactly takes a file each, while memory is short. So the caller lists upper bounds,
//! reads those exactly that it is asked for, and asks again. That stands beside the rules, as only
//! they can tell which number still matters; the rules themselves see numbers alone.

use evictd_node::{Mono, Usage};
use evictd_rank::{Candidate, first};

use crate::Evict;
use crate::evidence::Need;
use crate::stage::{Proposal, Stage};

impl Evict {
    /// Whether the pods that are asked for now are ranked by memory, so that an upper
    /// bound of what each uses may stand for the number itself, until
    /// [`Evict::to_read_exactly`] asks for it.
    ///
    /// Not where pods without stats are evicted before all others: a bound would hide that
    /// they have none. Nor where pods are looked at for their own limits, too.
    #[must_use]
    pub fn takes_bounds(&self) -> bool {
        let limits_count = match &self.stage {
            Stage::Killing { threshold, .. } => threshold.is_none(),
            Stage::Proposed(proposal) => proposal.threshold.is_none(),
            Stage::Idle | Stage::ReadingPods { .. } | Stage::Relieving { .. } | Stage::Telling => {
                false
            }
        };
        let signal = self.pending().map(|(need, _)| need.signal);
        !limits_count
            && !self.config.policy.missing_stats_rank_first
            && signal.is_some_and(|signal| signal.usage() == Usage::Memory)
    }

    /// The pod whose memory has to be read before the next outcome is handed in;
    /// `None` when no bound can change any more which pod is chosen, or which ones it is
    /// ranked after. Call it again after each reading, with the time of that outcome.
    ///
    /// `is_exact` says of which pods, by their index, the number is exact and no bound. What
    /// a pod uses is never above its bound, and using less never ranks a pod higher:
    /// so the pod that comes first by the bounds, and does by its number, comes first.
    #[must_use]
    pub fn to_read_exactly(
        &mut self,
        now: Mono,
        pods: &[Candidate],
        is_exact: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        // Who may be chosen again by the time of the outcome counts already.
        self.skipped.try_again(now);
        let (need, failed) = self.pending()?;
        let signal = need.signal;
        if signal.usage() != Usage::Memory {
            return None;
        }
        let judge = self.judge();
        if judge.awaits_evidence(signal) {
            // What all of them hold together says whether the last eviction has helped.
            return (0..pods.len()).find(|index| !is_exact(*index));
        }
        let wanted = |index: usize, pod: &Candidate| {
            !is_exact(index) || judge.may_be_evicted(pod, failed) && judge.is_worth_it(&need, pod)
        };
        let policy = &self.config.policy;
        let (_, place) = first(signal, self.watch.layout_or_one(), pods, policy, wanted)?;
        if !is_exact(place.candidate) {
            return Some(place.candidate);
        }
        // Which pod is first is known now. Whether it is evicted also depends on what all
        // hold together, and on whether another exceeds its request.
        if policy.evicts_without_evidence {
            return None;
        }
        let may = |pod: &Candidate| judge.may_be_evicted(pod, failed);
        let counts = |at: usize| is_exact(at) && pods.get(at).is_some_and(may);
        let is_sure = judge.is_within_reach(&need, pods, counts);
        if is_sure && place.exceeds {
            return None;
        }
        let matters = |at: usize, pod: &Candidate| {
            !is_exact(at) && may(pod) && (!is_sure || judge.place(signal, pod).exceeds)
        };
        let (_, other) = first(signal, self.watch.layout_or_one(), pods, policy, matters)?;
        Some(other.candidate)
    }

    /// What the next pod would be chosen for, and the pod that would be passed
    /// over then beside those that are already.
    fn pending(&self) -> Option<(Need, Option<&str>)> {
        let (threshold, failed) = match &self.stage {
            Stage::ReadingPods { threshold } => (Some(*threshold), None),
            Stage::Killing { threshold, .. } | Stage::Proposed(Proposal { threshold, .. }) => {
                let next = threshold.or_else(|| self.watch.first_to_act());
                (next, Some(self.victim.uid.as_str()))
            }
            Stage::Idle | Stage::Relieving { .. } | Stage::Telling => (None, None),
        };
        let threshold = self.watch.get(threshold?)?;
        Some((self.judge().need(threshold), failed))
    }
}
