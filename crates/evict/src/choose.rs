//! Which pod is evicted.

use evictd_node::{Mono, Signal};
use evictd_rank::Candidate;

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
