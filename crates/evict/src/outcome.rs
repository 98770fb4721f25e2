//! What follows when a plan was carried out: one method for each outcome that goes on.

use evictd_node::Mono;
use evictd_rank::Candidate;

use crate::evict::Victim;
use crate::evidence::Last;
use crate::stage::{CleanUp, Proposal, Stage};
use crate::{Evict, Plan, Relieved};

impl Evict {
    /// It was told that no pod is evicted for a threshold: another may act.
    pub(crate) fn told(&mut self, now: Mono) -> Plan {
        if self.config.policy.evicts_without_evidence {
            return Plan::Rest; // the kubelet's round is over
        }
        // The pods were read for the other threshold: by bounds of what this one counts.
        self.act(now, None)
    }

    /// A step of relief was taken: the next one, or nothing where that was enough, or a pod.
    pub(crate) fn relieved(&mut self, now: Mono, threshold: usize, step: Relieved<'_>) -> Plan {
        self.skipped.try_again(now); // a step may take a minute
        let policy = &self.config.policy;
        let again = step.again.map(|again| self.watch.trusted(again, policy));
        let signal = self.watch.get(threshold).map(|of| of.signal);
        let left = again.zip(signal).and_then(|(again, of)| again.get(of));
        if left.is_none() && !policy.evicts_without_evidence {
            self.relief.forget();
            self.watch.nothing_is_fresh();
            return Plan::Rest;
        }
        let mut is_enough = false;
        if let Some(again) = &again {
            self.evidence.note(again, self.watch.layout_or_one());
            self.watch.latest = *again;
            is_enough = self.watch.is_reclaimed(threshold, again, policy);
        }
        let next = self.relief.go_on(step.gave);
        if let Some(next) = next.filter(|_| !is_enough || policy.reclaim_makes_every_call) {
            self.stage = Stage::Relieving { threshold };
            return Plan::Relieve(next);
        }
        let wanted = self.steps(threshold);
        let took_all = self
            .relief
            .end(now, wanted, !policy.reclaim_makes_every_call);
        if let Some(again) = &again {
            let policy = &self.config.policy;
            self.watch.skip_what_is_over(again, policy);
            if is_enough || self.watch.is_another_left(threshold, again, policy) {
                return Plan::Rest;
            }
        }
        // Rounds went on meanwhile: what is short by now may have other steps.
        if took_all {
            self.choose(now, threshold, None)
        } else {
            self.relieve_or_choose(now, threshold, None)
        }
    }

    /// The proposed pod was sent SIGTERM or SIGKILL: from now on it counts as evicted.
    pub(crate) fn begun(
        &mut self,
        now: Mono,
        proposal: Proposal,
        pods: Option<&[Candidate]>,
    ) -> Plan {
        let last = proposal.place.as_ref().and_then(|place| {
            let pods = pods.unwrap_or_default();
            let others = self
                .judge()
                .held_by_others(place.signal, pods, place.candidate);
            let (latest, layout) = (&self.watch.latest, self.watch.layout_or_one());
            Last::new(now, place, others, latest, layout)
        });
        self.stage = Stage::Killing {
            threshold: proposal.threshold,
            graceful: proposal.graceful,
            last,
        };
        Plan::Rest
    }

    pub(crate) fn killed(
        &mut self,
        now: Mono,
        (threshold, last): (Option<usize>, Option<Last>),
        pods: Option<&[Candidate]>,
    ) -> Plan {
        if let Some(last) = last {
            self.evidence.add(last);
        }
        self.relief.try_again();
        // What waits for no clean-up waits for a reading from now on all the same.
        self.watch.settled_at = Some(now);
        if !self.config.policy.stats_may_predate_last_eviction {
            self.watch.nothing_is_fresh();
        }
        let signal = self.signal(threshold);
        let Victim {
            namespace, name, ..
        } = &self.victim;
        self.returns.note(now, namespace, name, signal);
        self.end_round(now, pods)
    }

    pub(crate) fn end_round(&mut self, now: Mono, pods: Option<&[Candidate]>) -> Plan {
        self.skipped.has_tried(&self.victim.uid);
        self.clean_up = None; // it was of the pod before
        if self.victim.resource.is_none()
            && let Some(plan) = self.offender(pods)
        {
            return plan;
        }
        self.clean_up = Some(CleanUp {
            until: now + self.config.cleanup_wait,
            resource: self.victim.resource,
        });
        Plan::Rest
    }

    pub(crate) fn kill_failed(
        &mut self,
        now: Mono,
        threshold: Option<usize>,
        pods: Option<&[Candidate]>,
    ) -> Plan {
        if self.config.policy.failed_kill_ends_round {
            return self.end_round(now, pods);
        }
        self.skipped.try_again(now);
        let until = now + self.config.stuck_wait;
        self.skipped.is_stuck_until(&self.victim.uid, until);
        self.skipped.has_tried(&self.victim.uid);
        let is_fresh = |index: usize| {
            let mut watched = self.watch.thresholds.get(index).into_iter();
            watched.any(|watched| watched.is_fresh)
        };
        match threshold {
            // The killing may have taken long: only a threshold that is still met counts.
            Some(threshold) if is_fresh(threshold) => self.choose(now, threshold, pods),
            Some(_) => Plan::Rest,
            None => self.offender(pods).unwrap_or_else(|| self.act(now, pods)),
        }
    }

    /// The pod that was just proposed would be gone by now: a dry run goes on as if it were.
    pub(crate) fn pretended(
        &mut self,
        now: Mono,
        proposal: &Proposal,
        pods: Option<&[Candidate]>,
    ) -> Plan {
        let place = proposal.place.as_ref();
        let frees = place.and_then(|place| place.used);
        let signal = place.map(|place| place.signal);
        let rehearsal = &mut self.skipped.rehearsal;
        rehearsal.add(&self.victim.uid, signal, frees.unwrap_or(0));
        match proposal.threshold {
            Some(index) => self.choose(now, index, pods),
            // As after a pod that was really evicted for its limit.
            None => self.offender(pods).unwrap_or(Plan::Rest),
        }
    }
}
