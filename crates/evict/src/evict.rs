use alloc::string::String;

use evictd_condition::Pressure;
use evictd_node::{ConditionSet, Layout, Mono, Readings, Resource, Signal};
use evictd_rank::Candidate;
use evictd_threshold::Threshold;
use smallvec::SmallVec;

use crate::observe::Watch;
use crate::set::ThresholdSet;
use crate::{
    Cause, Config, Eviction, Memory, Met, NodeReclaim, Observation, Outcome, Plan,
    TooManyThresholds, limits, reclaim,
};

/// The kubelet's grace for local storage limits, kept as it is (decision D36).
const LIMIT_GRACE_SECONDS: i64 = 1;

/// What a pod without a termination grace period gets when its own counts.
const DEFAULT_POD_GRACE_SECONDS: i64 = 30;

/// Room for the uid of the pod to be killed, so that choosing it takes no memory: a
/// pod's own has 36 bytes, a cgroup's path stands for one.
const USUAL_UID: usize = 256;

/// More pods than that are hardly ever tried in a round.
const FEW: usize = 2;

/// Where the round stands between two plans.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stage {
    Idle,
    /// The pods are being read, so that one can be chosen for this threshold.
    ReadingPods {
        threshold: usize,
    },
    /// The node gives back what it can.
    Reclaiming {
        threshold: usize,
    },
    /// A pod is being killed: for a threshold, or for one of its limits.
    Killing {
        threshold: Option<usize>,
        graceful: bool,
    },
    /// A killed pod's remains are awaited, until then at most; after that nothing
    /// that was measured before may count against another.
    CleaningUp {
        until: Mono,
        /// What the pod went for; `None` for a limit of its own.
        resource: Option<Resource>,
    },
}

/// The state machine. See the [crate's own words](crate).
#[derive(Clone, Debug)]
pub struct Evict {
    pub(crate) config: Config,
    pub(crate) watch: Watch,
    pub(crate) stage: Stage,
    /// The uid of the pod that is being killed, or was last.
    pub(crate) victim: String,
    acting_on: Option<usize>,
    /// Pods that were tried in this round.
    tried: SmallVec<[String; FEW]>,
    /// Pods that could not be killed, and until when they are left alone.
    stuck: SmallVec<[(String, Mono); FEW]>,
}

impl Evict {
    /// A machine that has observed nothing yet.
    ///
    /// # Errors
    /// More thresholds than it can watch, which no configuration file can give.
    pub fn new(config: Config) -> Result<Self, TooManyThresholds> {
        const DERIVED: usize = 4;
        let (given, most) = (config.thresholds.len(), ThresholdSet::CAPACITY - DERIVED);
        if given > most {
            return Err(TooManyThresholds { given, most });
        }
        Ok(Self {
            watch: Watch::new(config.thresholds.clone()),
            config,
            stage: Stage::Idle,
            victim: String::with_capacity(USUAL_UID),
            acting_on: None,
            tried: SmallVec::new(),
            stuck: SmallVec::new(),
        })
    }

    /// Begins a round: takes in what was observed and says what to do.
    ///
    /// `pods` may be left out until a plan asks for them; without them local
    /// storage limits are not looked at in this round. Where reading the node
    /// failed, leave the round out altogether.
    ///
    /// While a pod is still being killed or cleaned up, the observation is taken
    /// in, but no other pod is chosen.
    pub fn step(
        &mut self,
        now: Mono,
        observation: &Observation<'_>,
        pods: Option<&[Candidate<'_>]>,
    ) -> Plan {
        if self.config.thresholds.is_empty() && !self.config.local_storage_isolation {
            return Plan::Rest;
        }
        self.watch.observe(now, observation, &self.config);
        self.acting_on = None;
        match &self.stage {
            Stage::Killing { .. } => return self.hurry(),
            Stage::CleaningUp { until, resource }
                if now < *until && !self.starves_of_another(*resource) =>
            {
                return Plan::Rest;
            }
            Stage::CleaningUp { .. } => self.watch.settled_at = Some(now),
            Stage::Idle | Stage::ReadingPods { .. } | Stage::Reclaiming { .. } => {}
        }
        self.stage = Stage::Idle;
        self.tried.clear();
        self.stuck.retain(|(_, until)| now < *until);
        self.offender(pods).unwrap_or_else(|| self.act(pods))
    }

    /// Takes over how the filesystems lie where nothing else could be read, so
    /// that the round is left out.
    pub fn take_layout(&mut self, layout: Option<Layout>) {
        self.watch.lay_out(layout, &self.config.policy);
    }

    /// What is to outlive a restart or a reload.
    #[must_use]
    pub fn memory(&self) -> Memory {
        self.watch.memory()
    }

    /// Takes over what a former machine knew, before the first step.
    ///
    /// Conditions are held on, for the rest of the transition period. The grace
    /// period of a soft threshold runs on if the first observation shows it met;
    /// but that observation never acts, however long ago the grace is over: it
    /// takes a further, newer one (failure F17). Thresholds that
    /// are not configured any more are forgotten, and so is all of
    /// [`Memory::first_met`] that a first observation does not confirm.
    pub fn restore(&mut self, now: Mono, memory: &Memory) {
        self.watch.lay_out(memory.layout, &self.config.policy);
        self.watch.restore(now, memory);
    }

    /// Goes on after a plan was carried out. `pods` are those of the last step or
    /// newer ones. An outcome that no plan asked for changes nothing.
    pub fn outcome(
        &mut self,
        now: Mono,
        outcome: Outcome<'_>,
        pods: Option<&[Candidate<'_>]>,
    ) -> Plan {
        match (core::mem::replace(&mut self.stage, Stage::Idle), outcome) {
            (Stage::ReadingPods { threshold }, Outcome::PodsRead) => self.choose(threshold, pods),
            (Stage::Reclaiming { threshold }, Outcome::Reclaimed(again)) => {
                let policy = &self.config.policy;
                if again.is_some_and(|again| self.watch.is_reclaimed(threshold, again, policy)) {
                    return Plan::Rest;
                }
                self.choose(threshold, pods)
            }
            (Stage::Killing { threshold, .. }, Outcome::Killed) => {
                self.killed(now, threshold, pods)
            }
            (Stage::Killing { threshold, .. }, Outcome::KillFailed) => {
                self.kill_failed(now, threshold, pods)
            }
            (Stage::CleaningUp { .. }, Outcome::CleanedUp) => {
                self.watch.settled_at = Some(now);
                Plan::Rest
            }
            (stage, _) => {
                self.stage = stage;
                Plan::Rest
            }
        }
    }

    /// What one pod leaves on the disk keeps nobody waiting whose memory runs out.
    fn starves_of_another(&self, cleaned: Option<Resource>) -> bool {
        let acting = self
            .watch
            .first_to_act()
            .and_then(|index| self.watch.thresholds.get(index));
        !self.config.policy.clean_up_holds_back_all
            && acting.is_some_and(|threshold| Some(threshold.signal.resource()) != cleaned)
    }

    /// A hard threshold does not wait for the grace that a soft one gave.
    fn hurry(&mut self) -> Plan {
        let may_hurry = !self.config.policy.grace_outlasts_hard_threshold;
        let hard_is_met = self.watch.first_to_act().is_some_and(|index| {
            self.watch
                .thresholds
                .get(index)
                .is_some_and(Threshold::is_hard)
        });
        if let Stage::Killing { graceful, .. } = &mut self.stage
            && *graceful
            && hard_is_met
            && may_hurry
        {
            *graceful = false;
            return Plan::KillNow;
        }
        Plan::Rest
    }

    /// The next pod above one of its own limits, if limits are enforced.
    fn offender(&mut self, pods: Option<&[Candidate<'_>]>) -> Option<Plan> {
        if !self.config.local_storage_isolation {
            return None;
        }
        let layout = self.layout();
        let (candidate, uid, cause) = pods?.iter().enumerate().find_map(|(index, candidate)| {
            let uid = candidate.pod.metadata.uid.as_str();
            if self.is_excluded(uid) {
                return None;
            }
            Some((index, uid, limits::exceeded(candidate, layout)?.cause()))
        })?;
        self.begin_killing(uid, None, true);
        Some(Plan::Evict(Eviction {
            candidate,
            cause,
            grace_seconds: LIMIT_GRACE_SECONDS,
        }))
    }

    fn begin_killing(&mut self, uid: &str, threshold: Option<usize>, graceful: bool) {
        self.victim.clear();
        self.victim.push_str(uid);
        self.stage = Stage::Killing {
            threshold,
            graceful,
        };
    }

    /// Acts on the first threshold that may: the node gives back, else a pod goes.
    fn act(&mut self, pods: Option<&[Candidate<'_>]>) -> Plan {
        let Some(threshold) = self.watch.first_to_act() else {
            return Plan::Rest;
        };
        self.acting_on = Some(threshold);
        let calls = self.reclaims(threshold);
        if calls.is_empty() {
            return self.choose(threshold, pods);
        }
        self.stage = Stage::Reclaiming { threshold };
        Plan::Reclaim(calls)
    }

    pub(crate) fn reclaims(&self, threshold: usize) -> &'static [NodeReclaim] {
        let signal = self.watch.thresholds.get(threshold).map(|t| t.signal);
        signal.map_or(&[], |signal| {
            reclaim::for_signal(signal, self.layout(), &self.config.policy)
        })
    }

    /// Ranks the pods and takes the first that may go.
    fn choose(&mut self, index: usize, pods: Option<&[Candidate<'_>]>) -> Plan {
        let Some(threshold) = self.watch.thresholds.get(index) else {
            return Plan::Rest;
        };
        let Some(pods) = pods else {
            self.stage = Stage::ReadingPods { threshold: index };
            return Plan::ReadPods;
        };
        let signal = threshold.signal;
        let Some((passed_over, place, candidate)) = self.first(signal, pods) else {
            return Plan::NoCandidate(signal);
        };
        let grace_seconds = self.grace(threshold, candidate);
        self.begin_killing(&candidate.pod.metadata.uid, Some(index), grace_seconds != 0);
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

    fn killed(
        &mut self,
        now: Mono,
        threshold: Option<usize>,
        pods: Option<&[Candidate<'_>]>,
    ) -> Plan {
        self.tried.push(self.victim.clone());
        if threshold.is_none()
            && let Some(plan) = self.offender(pods)
        {
            return plan;
        }
        let threshold = threshold.and_then(|index| self.watch.thresholds.get(index));
        self.stage = Stage::CleaningUp {
            until: now + self.config.cleanup_wait,
            resource: threshold.map(|threshold| threshold.signal.resource()),
        };
        Plan::Rest
    }

    fn kill_failed(
        &mut self,
        now: Mono,
        threshold: Option<usize>,
        pods: Option<&[Candidate<'_>]>,
    ) -> Plan {
        if self.config.policy.failed_kill_ends_round {
            return self.killed(now, threshold, pods);
        }
        let until = now + self.config.stuck_wait;
        self.stuck.push((self.victim.clone(), until));
        self.tried.push(self.victim.clone());
        match threshold {
            // The killing may have taken long: only what still starves counts.
            Some(threshold) if self.watch.fresh.has(threshold) => self.choose(threshold, pods),
            Some(_) => Plan::Rest,
            None => self.offender(pods).unwrap_or_else(|| self.act(pods)),
        }
    }

    pub(crate) fn is_excluded(&self, uid: &str) -> bool {
        self.tried.iter().any(|tried| tried == uid)
            || self.stuck.iter().any(|(stuck, _)| stuck == uid)
    }

    /// The layout that ranking and reclaim go by; one filesystem until it is known.
    pub(crate) fn layout(&self) -> Layout {
        self.watch.layout.unwrap_or(Layout::OneFilesystem)
    }
}

/// What there is to know of it.
impl Evict {
    /// The thresholds that are watched: as configured, then the derived ones.
    #[must_use]
    pub fn thresholds(&self) -> &[Threshold] {
        &self.watch.thresholds
    }

    /// The conditions that are to be reported.
    #[must_use]
    pub fn conditions(&self) -> ConditionSet {
        self.watch.conditions
    }

    /// When each condition was last observed.
    #[must_use]
    pub fn pressure(&self) -> &Pressure {
        self.watch.pressure()
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
        self.watch
            .due
            .each()
            .filter_map(|index| self.watch.thresholds.get(index))
    }

    /// The threshold that the last step acts on: the resource of the node event
    /// `Attempting to reclaim`.
    #[must_use]
    pub fn acting_on(&self) -> Option<&Threshold> {
        self.watch.thresholds.get(self.acting_on?)
    }

    /// Whether an outcome of [`Plan::Reclaim`] is awaited.
    #[must_use]
    pub const fn is_reclaiming(&self) -> bool {
        matches!(self.stage, Stage::Reclaiming { .. })
    }

    /// Whether the node has given back enough, so that the calls of
    /// [`Plan::Reclaim`] that are left need not be made.
    #[must_use]
    pub fn may_stop_reclaiming(&self, again: &Readings) -> bool {
        let policy = &self.config.policy;
        match self.stage {
            Stage::Reclaiming { threshold } => {
                !policy.reclaim_makes_every_call
                    && self.watch.is_reclaimed(threshold, again, policy)
            }
            Stage::Idle
            | Stage::ReadingPods { .. }
            | Stage::Killing { .. }
            | Stage::CleaningUp { .. } => false,
        }
    }

    /// The signal that the node is to give back for, and how much of it has to be
    /// available for that, in the signal's unit; `None` when nothing is reclaimed
    /// or the signal was not read.
    #[must_use]
    pub fn reclaim_target(&self, readings: &Readings) -> Option<(Signal, i64)> {
        let signal = self.acting_on()?.signal;
        let capacity = readings.get(signal)?.capacity;
        let same = self.due().filter(|threshold| threshold.signal == signal);
        let wanted = same.map(|threshold| threshold.clear_at(capacity).value());
        Some((signal, wanted.max()?))
    }

    /// When to step again at the latest, beside the regular interval: a grace
    /// period ends, a condition is left, or the wait for a clean-up is over.
    #[must_use]
    pub fn next_deadline(&self, now: Mono) -> Option<Mono> {
        let cleaning = match self.stage {
            Stage::CleaningUp { until, .. } => Some(until),
            Stage::Idle
            | Stage::ReadingPods { .. }
            | Stage::Reclaiming { .. }
            | Stage::Killing { .. } => None,
        };
        let watch = self.watch.next_deadline(now, self.config.transition_period);
        cleaning.into_iter().chain(watch).min()
    }

    /// Whether an evicted pod is still on its way out.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self.stage, Stage::Killing { .. } | Stage::CleaningUp { .. })
    }
}
