//! Which pod is evicted, and which numbers that depends on.

use evictd_node::{Mono, Signal, Usage};
use evictd_rank::{Candidate, first};

use crate::evidence::Need;
use crate::stage::{Proposal, Stage};
use crate::worth::Judge;
use crate::{Cause, Evict, Eviction, NoPod, Plan, limits};

/// The kubelet's grace for local storage limits, kept as it is (decision D36).
const LIMIT_GRACE_SECONDS: i64 = 1;

impl Evict {
    /// The next pod above one of its own limits, if limits are enforced.
    pub(crate) fn offender(&mut self, pods: Option<&[Candidate]>) -> Option<Plan> {
        if !self.config.local_storage_isolation {
            return None;
        }
        if let Some(pods) = pods {
            self.skipped.rehearsal.forget_the_gone(pods);
        }
        if self.skipped.rehearsal.is_full() {
            return None;
        }
        let layout = self.watch.layout_or_one();
        let (index, candidate, cause) =
            pods?.iter().enumerate().find_map(|(index, candidate)| {
                let uid = candidate.pod.metadata.uid.as_str();
                if self.skipped.has(uid) {
                    return None;
                }
                let exceeded = limits::exceeded(candidate, layout, &self.config.policy)?;
                Some((index, candidate, exceeded.cause()))
            })?;
        self.victim.set(candidate, None);
        self.stage = Stage::Proposed(Proposal {
            threshold: None,
            graceful: true,
            place: None,
        });
        Some(Plan::Evict(Eviction {
            candidate: index,
            cause,
            grace_seconds: LIMIT_GRACE_SECONDS,
        }))
    }

    /// Ranks the pods and takes the first that may be evicted.
    pub(crate) fn choose(&mut self, now: Mono, index: usize, pods: Option<&[Candidate]>) -> Plan {
        if let Some(pods) = pods {
            self.skipped.rehearsal.forget_the_gone(pods);
        }
        let Some(threshold) = self.watch.get(index) else {
            return Plan::Rest;
        };
        let signal = threshold.signal;
        let Some(pods) = pods else {
            self.stage = Stage::ReadingPods { threshold: index };
            return Plan::ReadPods;
        };
        self.chosen_for = Some(index);
        if self.judge().awaits_evidence(signal) {
            let held = self.judge().held(signal, pods);
            let layout = self.watch.layout_or_one();
            self.evidence.note_held(signal, layout, held);
        }
        let awaits_evidence = self.judge().awaits_evidence(signal);
        if !awaits_evidence && self.judge().is_rehearsed(index) {
            if let Some(watched) = self.watch.thresholds.get_mut(index) {
                watched.is_skipped = true;
            }
            return self.act(now, Some(pods));
        }
        let judge = self.judge();
        let Some(threshold) = self.watch.get(index) else {
            return Plan::Rest;
        };
        let need = judge.need(threshold);
        let (passed_over, place, candidate) = match judge.decide(now, &need, pods) {
            Ok(next) => next,
            Err(why) => return self.no_pod(signal, why),
        };
        let grace_seconds = judge.grace(threshold, candidate);
        self.victim.set(candidate, Some(signal.resource()));
        self.stage = Stage::Proposed(Proposal {
            threshold: Some(index),
            graceful: grace_seconds != 0,
            place: Some(place.clone()),
        });
        Plan::Evict(Eviction {
            candidate: place.candidate,
            cause: Cause::Threshold {
                threshold: index,
                place,
                passed_over,
            },
            grace_seconds,
        })
    }

    /// No pod is evicted for the signal in this round.
    fn no_pod(&mut self, signal: Signal, why: NoPod) -> Plan {
        self.watch.skip(|threshold| threshold.signal == signal);
        self.stage = Stage::Telling;
        Plan::NoCandidate(signal, why)
    }

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
            Stage::Idle | Stage::ReadingPods { .. } | Stage::Reclaiming { .. } | Stage::Telling => {
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
            Stage::ReadingPods { threshold } | Stage::Reclaiming { threshold } => {
                (Some(*threshold), None)
            }
            Stage::Killing { threshold, .. } | Stage::Proposed(Proposal { threshold, .. }) => {
                let next = threshold.or_else(|| self.watch.first_to_act());
                (next, Some(self.victim.uid.as_str()))
            }
            Stage::Idle | Stage::Telling => (None, None),
        };
        let threshold = self.watch.get(threshold?)?;
        Some((self.judge().need(threshold), failed))
    }

    /// All that pods are judged by.
    pub(crate) const fn judge(&self) -> Judge<'_> {
        Judge {
            config: &self.config,
            watch: &self.watch,
            evidence: &self.evidence,
            plenty: self.plenty,
            skipped: &self.skipped,
        }
    }
}
