//! Which pod goes first, and which numbers that hangs on.

use evictd_node::{Signal, Usage};
use evictd_rank::{Candidate, Place, first};

use crate::Evict;
use crate::evict::Stage;

impl Evict {
    /// Whether the pods that are asked for now are ranked by memory, so that an upper
    /// bound of what each uses may stand for the number itself, until
    /// [`Evict::to_read_exactly`] asks for it.
    ///
    /// Not where pods without stats go before all others: a bound would hide that
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
        let signal = self.pending().map(|(signal, _)| signal);
        !limits_count
            && !self.config.policy.missing_stats_rank_first
            && signal.is_some_and(|signal| signal.usage() == Usage::Memory)
    }

    /// The pod whose memory has to be read before the next outcome is handed in;
    /// `None` when no bound can change any more who would be taken, or whom it would be
    /// taken after. Ask again after each reading.
    ///
    /// `is_exact` says of which pods, by their index, the number is no mere bound. What
    /// a pod uses is never above its bound, and using less never makes a pod go sooner:
    /// so whoever comes first by the bounds, and does by the number, comes first.
    #[must_use]
    pub fn to_read_exactly(
        &self,
        pods: &[Candidate<'_>],
        is_exact: &dyn Fn(usize) -> bool,
    ) -> Option<usize> {
        let (signal, failed) = self.pending()?;
        if signal.usage() != Usage::Memory {
            return None;
        }
        let wanted =
            |index: usize, pod: &Candidate<'_>| !is_exact(index) || self.may_go(pod, failed);
        let policy = &self.config.policy;
        let (_, place) = first(signal, self.layout(), pods, policy, wanted)?;
        (!is_exact(place.candidate)).then_some(place.candidate)
    }

    /// The signal that the next pod would be chosen for, and who would be out of the
    /// question then beside those who are already.
    fn pending(&self) -> Option<(Signal, Option<&str>)> {
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
        Some((threshold.signal, failed))
    }

    /// The first in the order that may go, its place, and how many stand before it.
    pub(crate) fn first<'a, 'b>(
        &self,
        signal: Signal,
        pods: &'b [Candidate<'a>],
    ) -> Option<(usize, Place, &'b Candidate<'a>)> {
        let may_go = |_: usize, pod: &Candidate<'_>| self.may_go(pod, None);
        let policy = &self.config.policy;
        let (before, place) = first(signal, self.layout(), pods, policy, may_go)?;
        let candidate = pods.get(place.candidate)?;
        Some((before, place, candidate))
    }

    fn may_go(&self, candidate: &Candidate<'_>, failed: Option<&str>) -> bool {
        let uid = candidate.pod.metadata.uid.as_str();
        !candidate.pod.is_critical() && !self.is_excluded(uid) && failed != Some(uid)
    }
}
