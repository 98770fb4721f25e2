use alloc::string::String;

use evictd_node::{Mono, Readings, Resource, Signal};
use evictd_rank::Candidate;
use evictd_threshold::Threshold;

use crate::elsewhere::Plenty;
use crate::evidence::Evidence;
use crate::left_alone::LeftAlone;
use crate::observe::Watch;
use crate::set::ThresholdSet;
use crate::stage::{CleanUp, Stage};
use crate::{Config, NodeReclaim, Observation, Outcome, Plan, Returns, TooManyThresholds, reclaim};

/// Room for the uid of the pod to be killed, so that choosing it allocates nothing: a uid of
/// Kubernetes has 36 bytes, and a pod without one is named by its cgroup's path.
const USUAL_UID: usize = 256;

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
    /// What a killed pod still holds is awaited, and something else is acted on.
    pub(crate) beside: Option<CleanUp>,
    /// The uid of the pod that is being killed, or was last.
    pub(crate) victim: String,
    /// Its namespace and its name.
    pub(crate) victim_name: (String, String),
    /// What it is evicted for, also where that threshold is none any more; `None` for a limit of
    /// its own.
    pub(crate) victim_resource: Option<Resource>,
    pub(crate) acting_on: Option<usize>,
    pub(crate) left_alone: LeftAlone,
    pub(crate) evidence: Evidence,
    pub(crate) plenty: Option<Plenty>,
    pub(crate) returns: Returns,
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
            beside: None,
            victim: String::with_capacity(USUAL_UID),
            victim_name: [(); 2].map(|()| String::with_capacity(USUAL_UID)).into(),
            victim_resource: None,
            acting_on: None,
            left_alone: LeftAlone::default(),
            evidence: Evidence::default(),
            plenty: None,
            returns: Returns::default(),
        })
    }

    /// Goes on with other settings. What was going on goes on: conditions hold, the grace
    /// period of a threshold that stays as it was runs on, and so does an eviction.
    ///
    /// A threshold that is new, or not what it was, acts on the second observation from now
    /// at the earliest, as after a restart ([`Evict::restore`]): nothing is evicted by what
    /// was measured before, nor by the first look at what a changed file says (k/k#83612).
    /// But where a hard threshold of the signal was met already, the next observation may
    /// act: else who changes settings again and again would hold an eviction back for ever.
    ///
    /// # Errors
    /// As [`Evict::new`]; then nothing has changed.
    pub fn reconfigure(&mut self, config: Config) -> Result<(), TooManyThresholds> {
        let new = Self::new(config)?;
        let former = self.watch.rearrange(new.config.thresholds.clone());
        let place = |index: usize| former.iter().position(|of| *of == Some(index));
        self.config = new.config;
        self.acting_on = self.acting_on.and_then(place);
        let stage = core::mem::replace(&mut self.stage, Stage::Idle);
        self.stage = stage.rearranged(place);
        Ok(())
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
        pods: Option<&[Candidate]>,
    ) -> Plan {
        let has_none = self.config.thresholds.is_empty() && self.watch.conditions.is_empty();
        if has_none && !self.config.local_storage_isolation {
            return Plan::Rest;
        }
        self.watch.observe(now, observation, &self.config);
        self.watch.passed = ThresholdSet::default();
        self.evidence.note(observation.readings);
        self.plenty = self.plenty.filter(|then| then.is_of_late(now));
        self.returns.forget_former(now, self.watch.conditions);
        self.left_alone.rehearsal.end_episodes(&self.watch);
        self.acting_on = None;
        if matches!(self.stage, Stage::Killing { .. }) {
            return self.hurry();
        }
        if self.waits_for_clean_up(now) {
            return Plan::Rest;
        }
        self.stage = Stage::Idle;
        self.left_alone.begin_round(now);
        let plan = self.offender(pods).unwrap_or_else(|| self.act(now, pods));
        self.goes_on_cleaning(plan)
    }

    /// Goes on after a plan was carried out. `pods` are those of the last step or
    /// newer ones. An outcome that no plan asked for changes nothing.
    pub fn outcome(&mut self, now: Mono, outcome: Outcome<'_>, pods: Option<&[Candidate]>) -> Plan {
        if matches!(outcome, Outcome::Killed | Outcome::CleanedUp) {
            self.beside = None; // it was of the pod before
        }
        let plan = self.go_on(now, outcome, pods);
        self.goes_on_cleaning(plan)
    }

    fn go_on(&mut self, now: Mono, outcome: Outcome<'_>, pods: Option<&[Candidate]>) -> Plan {
        match (core::mem::replace(&mut self.stage, Stage::Idle), outcome) {
            (Stage::ReadingPods { threshold }, Outcome::PodsRead) => {
                self.choose(now, threshold, pods)
            }
            (Stage::Reclaiming { threshold }, Outcome::Reclaimed(again)) => {
                self.left_alone.try_again(now); // a reclaim may have taken a minute
                let policy = &self.config.policy;
                if let Some(again) = again {
                    let again = &self.watch.trusted(again, policy);
                    self.evidence.note(again);
                    self.watch.latest = *again;
                    self.watch.pass_what_is_over(again, policy);
                    if self.watch.is_reclaimed(threshold, again, policy)
                        || self.watch.is_another_left(threshold, again, policy)
                    {
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
            // The pods were read for the other threshold: by bounds of what this one counts.
            (Stage::Idle, Outcome::Told) if !self.watch.passed.is_empty() => self.act(now, None),
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

    /// The node was read again after an eviction was decided and before it is begun, as the
    /// decision took long. What the eviction gives back counts from this reading, and a
    /// threshold that it does not meet has its grace period anew. Call it before the outcome.
    pub fn read_again(&mut self, readings: &Readings) {
        self.evidence.note(readings);
        self.watch.read_again(readings);
        if let Stage::Killing { threshold, .. } = self.stage
            && let Some(signal) = self.signal(threshold)
        {
            self.evidence.begin_by(signal, readings);
        }
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
    pub(crate) fn act(&mut self, now: Mono, pods: Option<&[Candidate]>) -> Plan {
        let Some(threshold) = self.watch.first_to_act() else {
            return Plan::Rest;
        };
        self.acting_on = Some(threshold);
        let calls = self.reclaims(threshold);
        // What a dry run has named may really be gone by now: the pods say so.
        if calls.is_empty() || self.judge().is_rehearsed(threshold) {
            return self.choose(now, threshold, pods);
        }
        self.stage = Stage::Reclaiming { threshold };
        Plan::Reclaim(calls)
    }

    pub(crate) fn reclaims(&self, threshold: usize) -> &'static [NodeReclaim] {
        self.signal(Some(threshold)).map_or(&[], |signal| {
            reclaim::for_signal(signal, self.watch.layout_or_one(), &self.config.policy)
        })
    }

    fn killed(&mut self, now: Mono, threshold: Option<usize>, pods: Option<&[Candidate]>) -> Plan {
        // What waits for no clean-up waits for a reading from now on all the same.
        self.watch.settled_at = Some(now);
        if !self.config.policy.stats_may_predate_last_eviction {
            self.watch.fresh = ThresholdSet::default();
        }
        let signal = self.signal(threshold);
        let (namespace, name) = &self.victim_name;
        self.returns.note(now, namespace, name, signal);
        self.end_round(now, pods)
    }

    fn end_round(&mut self, now: Mono, pods: Option<&[Candidate]>) -> Plan {
        self.left_alone.has_tried(&self.victim);
        if self.victim_resource.is_none()
            && let Some(plan) = self.offender(pods)
        {
            return plan;
        }
        self.stage = Stage::CleaningUp {
            until: now + self.config.cleanup_wait,
            resource: self.victim_resource,
        };
        Plan::Rest
    }

    fn kill_failed(
        &mut self,
        now: Mono,
        threshold: Option<usize>,
        pods: Option<&[Candidate]>,
    ) -> Plan {
        self.learn_nothing(threshold);
        if self.config.policy.failed_kill_ends_round {
            return self.end_round(now, pods);
        }
        self.left_alone.try_again(now);
        let until = now + self.config.stuck_wait;
        self.left_alone.is_stuck_until(&self.victim, until);
        self.left_alone.has_tried(&self.victim);
        match threshold {
            // The killing may have taken long: only a threshold that is still met counts.
            Some(threshold) if self.watch.fresh.has(threshold) => self.choose(now, threshold, pods),
            Some(_) => Plan::Rest,
            None => self.offender(pods).unwrap_or_else(|| self.act(now, pods)),
        }
    }

    /// The pod that was just chosen would be gone by now: a dry run goes on as if it were.
    fn pretend(&mut self, now: Mono, threshold: Option<usize>, pods: Option<&[Candidate]>) -> Plan {
        let signal = self.signal(threshold);
        let frees = signal.and_then(|signal| self.evidence.used_by_last(signal));
        let rehearsal = &mut self.left_alone.rehearsal;
        rehearsal.add(&self.victim, signal, frees.unwrap_or(0));
        self.learn_nothing(threshold);
        match threshold {
            Some(index) => self.choose(now, index, pods),
            // As after a pod that was really evicted for its limit.
            None => self.offender(pods).unwrap_or(Plan::Rest),
        }
    }

    /// The kill was not done: what is left afterwards says nothing of it.
    fn learn_nothing(&mut self, threshold: Option<usize>) {
        if threshold.is_some() {
            self.evidence.forget();
        }
    }

    pub(crate) fn signal(&self, threshold: Option<usize>) -> Option<Signal> {
        Some(self.watch.thresholds.get(threshold?)?.signal)
    }
}
