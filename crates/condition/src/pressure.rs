use core::time::Duration;

use evictd_node::{Condition, ConditionSet, Mono, Policy};

/// When each condition was last observed.
///
/// Conditions that change often would move pods to and fro; so one is left only
/// after it was not observed for the whole transition period (acceptance row 84).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    last_observed: [Option<Mono>; Condition::ALL.len()],
}

impl Pressure {
    /// Notes the conditions that are observed now and returns which are to be
    /// reported: those observed now or less than `transition` ago, strictly.
    ///
    /// A `transition` of zero holds nothing; whether it also hides what is
    /// observed now is [`Policy::zero_transition_hides_condition`].
    pub fn observe(
        &mut self,
        now: Mono,
        observed: ConditionSet,
        transition: Duration,
        policy: &Policy,
    ) -> ConditionSet {
        let mut reported = ConditionSet::empty();
        for (condition, last) in Condition::ALL.into_iter().zip(&mut self.last_observed) {
            if observed.has(condition) {
                *last = Some(now);
                reported.set(condition.set(), !policy.zero_transition_hides_condition);
            }
            if last.is_some_and(|last| now.since(last) < transition) {
                reported.insert(condition.set());
            }
        }
        reported
    }

    /// When the condition was last observed, if ever.
    #[must_use]
    pub fn last_observed(&self, condition: Condition) -> Option<Mono> {
        self.last_observed.get(condition.index()).copied().flatten()
    }

    /// Takes over when a condition was last observed, from before a restart.
    pub fn restore(&mut self, condition: Condition, at: Mono) {
        if let Some(last) = self.last_observed.get_mut(condition.index()) {
            *last = Some(at);
        }
    }

    /// When the first of the conditions that are held without being observed is
    /// left, if none is observed again.
    #[must_use]
    pub fn next_change(&self, now: Mono, transition: Duration) -> Option<Mono> {
        self.last_observed
            .into_iter()
            .flatten()
            .map(|last| last + transition)
            .filter(|end| *end > now)
            .min()
    }
}
