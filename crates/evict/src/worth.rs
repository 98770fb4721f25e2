//! Which pods may be evicted, and why none is though a threshold is met, where none would
//! help.

use evictd_node::{Layout, Mono, Resource, Signal};
use evictd_rank::{Candidate, Place, first};
use evictd_threshold::Threshold;

use crate::elsewhere::Plenty;
use crate::evidence::{Evidence, Need};
use crate::observe::Watch;
use crate::skipped::Skipped;
use crate::{Config, NoPod, Skip};

/// What a pod without a termination grace period gets when its own counts.
const DEFAULT_POD_GRACE_SECONDS: i64 = 30;

/// Judges pods by all that the machine knows.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub(crate) config: &'a Config,
    pub(crate) watch: &'a Watch,
    pub(crate) evidence: &'a Evidence,
    pub(crate) plenty: Option<Plenty>,
    pub(crate) skipped: &'a Skipped,
}

impl Judge<'_> {
    /// What an eviction for a threshold has to be worth by the latest readings.
    pub(crate) fn need(&self, threshold: &Threshold) -> Need {
        let readings = self
            .skipped
            .rehearsal
            .applied_to(&self.watch.latest, self.layout());
        Need::of(threshold, &readings, &self.config.policy)
    }

    /// Whether the last eviction for the signal is no reason for the next.
    pub(crate) fn awaits_evidence(&self, signal: Signal) -> bool {
        !self.config.policy.evicts_without_evidence
            && self.evidence.is_missing(signal, self.layout())
    }

    /// The next pod for a need, its place, and how many stand before it; or why there is none.
    /// Whatever acts, tells or shows asks here.
    pub(crate) fn decide<'a>(
        &self,
        now: Mono,
        need: &Need,
        pods: &'a [Candidate],
    ) -> Result<(usize, Place, &'a Candidate), NoPod> {
        if self.awaits_evidence(need.signal) {
            return Err(NoPod::FreedNothing);
        }
        if self.skipped.rehearsal.is_full() {
            return Err(NoPod::RehearsedMost);
        }
        let first = self.first(need, need.signal, pods);
        let (before, place, candidate) = first.ok_or_else(|| self.spares_all(need, pods))?;
        match self.spares(now, need, &place, pods) {
            Some(why) => Err(why),
            None => Ok((before, place, candidate)),
        }
    }

    /// Why a pod cannot be the next one; `None` if it can.
    pub(crate) fn skips(&self, need: &Need, place: &Place, pod: &Candidate) -> Option<Skip> {
        let worth = (!need.is_met_by(place)).then_some(Skip::NotWorthIt);
        self.skips_uid(pod).or(worth)
    }

    /// Why a pod cannot be evicted for any threshold now; `None` if it can.
    pub(crate) fn skips_uid(&self, pod: &Candidate) -> Option<Skip> {
        let uid = pod.pod.metadata.uid.as_str();
        if let Some(by) = pod.pod.protection() {
            Some(Skip::Protected(by))
        } else if self.skipped.is_stuck(uid) {
            Some(Skip::Stuck)
        } else if self.skipped.rehearsal.has(uid) {
            Some(Skip::Rehearsed)
        } else {
            self.skipped.has(uid).then_some(Skip::Tried)
        }
    }

    /// What the pods are known to hold together. A critical one is no pod here: what it takes,
    /// nobody is evicted for.
    pub(crate) fn held(&self, signal: Signal, pods: &[Candidate]) -> u64 {
        let counting = pods.iter().filter(|pod| !pod.pod.is_critical());
        let known = counting.filter_map(|pod| self.place(signal, pod).used);
        known.fold(0, u64::saturating_add)
    }

    /// What the pods but that one are known to hold; `None` where that is not known of each.
    pub(crate) fn held_by_others(
        &self,
        signal: Signal,
        pods: &[Candidate],
        without: usize,
    ) -> Option<u64> {
        let others = pods.iter().enumerate().filter(|(at, _)| *at != without);
        let mut counting = others.filter(|(_, pod)| !pod.pod.is_critical());
        counting.try_fold(0_u64, |sum, (_, pod)| {
            Some(sum.saturating_add(self.place(signal, pod).used?))
        })
    }

    /// Why the first pod in the order is not evicted after all, if it is not.
    pub(crate) fn spares(
        &self,
        now: Mono,
        need: &Need,
        first: &Place,
        pods: &[Candidate],
    ) -> Option<NoPod> {
        if self.config.policy.evicts_without_evidence {
            return None;
        }
        let knows_request = need.signal.resource() != Resource::Pids;
        let keeps_to_request = knows_request && first.used.is_some() && !first.exceeds;
        let wait = self.config.modest_wait;
        // Lost time is due to who takes more than its share, and memory is left.
        let is_of_time = need.signal.grows_with_trouble();
        if first.used.is_none() && !need.is_hard {
            Some(NoPod::NothingKnown)
        } else if !self.is_within_reach(need, pods, |_| true)
            || keeps_to_request && self.has_exceeding(need, pods)
        {
            Some(NoPod::HoldTooLittle)
        } else if keeps_to_request
            && (is_of_time
                || self
                    .evidence
                    .is_younger_than(need.signal, self.layout(), now, wait))
        {
            Some(NoPod::WithinRequests)
        } else {
            None
        }
    }

    /// Why none is worth it of those that may be evicted, if there are any.
    pub(crate) fn spares_all(&self, need: &Need, pods: &[Candidate]) -> NoPod {
        let mut left = pods
            .iter()
            .filter(|pod| self.may_be_evicted(pod, None))
            .map(|pod| self.place(need.signal, pod))
            .peekable();
        if left.peek().is_none() && !self.skipped.rehearsal.is_empty() {
            NoPod::Rehearsed
        } else if left.peek().is_none() {
            NoPod::AllSkipped
        } else if left.all(|place| place.used.is_none()) {
            NoPod::NothingKnown
        } else if need.is_chase {
            NoPod::WithinRequests
        } else {
            NoPod::HoldTooLittle
        }
    }

    /// Whether those can end the shortage whose eviction would help, all together, by the
    /// numbers of those pods that count. Where any of these is unknown, they might.
    pub(crate) fn is_within_reach(
        &self,
        need: &Need,
        pods: &[Candidate],
        counts: impl Fn(usize) -> bool,
    ) -> bool {
        let counting = pods.iter().enumerate().filter(|(at, _)| counts(*at));
        let together = counting
            .filter(|(_, pod)| self.may_be_evicted(pod, None))
            .map(|(_, pod)| self.place(need.signal, pod))
            .filter(|place| need.is_met_by(place))
            .try_fold(0_u64, |sum, place| Some(sum.saturating_add(place.used?)));
        together.is_none_or(|together| {
            let elsewhere = self.plenty.map_or(0, |then| {
                then.taken_elsewhere(&self.watch.latest, need.signal, pods, &counts)
            });
            need.is_within_reach(together, elsewhere)
        })
    }

    /// Whether any that may be evicted exceeds its request: then none that keeps to its own
    /// is evicted, even if those above hold too little.
    fn has_exceeding(&self, need: &Need, pods: &[Candidate]) -> bool {
        let mut others = pods.iter().filter(|pod| self.may_be_evicted(pod, None));
        others.any(|pod| self.place(need.signal, pod).exceeds)
    }

    /// Whether evicting the pod gives back what is short.
    pub(crate) fn is_worth_it(&self, need: &Need, pod: &Candidate) -> bool {
        need.is_met_by(&self.place(need.signal, pod))
    }

    pub(crate) fn place(&self, signal: Signal, pod: &Candidate) -> Place {
        Place::new(signal, self.layout(), &self.config.policy, 0, pod)
    }

    fn layout(&self) -> Layout {
        self.watch.layout_or_one()
    }

    /// The first in the order that may be evicted, its place, and how many stand before it.
    pub(crate) fn first<'a>(
        &self,
        need: &Need,
        signal: Signal,
        pods: &'a [Candidate],
    ) -> Option<(usize, Place, &'a Candidate)> {
        let may_be_evicted = |_: usize, pod: &Candidate| {
            self.may_be_evicted(pod, None) && self.is_worth_it(need, pod)
        };
        let policy = &self.config.policy;
        let (before, place) = first(signal, self.layout(), pods, policy, may_be_evicted)?;
        let candidate = pods.get(place.candidate)?;
        Some((before, place, candidate))
    }

    pub(crate) fn may_be_evicted(&self, candidate: &Candidate, failed: Option<&str>) -> bool {
        let uid = candidate.pod.metadata.uid.as_str();
        !candidate.pod.is_critical() && !self.skipped.has(uid) && failed != Some(uid)
    }

    /// Whether enough would be free by now for the threshold and its minimum reclaim, with
    /// what a dry run has evicted.
    pub(crate) fn is_rehearsed(&self, index: usize) -> bool {
        let Some(threshold) = self.watch.get(index) else {
            return false;
        };
        let rehearsal = &self.skipped.rehearsal;
        let reading = rehearsal
            .applied_to(&self.watch.latest, self.layout())
            .get(threshold.signal);
        !rehearsal.is_empty() && reading.is_some_and(|reading| !threshold.is_unreclaimed(&reading))
    }

    /// How long the pod may take to end by itself: for a soft threshold the lesser
    /// of its own grace and the maximum (acceptance rows 68 and 69).
    pub(crate) fn grace(&self, threshold: &Threshold, candidate: &Candidate) -> i64 {
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
}
