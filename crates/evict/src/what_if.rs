//! Who would be evicted if a threshold were met.

use alloc::vec::Vec;

use evictd_node::{Mono, Signal};
use evictd_rank::{Candidate, Place, first, rank};
use evictd_threshold::Threshold;

use crate::evidence::Need;
use crate::stage::Stage;
use crate::{Evict, Spared};

impl Evict {
    /// Who would be evicted for the signal, the first first: by the threshold of it that is met,
    /// or as if one had just begun to be.
    ///
    /// # Errors
    /// Why nobody would be.
    pub fn who_would_go(
        &self,
        now: Mono,
        signal: Signal,
        pods: &[Candidate],
    ) -> Result<Vec<Place>, Spared> {
        let judge = self.judge();
        let (latest, policy) = (&self.watch.latest, judge.config.policy);
        let thresholds = || self.thresholds().filter(|t| t.signal == signal);
        let is_met = |t: &&Threshold| latest.get(signal).is_some_and(|of| t.is_met(&of));
        let need = thresholds().find(is_met).map_or_else(
            || {
                Need::of_one_just_met(
                    signal,
                    thresholds().any(Threshold::is_hard),
                    latest,
                    &policy,
                )
            },
            |threshold| judge.need(threshold),
        );
        let mut places = rank(signal, self.watch.layout_or_one(), pods, &policy);
        places.retain(|place| {
            let may_be = |pod| judge.may_be_evicted(pod, None);
            pods.get(place.candidate).is_some_and(may_be) && need.is_met_by(place)
        });
        let spared = match places.first() {
            None => Some(judge.spares_all(&need, pods)),
            Some(first) => judge.spares(now, &need, first, pods),
        };
        spared.map_or(Ok(places), Err)
    }

    /// Who would be evicted in the place of the pod that is being evicted for a threshold;
    /// `None` where nobody would be.
    #[must_use]
    pub fn next_after_victim(&self, pods: &[Candidate]) -> Option<Place> {
        let Stage::Killing { threshold, .. } = &self.stage else {
            return None;
        };
        let threshold = self.watch.get((*threshold)?)?;
        let judge = self.judge();
        let need = judge.need(threshold);
        let wanted = |_: usize, pod: &Candidate| {
            judge.may_be_evicted(pod, Some(&self.victim.uid)) && judge.is_worth_it(&need, pod)
        };
        let (layout, policy) = (self.watch.layout_or_one(), &judge.config.policy);
        let (_, next) = first(threshold.signal, layout, pods, policy, wanted)?;
        Some(next)
    }
}
