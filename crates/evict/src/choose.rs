//! Which pod is evicted, and which numbers that depends on.

use evictd_node::{Mono, Signal, Usage};
use evictd_rank::{Candidate, Place, first};
use evictd_threshold::Threshold;

use crate::evict::Stage;
use crate::evidence::Need;
use crate::observe::Watch;
use crate::set::ThresholdSet;
use crate::{Cause, Evict, Eviction, Plan, Spared, limits};

/// The kubelet's grace for local storage limits, kept as it is (decision D36).
const LIMIT_GRACE_SECONDS: i64 = 1;

/// What a pod without a termination grace period gets when its own counts.
const DEFAULT_POD_GRACE_SECONDS: i64 = 30;

impl Evict {
    /// The next pod above one of its own limits, if limits are enforced.
    pub(crate) fn offender(&mut self, pods: Option<&[Candidate<'_>]>) -> Option<Plan> {
        if !self.config.local_storage_isolation {
            return None;
        }
        if let Some(pods) = pods {
            self.forget_the_gone(pods);
        }
        if self.rehearsal.is_full() {
            return None;
        }
        let layout = self.layout();
        let (index, candidate, cause) =
            pods?.iter().enumerate().find_map(|(index, candidate)| {
                let uid = candidate.pod.metadata.uid.as_str();
                if self.is_excluded(uid) {
                    return None;
                }
                let exceeded = limits::exceeded(candidate, layout, &self.config.policy)?;
                Some((index, candidate, exceeded.cause()))
            })?;
        self.begin_killing(candidate, None, true);
        Some(Plan::Evict(Eviction {
            candidate: index,
            cause,
            grace_seconds: LIMIT_GRACE_SECONDS,
        }))
    }

    fn begin_killing(&mut self, pod: &Candidate<'_>, threshold: Option<usize>, graceful: bool) {
        let of = &pod.pod.metadata;
        let (namespace, name) = &mut self.victim_name;
        for (kept, text) in [
            (&mut self.victim, &of.uid),
            (namespace, &of.namespace),
            (name, &of.name),
        ] {
            kept.clear();
            kept.push_str(text);
        }
        self.stage = Stage::Killing {
            threshold,
            graceful,
        };
    }

    /// Ranks the pods and takes the first that may be evicted.
    pub(crate) fn choose(
        &mut self,
        now: Mono,
        index: usize,
        pods: Option<&[Candidate<'_>]>,
    ) -> Plan {
        if let Some(pods) = pods {
            self.forget_the_gone(pods);
        }
        let Some(threshold) = self.watch.thresholds.get(index) else {
            return Plan::Rest;
        };
        let signal = threshold.signal;
        if self.awaits_evidence(signal) {
            return self.pass(signal, Spared::FreedNothing);
        }
        let Some(pods) = pods else {
            self.stage = Stage::ReadingPods { threshold: index };
            return Plan::ReadPods;
        };
        if self.is_rehearsed(index) {
            self.watch.passed.insert(index);
            return self.act(now, Some(pods));
        }
        if self.rehearsal.is_full() {
            return self.pass(signal, Spared::RehearsedMost);
        }
        let need = self.need(threshold);
        let Some((passed_over, place, candidate)) = self.first(&need, signal, pods) else {
            let why = self.spares_all(&need, pods);
            return self.pass(signal, why);
        };
        if let Some(why) = self.spares(now, &need, &place, pods) {
            return self.pass(signal, why);
        }
        let grace_seconds = self.grace(threshold, candidate);
        self.evidence.begin(now, &place, &self.watch.latest);
        self.begin_killing(candidate, Some(index), grace_seconds != 0);
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
    fn pass(&mut self, signal: Signal, why: Spared) -> Plan {
        let Watch {
            thresholds, passed, ..
        } = &mut self.watch;
        let same = thresholds.iter().enumerate();
        same.filter(|(_, threshold)| threshold.signal == signal)
            .for_each(|(index, _)| passed.insert(index));
        if self.config.policy.evicts_without_evidence {
            *passed = ThresholdSet::default(); // the round is over
        }
        Plan::NoCandidate(signal, why)
    }

    /// How long the pod may take to end by itself: for a soft threshold the lesser
    /// of its own grace and the maximum (acceptance rows 68 and 69).
    fn grace(&self, threshold: &Threshold, candidate: &Candidate<'_>) -> i64 {
        let policy = &self.config.policy;
        if threshold.is_hard() {
            return policy.hard_grace_seconds;
        }
        let most = self.config.max_pod_grace_seconds;
        let own = candidate.pod.spec.termination_grace_period_seconds;
        if most < 0 && !policy.negative_max_grace_is_literal {
            return own.unwrap_or(DEFAULT_POD_GRACE_SECONDS);
        }
        own.map_or(most, |own| own.min(most))
    }

    /// Whether the pods that are asked for now are ranked by memory, so that an upper
    /// bound of what each uses may stand for the number itself, until
    /// [`Evict::to_read_exactly`] asks for it.
    ///
    /// Not where pods without stats are evicted before all others: a bound would hide that
    /// they have none. Nor where pods are looked at for their own limits, too.
    #[must_use]
    pub fn takes_bounds(&self) -> bool {
        let limits_count = matches!(
            self.stage,
            Stage::Killing {
                threshold: None,
                ..
            }
        );
        let signal = self.pending().map(|(need, _)| need.signal);
        !limits_count
            && !self.config.policy.missing_stats_rank_first
            && signal.is_some_and(|signal| signal.usage() == Usage::Memory)
    }

    /// The pod whose memory has to be read before the next outcome is handed in;
    /// `None` when no bound can change any more which pod is chosen, or which ones it is
    /// ranked after. Call it again after each reading.
    ///
    /// `is_exact` says of which pods, by their index, the number is exact and no bound. What
    /// a pod uses is never above its bound, and using less never ranks a pod higher:
    /// so the pod that comes first by the bounds, and does by its number, comes first.
    #[must_use]
    pub fn to_read_exactly(
        &self,
        pods: &[Candidate<'_>],
        is_exact: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let (need, failed) = self.pending()?;
        let signal = need.signal;
        if signal.usage() != Usage::Memory {
            return None;
        }
        let wanted = |index: usize, pod: &Candidate<'_>| {
            !is_exact(index) || self.may_be_evicted(pod, failed) && self.is_worth_it(&need, pod)
        };
        let policy = &self.config.policy;
        let (_, place) = first(signal, self.layout(), pods, policy, wanted)?;
        if !is_exact(place.candidate) {
            return Some(place.candidate);
        }
        // Which pod is first is known now. Whether it is evicted also depends on what all
        // hold together, and on whether another exceeds its request.
        if policy.evicts_without_evidence {
            return None;
        }
        let may = |pod: &Candidate<'_>| self.may_be_evicted(pod, failed);
        let counts = |at: usize| is_exact(at) && pods.get(at).is_some_and(may);
        let is_sure = self.is_within_reach(&need, pods, counts);
        if is_sure && place.exceeds {
            return None;
        }
        let matters = |at: usize, pod: &Candidate<'_>| {
            !is_exact(at) && may(pod) && (!is_sure || self.place(signal, pod).exceeds)
        };
        let (_, other) = first(signal, self.layout(), pods, policy, matters)?;
        Some(other.candidate)
    }

    /// What the next pod would be chosen for, and the pod that would be passed
    /// over then beside those that are already.
    fn pending(&self) -> Option<(Need, Option<&str>)> {
        let (threshold, failed) = match &self.stage {
            Stage::ReadingPods { threshold } | Stage::Reclaiming { threshold } => {
                (Some(*threshold), None)
            }
            Stage::Killing { threshold, .. } => {
                let next = threshold.or_else(|| self.watch.first_to_act());
                (next, Some(self.victim.as_str()))
            }
            Stage::Idle | Stage::CleaningUp { .. } => (None, None),
        };
        let threshold = self.watch.thresholds.get(threshold?)?;
        Some((self.need(threshold), failed))
    }

    /// The first in the order that may be evicted, its place, and how many stand before it.
    pub(crate) fn first<'a, 'b>(
        &self,
        need: &Need,
        signal: Signal,
        pods: &'b [Candidate<'a>],
    ) -> Option<(usize, Place, &'b Candidate<'a>)> {
        let may_be_evicted = |_: usize, pod: &Candidate<'_>| {
            self.may_be_evicted(pod, None) && self.is_worth_it(need, pod)
        };
        let policy = &self.config.policy;
        let (before, place) = first(signal, self.layout(), pods, policy, may_be_evicted)?;
        let candidate = pods.get(place.candidate)?;
        Some((before, place, candidate))
    }

    pub(crate) fn may_be_evicted(&self, candidate: &Candidate<'_>, failed: Option<&str>) -> bool {
        let uid = candidate.pod.metadata.uid.as_str();
        !candidate.pod.is_critical() && !self.is_excluded(uid) && failed != Some(uid)
    }

    pub(crate) fn is_excluded(&self, uid: &str) -> bool {
        self.tried.iter().any(|tried| tried == uid)
            || self.stuck.iter().any(|(stuck, _)| stuck == uid)
            || self.rehearsal.has(uid)
    }
}
