//! What the machine knows: to be shown, to wait for, to be said of an eviction, and to be
//! taken along.

use alloc::string::{String, ToString};
use core::time::Duration;

use evictd_condition::Pressure;
use evictd_node::{Condition, ConditionSet, Layout, Mono, Policy, Readings, Signal};
use evictd_rank::{Candidate, awaits_stallers};
use evictd_threshold::Threshold;

use crate::disk_relief::others;
use crate::elsewhere::Plenty;
use crate::stage::Stage;
use crate::watched::Thresholds;
use crate::{
    Cause, Evict, EvictState, Eviction, Message, Met, NodeReclaim, Returns, Step, limits, message,
};

impl Evict {
    /// The switches between evictd and the kubelet.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.config.policy
    }

    /// The thresholds that are watched: as configured, then the derived ones.
    #[must_use]
    pub fn thresholds(&self) -> Thresholds<'_> {
        Thresholds(self.watch.thresholds.iter())
    }

    /// The threshold with that index in [`Evict::thresholds`].
    #[must_use]
    pub fn threshold(&self, index: usize) -> Option<&Threshold> {
        self.watch.get(index)
    }

    /// The conditions that are to be reported.
    #[must_use]
    pub fn conditions(&self) -> ConditionSet {
        self.watch.conditions
    }

    /// How much longer a condition is reported if no threshold of it is met again; `None` of
    /// one that is not.
    #[must_use]
    pub fn reported_for(&self, condition: Condition, now: Mono) -> Option<Duration> {
        let last = self.watch.pressure.last_observed(condition)?;
        let end = last + self.config.transition_period;
        self.conditions().has(condition).then(|| end.since(now))
    }

    /// When each condition was last observed.
    #[must_use]
    pub const fn pressure(&self) -> &Pressure {
        &self.watch.pressure
    }

    /// How the filesystems lay when it was last known.
    #[must_use]
    pub const fn observed_layout(&self) -> Option<Layout> {
        self.watch.layout
    }

    /// The thresholds that are met, whether their grace period is over or not.
    pub fn met(&self) -> impl Iterator<Item = Met<'_>> {
        self.watch.met_thresholds()
    }

    /// The thresholds that are met and whose grace period is over.
    pub fn due(&self) -> impl Iterator<Item = &Threshold> {
        let due = self
            .watch
            .thresholds
            .iter()
            .filter(|watched| watched.is_due);
        due.map(|watched| &watched.threshold)
    }

    /// The threshold that the last step acts on: the resource of the node event
    /// `Attempting to reclaim`.
    #[must_use]
    pub fn acting_on(&self) -> Option<&Threshold> {
        self.watch.get(self.acting_on?)
    }

    /// Whether a step of relief is taken for the threshold that is acted on.
    #[must_use]
    pub const fn is_relieving(&self) -> bool {
        matches!(self.stage, Stage::Relieving { .. })
    }

    /// What the kubelet would call to reclaim, until the first step of a relief is taken.
    #[must_use]
    pub fn begins_to_relieve(&self) -> Option<&'static [NodeReclaim]> {
        self.relief.is_to_begin()
    }

    /// Ends the rest of steps that gave nothing back: a container runtime answers again.
    pub const fn try_relief_again(&mut self) {
        self.relief.try_again();
    }

    /// The signal that a step frees for, and how much of it has to be available for that, in the
    /// signal's unit. A step for hard thresholds of bytes serves no other threshold, even while
    /// both are met. `None` where the step is not needed, or the signal was not read.
    #[must_use]
    pub fn target(&self, step: Step, readings: &Readings) -> Option<(Signal, i64)> {
        let is_for = |threshold: &Threshold| match step {
            Step::Reclaim(_) => true,
            Step::Relief(step) => others(threshold).contains(&step),
        };
        let signal = self.acting_on()?.signal;
        let capacity = readings.get(signal)?.capacity;
        let same = self.due().filter(|of| of.signal == signal && is_for(of));
        let wanted = same.map(|threshold| threshold.clear_at(capacity).value());
        Some((signal, wanted.max()?))
    }

    /// When to step again at the latest, beside the regular interval: a grace
    /// period ends, a condition is left, or the wait for a clean-up is over.
    #[must_use]
    pub fn next_deadline(&self, now: Mono) -> Option<Mono> {
        let cleaning = self.clean_up.map(|clean_up| clean_up.until);
        let watch = self.watch.next_deadline(now, self.config.transition_period);
        cleaning.into_iter().chain(watch).min()
    }

    /// Whether an evicted pod is still on its way out.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self.stage, Stage::Killing { .. }) || self.clean_up.is_some()
    }

    /// Takes over how the filesystems lie where nothing else could be read, so
    /// that the round is left out. What was read before chooses no pod any more.
    pub fn take_layout(&mut self, layout: Option<Layout>) {
        if !self.config.policy.stats_may_predate_last_eviction {
            self.watch.nothing_is_fresh();
        }
        self.watch.lay_out(layout, &self.config.policy);
    }

    /// Time has passed in which nothing was observed, though it should have been: the
    /// machine or this process stood still. Grace periods go on; but what was measured
    /// before `now` lets no threshold act. Time that was lost counts from four seconds before:
    /// a machine that thrashes makes its guard late, too.
    pub const fn trust_only_from(&mut self, now: Mono) {
        self.watch.trusted_from = now;
    }

    /// What is to outlive a restart or a reload.
    #[must_use]
    pub fn state(&self) -> EvictState {
        self.watch.state()
    }

    /// Takes over what a former machine knew, before the first step.
    ///
    /// Conditions are held on, for the rest of the transition period. The grace
    /// period of a soft threshold runs on if the first observation shows it met;
    /// but that observation never acts, however long ago the grace is over: it
    /// takes a further, newer one (failure F17). Thresholds that
    /// are not configured any more are forgotten, and so is all of
    /// [`EvictState::first_met`] that a first observation does not confirm.
    pub fn restore(&mut self, now: Mono, state: &EvictState) {
        self.watch.lay_out(state.layout, &self.config.policy);
        self.watch.restore(now, state);
    }

    /// The pods that were evicted of late.
    #[must_use]
    pub const fn returns(&self) -> &Returns {
        &self.returns
    }

    /// Takes over which pods a former machine has evicted of late. Before the first step.
    pub fn restore_returns(&mut self, returns: Returns) {
        self.returns = returns;
    }

    /// Notes what there is, and what the pods hold of it, while no threshold of memory is
    /// met. Their numbers are to be exact, no bounds. Ten minutes later it is forgotten:
    /// note it again then.
    pub fn note_plenty(&mut self, now: Mono, readings: &Readings, pods: &[Candidate]) {
        self.plenty = Plenty::new(now, readings, pods).or(self.plenty);
    }

    /// Notes what the pods that are left hold, of which the numbers are exact by now, while
    /// a kill is in flight. Its pod was chosen by bounds of some: against
    /// these nobody could tell later that another pod took what it gave back.
    pub fn note_others(&mut self, pods: &[Candidate]) {
        let Some(signal) = self.acting_on().map(|threshold| threshold.signal) else {
            return;
        };
        let is_victim = |pod: &Candidate| pod.pod.metadata.uid == self.victim.uid;
        let victim = pods.iter().position(is_victim).unwrap_or(pods.len());
        let others = self.judge().held_by_others(signal, pods, victim);
        if let Stage::Killing {
            last: Some(last), ..
        } = &mut self.stage
        {
            last.others = others;
        }
    }

    /// Whether [`Evict::note_plenty`] was called of late.
    #[must_use]
    pub const fn knows_plenty(&self) -> bool {
        self.plenty.is_some()
    }

    /// Whether the pod was chosen though it is not known of all pods what they take from the
    /// others ([`rank::awaits_stallers`](evictd_rank::awaits_stallers)).
    #[must_use]
    pub fn awaits_stallers(&self, eviction: &Eviction, pods: &[Candidate]) -> bool {
        let Cause::Threshold { place, .. } = &eviction.cause else {
            return false;
        };
        let layout = self.watch.layout_or_one();
        awaits_stallers(place.signal, layout, pods, &self.config.policy)
    }

    /// How many bytes a pod is above the limit of disk that it is evicted for, if it is for one
    /// that its logs count for: these may be relieved first.
    #[must_use]
    pub fn above_limit(&self, eviction: &Eviction, candidate: &Candidate) -> Option<u64> {
        if !matches!(eviction.cause, Cause::PodLimit | Cause::ContainerLimit) {
            return None;
        }
        let policy = &self.config.policy;
        limits::exceeded(candidate, self.watch.layout_or_one(), policy)?.above()
    }

    /// What is said of an eviction that this machine has just planned, of the pod that
    /// stood at [`Eviction::candidate`]. Ask before the next step, which takes in other
    /// numbers.
    #[must_use]
    pub fn message(&self, eviction: &Eviction, candidate: &Candidate) -> Message {
        if let Cause::Threshold {
            threshold, place, ..
        } = &eviction.cause
        {
            let policy = &self.config.policy;
            return message::of(place.signal, candidate, &self.watch, *threshold, policy);
        }
        let limit = limits::exceeded(candidate, self.watch.layout_or_one(), &self.config.policy);
        Message {
            text: limit.map_or_else(String::new, |limit| limit.to_string()),
            annotations: None,
        }
    }
}
