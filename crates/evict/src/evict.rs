use alloc::string::String;

use evictd_node::{Mono, Readings, Resource, Signal};
use evictd_rank::Candidate;

use crate::disk_relief::{DiskRelief, Of, Steps};
use crate::elsewhere::Plenty;
use crate::evidence::Evidence;
use crate::observe::Watch;
use crate::skipped::Skipped;
use crate::stage::{CleanUp, OutcomeName, Stage};
use crate::{Config, Left, Observation, Outcome, Plan, Returns};

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
    /// What a killed pod still holds is awaited.
    pub(crate) clean_up: Option<CleanUp>,
    /// What is done for a disk before a pod is evicted for it.
    pub(crate) relief: DiskRelief,
    pub(crate) victim: Victim,
    pub(crate) acting_on: Option<usize>,
    /// The threshold for which a pod was chosen last in this round, or none.
    pub(crate) chosen_for: Option<usize>,
    pub(crate) skipped: Skipped,
    pub(crate) evidence: Evidence,
    pub(crate) plenty: Option<Plenty>,
    pub(crate) returns: Returns,
    /// What the last pod that was evicted for a disk has left there.
    pub(crate) left: Option<(Signal, Left)>,
    never: u64,
}

/// The pod that is proposed, is being killed, or was last.
#[derive(Clone, Debug)]
pub(crate) struct Victim {
    pub(crate) uid: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// What it is evicted for, also where that threshold is none any more; `None` for a limit of
    /// its own.
    pub(crate) resource: Option<Resource>,
}

impl Victim {
    fn nobody() -> Self {
        let [uid, namespace, name] = [(); 3].map(|()| String::with_capacity(USUAL_UID));
        Self {
            uid,
            namespace,
            name,
            resource: None,
        }
    }

    /// It is that pod from now on. Nothing is allocated where its names are of usual length.
    pub(crate) fn set(&mut self, pod: &Candidate, resource: Option<Resource>) {
        let of = &pod.pod.metadata;
        for (kept, text) in [
            (&mut self.uid, &of.uid),
            (&mut self.namespace, &of.namespace),
            (&mut self.name, &of.name),
        ] {
            kept.clear();
            kept.push_str(text);
        }
        self.resource = resource;
    }
}

impl Evict {
    /// A machine that has observed nothing yet.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            watch: Watch::new(config.thresholds.clone()),
            config,
            stage: Stage::Idle,
            clean_up: None,
            relief: DiskRelief::default(),
            victim: Victim::nobody(),
            acting_on: None,
            chosen_for: None,
            skipped: Skipped::default(),
            evidence: Evidence::default(),
            plenty: None,
            returns: Returns::default(),
            left: None,
            never: 0,
        }
    }

    /// Goes on with other settings. What was going on goes on: conditions hold, the grace
    /// period of a threshold that stays as it was runs on, and so does an eviction whose kill
    /// has begun.
    ///
    /// A threshold that is new, or not what it was, acts on the second observation from now
    /// at the earliest, as after a restart ([`Evict::restore`]): nothing is evicted by what
    /// was measured before, nor by the first look at what a changed file says (k/k#83612).
    /// But where a hard threshold of the signal was met already, the next observation may
    /// act: else who changes settings again and again would hold an eviction back for ever.
    pub fn reconfigure(&mut self, config: Config) {
        let places = self.watch.rearrange(config.thresholds.clone());
        let place = |index: usize| places.get(index).copied().flatten();
        self.config = config;
        self.acting_on = self.acting_on.and_then(place);
        self.chosen_for = self.chosen_for.and_then(place);
        let stage = core::mem::replace(&mut self.stage, Stage::Idle);
        self.stage = stage.rearranged(place);
    }

    /// Begins a round: takes in what was observed and says what to do.
    ///
    /// `pods` may be left out until a plan asks for them; without them local
    /// storage limits are not looked at in this round. Where reading the node
    /// failed, leave the round out altogether.
    ///
    /// While a pod is being killed, the observation is taken in, but no other pod is chosen. A
    /// plan of the round before whose outcome was not handed in is dropped, a proposed pod
    /// included: nothing of it was noted.
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
        self.learn(observation.readings);
        self.plenty = self.plenty.filter(|then| then.is_of_late(now));
        self.returns.forget_former(now, self.watch.conditions);
        self.skipped.rehearsal.end_episodes(&self.watch);
        (self.acting_on, self.chosen_for) = (None, None);
        if matches!(self.stage, Stage::Killing { .. }) {
            return self.hurry();
        }
        self.stage = Stage::Idle;
        self.hold_what_is_cleaned_up(now);
        // A pod's own limit can wait, too.
        let nothing_else_acts = self.watch.first_to_act().is_none();
        let holds_back_all = self.config.policy.clean_up_holds_back_all || nothing_else_acts;
        if self.clean_up.is_some() && holds_back_all {
            return Plan::Rest;
        }
        self.skipped.begin_round(now);
        self.offender(pods).unwrap_or_else(|| self.act(now, pods))
    }

    /// Goes on after a plan was carried out. `pods` are those of the last step or
    /// newer ones. An outcome that no plan asked for changes nothing ([`reaction`](crate::reaction())).
    pub fn outcome(&mut self, now: Mono, outcome: Outcome<'_>, pods: Option<&[Candidate]>) -> Plan {
        match (core::mem::replace(&mut self.stage, Stage::Idle), outcome) {
            (Stage::ReadingPods { threshold }, Outcome::PodsRead) => {
                self.choose(now, threshold, pods)
            }
            (Stage::Relieving { threshold }, Outcome::Relieved(step)) => {
                self.relieved(now, threshold, step)
            }
            (stage, Outcome::Relieved(_)) => {
                self.stage = stage;
                self.relief.forget();
                Plan::Rest
            }
            (Stage::Telling, Outcome::Told) => self.told(now),
            (Stage::Proposed(proposal), Outcome::Begun) => self.begun(now, proposal, pods),
            (Stage::Proposed(proposal), Outcome::NotBegun) => {
                self.kill_failed(now, proposal.threshold, pods)
            }
            (Stage::Proposed(proposal), Outcome::Pretended) => self.pretended(now, &proposal, pods),
            (
                Stage::Killing {
                    threshold, last, ..
                },
                Outcome::Killed,
            ) => self.killed(now, (threshold, last), pods),
            (Stage::Killing { threshold, .. }, Outcome::KillFailed) => {
                self.kill_failed(now, threshold, pods)
            }
            // What a pod left is awaited beside whatever else goes on.
            (stage, Outcome::CleanedUp) => {
                self.stage = stage;
                self.cleaned_up(now)
            }
            (stage, outcome) => {
                debug_assert!(
                    false,
                    "{} while {}",
                    OutcomeName::from(&outcome),
                    stage.name()
                );
                self.never = self.never.saturating_add(1);
                self.stage = stage;
                Plan::Rest
            }
        }
    }

    /// How many outcomes came that no plan had asked for: a fault of the caller.
    #[must_use]
    pub const fn never(&self) -> u64 {
        self.never
    }

    /// The node was read again after an eviction was proposed and before it is begun, as the
    /// decision took long. What the eviction gives back counts from this reading, and a
    /// threshold that it does not meet has its grace period anew.
    pub fn read_again(&mut self, readings: &Readings) {
        self.learn(readings);
        self.watch.read_again(readings);
    }

    /// What was measured says whether the last eviction has helped.
    fn learn(&mut self, readings: &Readings) {
        let layout = self.watch.layout_or_one();
        self.evidence.note(readings, layout);
        if let Stage::Killing {
            last: Some(last), ..
        } = &mut self.stage
        {
            last.note(readings, layout);
        }
    }

    /// A hard threshold, whatever it is of, does not wait for the grace that a soft one gave.
    fn hurry(&mut self) -> Plan {
        let may_hurry = !self.config.policy.grace_outlasts_hard_threshold;
        let hard_is_met = self.watch.is_hard_met();
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
        self.relieve_or_choose(now, threshold, pods)
    }

    /// What comes before an eviction for a disk, unless it gave nothing back lately.
    pub(crate) fn relieve_or_choose(
        &mut self,
        now: Mono,
        threshold: usize,
        pods: Option<&[Candidate]>,
    ) -> Plan {
        let of = self.steps(threshold);
        // What a dry run has named may really be gone by now: the pods say so.
        if of.steps.is_empty() || self.judge().is_rehearsed(threshold) {
            return self.choose(now, threshold, pods);
        }
        match self.relief.begin(now, of) {
            Some(step) => {
                self.stage = Stage::Relieving { threshold };
                Plan::Relieve(step)
            }
            None => self.choose(now, threshold, pods),
        }
    }

    /// The steps that come before an eviction for a threshold.
    pub(crate) fn steps(&self, threshold: usize) -> Of {
        let layout = self.watch.layout_or_one();
        let threshold = self.watch.get(threshold);
        Of {
            signal: threshold.map(|of| of.signal.of_disk(layout)),
            steps: threshold.map_or_else(Steps::default, |threshold| {
                Steps::of(threshold, layout, &self.config.policy)
            }),
        }
    }

    pub(crate) fn signal(&self, threshold: Option<usize>) -> Option<Signal> {
        Some(self.watch.get(threshold?)?.signal)
    }
}
