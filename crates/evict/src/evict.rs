use alloc::string::String;

use evictd_node::{Layout, Mono, Resource};
use evictd_rank::Candidate;
use evictd_threshold::Threshold;
use smallvec::SmallVec;

use crate::elsewhere::Plenty;
use crate::evidence::Evidence;
use crate::observe::Watch;
use crate::rehearsal::Rehearsal;
use crate::set::ThresholdSet;
use crate::{
    Config, Memory, NodeReclaim, Observation, Outcome, Plan, Returns, TooManyThresholds, reclaim,
};

/// Room for the uid of the pod to be killed, so that choosing it allocates nothing: a uid of
/// Kubernetes has 36 bytes, and a pod without one is named by its cgroup's path.
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
        /// What the pod was evicted for; `None` for a limit of its own.
        resource: Option<Resource>,
    },
}

/// The state machine. See the [crate's own words](crate).
///
/// From one plan to the next it tells pods apart by `metadata.uid` alone: each needs one of
/// its own. Those that share one, be it an empty one, count as one pod: where one of them
/// could not be killed, the others are left alone too.
#[derive(Clone, Debug)]
pub struct Evict {
    pub(crate) config: Config,
    pub(crate) watch: Watch,
    pub(crate) stage: Stage,
    /// The uid of the pod that is being killed, or was last.
    pub(crate) victim: String,
    /// Its namespace and its name.
    pub(crate) victim_name: (String, String),
    pub(crate) acting_on: Option<usize>,
    /// Pods that were tried in this round.
    pub(crate) tried: SmallVec<[String; FEW]>,
    /// Pods that could not be killed, and until when they are left alone.
    pub(crate) stuck: SmallVec<[(String, Mono); FEW]>,
    pub(crate) evidence: Evidence,
    pub(crate) plenty: Option<Plenty>,
    pub(crate) returns: Returns,
    /// What a dry run has evicted so far.
    pub(crate) rehearsal: Rehearsal,
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
            victim_name: [(); 2].map(|()| String::with_capacity(USUAL_UID)).into(),
            acting_on: None,
            tried: SmallVec::new(),
            stuck: SmallVec::new(),
            evidence: Evidence::default(),
            plenty: None,
            returns: Returns::default(),
            rehearsal: Rehearsal::default(),
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
        let has_none = self.config.thresholds.is_empty() && self.watch.conditions.is_empty();
        if has_none && !self.config.local_storage_isolation {
            return Plan::Rest;
        }
        self.watch.observe(now, observation, &self.config);
        self.watch.passed = ThresholdSet::default();
        self.evidence.note(observation.readings);
        self.forget_old_plenty(now);
        self.returns.forget_former(now, self.watch.conditions);
        self.end_episodes();
        self.acting_on = None;
        match &self.stage {
            Stage::Killing { .. } => return self.hurry(),
            Stage::CleaningUp { until, resource }
                if now < *until && !self.is_short_of_another(*resource) =>
            {
                return Plan::Rest;
            }
            Stage::CleaningUp { .. } => self.watch.settled_at = Some(now),
            Stage::Idle | Stage::ReadingPods { .. } | Stage::Reclaiming { .. } => {}
        }
        self.stage = Stage::Idle;
        self.tried.clear();
        self.stuck.retain(|(_, until)| now < *until);
        self.offender(pods).unwrap_or_else(|| self.act(now, pods))
    }

    /// Takes over how the filesystems lie where nothing else could be read, so
    /// that the round is left out.
    pub fn take_layout(&mut self, layout: Option<Layout>) {
        self.watch.lay_out(layout, &self.config.policy);
    }

    /// Time has passed in which nothing was observed, though it should have been: the
    /// machine or this process stood still. Grace periods go on; but what was measured
    /// before `now` lets no threshold act.
    pub const fn trust_only_from(&mut self, now: Mono) {
        self.watch.trusted_from = now;
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
            (Stage::ReadingPods { threshold }, Outcome::PodsRead) => {
                self.choose(now, threshold, pods)
            }
            (Stage::Reclaiming { threshold }, Outcome::Reclaimed(again)) => {
                let policy = &self.config.policy;
                if let Some(again) = again {
                    self.evidence.note(again);
                    self.watch.latest = *again;
                    if self.watch.is_reclaimed(threshold, again, policy) {
                        return Plan::Rest;
                    }
                }
                self.choose(now, threshold, pods)
            }
            (Stage::Killing { threshold, .. }, Outcome::Killed) => {
                self.killed(now, threshold, pods)
            }
            (Stage::Killing { threshold, .. }, Outcome::Pretended) => {
                self.pretend(now, threshold, pods)
            }
            (Stage::Killing { threshold, .. }, Outcome::Outdated) => {
                self.learn_nothing(threshold);
                Plan::Rest
            }
            (Stage::Idle, Outcome::Told) if !self.watch.passed.is_empty() => self.act(now, pods),
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

    /// What an evicted pod leaves on the disk does not delay an eviction for memory.
    fn is_short_of_another(&self, cleaned: Option<Resource>) -> bool {
        let is_of_another = |threshold: &Threshold| Some(threshold.signal.resource()) != cleaned;
        !self.config.policy.clean_up_holds_back_all && self.watch.acts_next(is_of_another)
    }

    /// A hard threshold does not wait for the grace that a soft one gave.
    fn hurry(&mut self) -> Plan {
        let may_hurry = !self.config.policy.grace_outlasts_hard_threshold;
        let hard_is_met = self.watch.acts_next(Threshold::is_hard);
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

    /// Acts on the first threshold that may: the node gives back, else a pod is evicted.
    pub(crate) fn act(&mut self, now: Mono, pods: Option<&[Candidate<'_>]>) -> Plan {
        let Some(threshold) = self.watch.first_to_act() else {
            return Plan::Rest;
        };
        self.acting_on = Some(threshold);
        let calls = self.reclaims(threshold);
        // What a dry run has named may really be gone by now: the pods say so.
        if calls.is_empty() || self.is_rehearsed(threshold) {
            return self.choose(now, threshold, pods);
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

    fn killed(
        &mut self,
        now: Mono,
        threshold: Option<usize>,
        pods: Option<&[Candidate<'_>]>,
    ) -> Plan {
        self.note_return(now, threshold);
        self.end_round(now, threshold, pods)
    }

    fn end_round(
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
        self.learn_nothing(threshold);
        if self.config.policy.failed_kill_ends_round {
            return self.end_round(now, threshold, pods);
        }
        let until = now + self.config.stuck_wait;
        self.stuck.push((self.victim.clone(), until));
        self.tried.push(self.victim.clone());
        match threshold {
            // The killing may have taken long: only a threshold that is still met counts.
            Some(threshold) if self.watch.fresh.has(threshold) => self.choose(now, threshold, pods),
            Some(_) => Plan::Rest,
            None => self.offender(pods).unwrap_or_else(|| self.act(now, pods)),
        }
    }

    /// The kill was not done: what is left afterwards says nothing of it.
    pub(crate) fn learn_nothing(&mut self, threshold: Option<usize>) {
        let threshold = threshold.and_then(|index| self.watch.thresholds.get(index));
        if let Some(threshold) = threshold {
            self.evidence.forget(threshold.signal);
        }
    }

    /// The layout that ranking and reclaim use; one filesystem until it is known.
    pub(crate) fn layout(&self) -> Layout {
        self.watch.layout.unwrap_or(Layout::OneFilesystem)
    }
}
