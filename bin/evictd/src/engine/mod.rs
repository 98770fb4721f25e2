//! The loop's body: reads, asks the state machine, carries out its plans.
//!
//! It knows no signals and no logger; what happens is told as [`Event`]s. The
//! daemon logs them, the self-test measures them.

mod event;
mod flight;
mod layout;
mod look;
mod measure;
mod news;
mod pace;
mod reclaim;
mod record;
mod telling;

use core::time::Duration;
use std::os::fd::BorrowedFd;

use evictd_cgroup::{Grace, KillState, PodKiller};
use evictd_evict::{Evict, Eviction, Observation, Outcome, Plan};
use evictd_node::{ConditionSet, Mono, Readings, Resource, Signal, SignalSet};
use evictd_stats::{NodeReader, NodeSample, NodeSettings, PodDirs, now};

use crate::gc::Collector;
use crate::pods::{Begun, CandidateRoom, Depth, Pods, emptied};
use crate::setup::{FIRST_FS_WAIT, FS_WAIT, Setup};
use crate::timing::{Recorder, Stage};

pub(crate) use event::{Event, Victim};
use flight::Flight;
use pace::Pace;
use reclaim::Reclaiming;
pub(crate) use record::Field;

/// How often pods are listed for their own limits, as often as the kubelet looks
/// at them.
const CENSUS: Duration = Duration::from_secs(10);

/// How many pods that went are remembered.
const FEW_GONE: usize = 15;

/// Receives what happens, when it happens.
pub(crate) type Tell<'a> = &'a mut dyn FnMut(Mono, &Event);

/// The parts of evictd, put together.
pub(crate) struct Engine {
    evict: Evict,
    reader: NodeReader,
    /// What the reader reads.
    node: NodeSettings,
    /// Whether nobody has named these filesystems.
    finds_imagefs: bool,
    finds_containerfs: bool,
    pods: Pods,
    /// Room for the list that the state machine is shown.
    room: CandidateRoom,
    /// When the list of pods is to be looked at again while memory gets short.
    next_listing: Mono,
    interval: Duration,
    dry_run: bool,
    collector: Option<Collector>,
    /// Uids of pods that went lately: what they left may be deleted at once.
    gone: Vec<String>,
    next_census: Mono,
    /// A look at the pods that waits for the container runtimes, until then at most.
    census: Option<Mono>,
    /// A container runtime has said what it holds.
    listed: bool,
    reclaiming: Reclaiming,
    /// Images are deleted under pressure only until it is over.
    images_until_clear: bool,
    sample: NodeSample,
    flight: Option<Flight>,
    /// A pod that is gone and whose process ids may not be free yet.
    remains: Option<Flight>,
    next_tick: Mono,
    pace: Pace,
    /// Where pods' files lie, until their measuring begins.
    dirs: Option<PodDirs>,
    /// How long all of this takes.
    pub(crate) timing: Recorder,
    /// Since when a decision waits for what pods hold on disk.
    disk_asked: Option<Mono>,
    ending: bool,
    told: Told,
}

/// How soon to look again whether a dead pod's process ids are free.
const REMAINS_INTERVAL: Duration = Duration::from_millis(20);

/// How soon to look again whether somebody has deleted a dead pod's files.
const DELETED_INTERVAL: Duration = Duration::from_secs(1);

/// What was told already, so that only changes are told.
#[derive(Default)]
struct Told {
    conditions: ConditionSet,
    met: SignalSet,
    unobserved: SignalSet,
    layout: Option<evictd_node::Layout>,
    unread: Vec<String>,
    pod_problems: Vec<String>,
    /// Why the last container runtime that was lost cannot be reached.
    lost: Option<String>,
    no_candidate: Option<Signal>,
}

impl Engine {
    /// Opens the node's files and the runtime.
    pub(crate) fn open(setup: Setup) -> Result<Self, String> {
        let text = |error: &dyn core::fmt::Display| error.to_string();
        let pods = Pods::open(setup.cgroup, setup.manifests, setup.runtimes)?;
        let reader = NodeReader::open(setup.node.clone());
        let mut reader = reader.map_err(|error| text(&error))?;
        reader.ask_filesystems(now());
        Ok(Self {
            dirs: setup.dirs,
            evict: Evict::new(setup.evict).map_err(|error| text(&error))?,
            reader,
            node: setup.node,
            finds_imagefs: setup.finds_imagefs,
            finds_containerfs: setup.finds_containerfs,
            pods,
            room: Vec::new(),
            next_listing: Mono::ZERO,
            interval: setup.interval,
            dry_run: setup.dry_run,
            collector: setup.collector,
            gone: Vec::new(),
            next_census: Mono::ZERO,
            census: None,
            listed: false,
            reclaiming: Reclaiming::default(),
            images_until_clear: setup.images_until_clear,
            sample: NodeSample::default(),
            flight: None,
            remains: None,
            next_tick: Mono::ZERO,
            pace: Pace::new(setup.processors),
            timing: Recorder::new(),
            disk_asked: None,
            ending: false,
            told: Told::default(),
        })
    }

    /// Does what is due by `now`: goes on with a kill, looks at memory, begins a
    /// round. Returns whether anything may have changed: `false` where nothing was due, or a
    /// look at memory saw nothing.
    pub(crate) fn run_due(&mut self, now: Mono, tell: Tell<'_>) -> bool {
        let busy = self.is_killing();
        let changed = self.take_news(now, tell) || busy;
        self.go_on_killing(now, tell);
        if self.has_ended() {
            return true;
        }
        if now >= self.tick_at(now) {
            self.tick(now, FS_WAIT, tell);
        } else if self.sees_crossing(now) {
            self.tick(now, Duration::ZERO, tell); // no disk may delay it
        } else {
            return changed;
        }
        true
    }

    /// Begins a round now, whatever the interval.
    pub(crate) fn tick_now(&mut self) {
        self.next_tick = Mono::ZERO;
    }

    /// When to come back at the latest.
    pub(crate) fn wake_at(&self, now: Mono) -> Mono {
        let look = self.pace.due();
        look.into_iter().fold(self.tick_at(now), Mono::min)
    }

    /// When the next round begins at the latest, or a kill goes on.
    fn tick_at(&self, now: Mono) -> Mono {
        let flight = self.flight.as_ref().map(Flight::until);
        let deadlines = [flight, self.evict.next_deadline(now)];
        deadlines
            .into_iter()
            .flatten()
            .fold(self.next_tick, Mono::min)
    }

    /// The descriptors that, when readable, mean that a killed process is gone.
    pub(crate) fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>)) {
        if let Some(flight) = &self.flight {
            flight.kill.each_descriptor(each);
        }
    }

    /// Readable when a container runtime has something to say; the same as long as
    /// the engine lives.
    pub(crate) fn news_descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pods.runtimes.descriptor()
    }

    /// Whether a pod is being killed.
    pub(crate) const fn is_killing(&self) -> bool {
        self.flight.is_some()
    }

    /// Begins no other kill after the one in flight. Answers whether this was
    /// new.
    pub(crate) const fn end_after_kill(&mut self) -> bool {
        !core::mem::replace(&mut self.ending, true)
    }

    /// Whether the last kill before the end is over.
    pub(crate) const fn has_ended(&self) -> bool {
        self.ending && self.flight.is_none()
    }

    /// Conditions and the latest readings in one line.
    pub(crate) fn summary(&self) -> String {
        event::summary(self.evict.conditions(), &self.sample.readings())
    }

    /// The state machine, to look at.
    pub(crate) const fn evict(&self) -> &Evict {
        &self.evict
    }

    /// The latest numbers of the node.
    pub(crate) const fn sample(&self) -> &NodeSample {
        &self.sample
    }

    /// The pods, as last listed.
    pub(crate) const fn pods(&self) -> &Pods {
        &self.pods
    }

    /// The pods, to list them anew.
    pub(crate) const fn pods_mut(&mut self) -> &mut Pods {
        &mut self.pods
    }

    /// The state machine, to give it back what it knew before a restart.
    pub(crate) const fn evict_mut(&mut self) -> &mut Evict {
        &mut self.evict
    }

    /// Reads the node and steps the state machine, without carrying a plan out.
    /// With pods, as last listed, their own limits are looked at too.
    pub(crate) fn observe(
        &mut self,
        now: Mono,
        fs_wait: Duration,
        with_pods: bool,
    ) -> (Readings, Plan) {
        self.timing.begin();
        self.sample = self.reader.read_within(now, fs_wait);
        self.timing.lap(Stage::Read);
        let readings = self.sample.readings();
        let layout = self.sample.layout();
        let observation = Observation {
            readings: &readings,
            layout,
        };
        let candidates = with_pods.then(|| {
            let room = core::mem::take(&mut self.room);
            self.pods.candidates(room)
        });
        let plan = self.evict.step(now, &observation, candidates.as_deref());
        if let Some(candidates) = candidates {
            self.room = emptied(candidates);
        }
        self.timing.lap(Stage::Decide);
        (readings, plan)
    }

    fn tick(&mut self, now: Mono, fs_wait: Duration, tell: Tell<'_>) {
        self.clean_up(now);
        let soon = self
            .remains
            .as_ref()
            .map(|flight| match flight.kill.held_pids() {
                0 => DELETED_INTERVAL,
                _ => REMAINS_INTERVAL,
            });
        self.next_tick = now + soon.unwrap_or(self.interval).min(self.interval);
        self.collect_regularly(now);
        let has_begun = self.dirs.is_none();
        let with_pods = has_begun && self.pods.may_have_limits() && self.is_census_due(now);
        if with_pods {
            self.refresh_pods(now, Depth::Whole, tell);
        }
        let first = self.told.layout.is_none();
        let fs_wait = if first { FIRST_FS_WAIT } else { fs_wait };
        let (_, plan) = self.observe(now, fs_wait, with_pods);
        self.carry_out(now, plan, tell);
        self.tell_changes(now, tell);
        self.set_pace(now);
        if self.evict.met().next().is_none() && !self.evict.is_busy() {
            self.keep_list(now);
        }
    }

    /// Whether the pods are to be looked at for their own limits. Where there are
    /// container runtimes, they are asked first, and waited for a little.
    fn is_census_due(&mut self, now: Mono) -> bool {
        const RUNTIMES_WAIT: Duration = Duration::from_secs(1);
        if now >= self.next_census {
            self.next_census = now + CENSUS;
            self.pods.runtimes.refresh();
            (self.census, self.listed) = (Some(now + RUNTIMES_WAIT), false);
        }
        let no_more_waiting = self.pods.runtimes.is_empty() || self.listed;
        let is_due = self
            .census
            .is_some_and(|until| no_more_waiting || now >= until);
        if is_due {
            self.census = None;
        }
        is_due
    }

    /// Carries plans out until the round rests or waits for a kill.
    ///
    /// Nothing is told before a kill has begun: whoever reads it may be slow, and
    /// memory is not. What led to it is told first all the same.
    fn carry_out(&mut self, now: Mono, mut plan: Plan, tell: Tell<'_>) {
        loop {
            plan = match plan {
                Plan::Evict(_) if self.ending => return,
                Plan::Rest => return,
                Plan::ReadPods => {
                    self.pods.freshen(false);
                    self.list_pods(now, self.depth());
                    self.timing.lap(Stage::List);
                    if self.must_measure_disk(now) {
                        return;
                    }
                    self.outcome(now, Outcome::PodsRead)
                }
                Plan::Reclaim(calls) => {
                    self.tell_changes(now, tell);
                    self.reclaim(now, calls, tell)
                }
                Plan::Evict(eviction) => match self.begin(now, eviction, tell) {
                    Some(plan) => plan,
                    None => return,
                },
                Plan::KillNow => return self.hurry(now, tell),
                Plan::NoCandidate(signal) => {
                    self.tell_changes(now, tell);
                    return self.no_candidate(now, signal, tell);
                }
            }
        }
    }

    fn outcome(&mut self, now: Mono, outcome: Outcome<'_>) -> Plan {
        self.timing.begin();
        if !matches!(outcome, Outcome::Killed | Outcome::CleanedUp) {
            self.read_what_counts();
        }
        let candidates = self.pods.candidates(core::mem::take(&mut self.room));
        let plan = self.evict.outcome(now, outcome, Some(&candidates));
        self.room = emptied(candidates);
        self.timing.lap(Stage::Decide);
        plan
    }

    fn refresh_pods(&mut self, now: Mono, depth: Depth, tell: Tell<'_>) {
        self.list_pods(now, depth);
        self.tell_pod_problems(now, tell);
    }

    /// Begins to kill; answers with the next plan when that is over at once. Until
    /// SIGKILL is sent nothing is told, and no memory asked for.
    fn begin(&mut self, now: Mono, eviction: Eviction, tell: Tell<'_>) -> Option<Plan> {
        self.told.no_candidate = None;
        let begun = (!self.dry_run).then(|| self.start_kill(now, &eviction));
        if let Some(Some((_, Ok(kill)))) = &begun {
            self.timing.begun(kill.report());
        }
        self.pods.name_containers(eviction.candidate);
        let Some(found) = self.pods.found().get(eviction.candidate).cloned() else {
            return Some(self.outcome(now, Outcome::KillFailed));
        };
        let victim = Victim::new(&found, &eviction);
        self.tell_decision(now, &victim, &eviction, &found.pod.metadata, tell);
        match begun {
            None => Some(self.outcome(now, Outcome::Killed)),
            Some(None) => Some(self.outcome(now, Outcome::KillFailed)),
            Some(Some((how, Ok(kill)))) => {
                let flight = Flight::new(found, victim, kill);
                self.flight = Some(if how.asked_by_runtime {
                    flight.left_to_runtime(now)
                } else {
                    flight
                });
                self.advance_flight(now, tell)
            }
            Some(Some((_, Err(error)))) => {
                let error = error.to_string();
                tell(now, &Event::NotBegun { victim, error });
                Some(self.outcome(now, Outcome::KillFailed))
            }
        }
    }

    fn start_kill(&mut self, now: Mono, eviction: &Eviction) -> Option<(Grace, Begun)> {
        let grace = Duration::from_secs(u64::try_from(eviction.grace_seconds).unwrap_or(0));
        let index = eviction.candidate;
        if grace.is_zero() {
            // The cgroup's side needs no answer.
            let how = Grace::of(grace);
            let begun = self.pods.start_kill(now, index, how);
            self.pods.announce(index, grace);
            return begun.map(|begun| (how, begun));
        }
        let how = self.pods.announce(index, grace);
        let begun = self.pods.start_kill(now, index, how);
        begun.map(|begun| (how, begun))
    }

    fn go_on_killing(&mut self, now: Mono, tell: Tell<'_>) {
        if let Some(plan) = self.advance_flight(now, tell) {
            self.carry_out(now, plan, tell);
        }
    }

    /// Polls the kill in flight; answers with the next plan once it has ended.
    fn advance_flight(&mut self, now: Mono, tell: Tell<'_>) -> Option<Plan> {
        let flight = self.flight.as_mut()?;
        let is_unheard = flight.ask_if_unheard(now);
        let state = flight.poll(now);
        if is_unheard {
            tell(now, &Event::SilentRuntime(flight.victim.clone()));
        }
        match state {
            KillState::Waiting { .. } => None,
            KillState::Gone => {
                let flight = self.flight.take()?;
                self.timing.gone(flight.kill.report());
                self.gone.truncate(FEW_GONE);
                self.gone.insert(0, flight.victim.uid.clone());
                self.reclaiming.pod_has_gone();
                tell(now, &Event::Killed(flight.ended()));
                self.next_tick = now; // measure again at once (decision D31)
                let plan = self.outcome(now, Outcome::Killed);
                self.remains = Some(flight);
                self.clean_up(now);
                Some(plan)
            }
            KillState::Stuck => {
                let flight = self.flight.take()?;
                tell(now, &Event::Stuck(flight.ended()));
                if now > flight.kill.report().started {
                    // Who cannot die may have given back its memory all the same: only
                    // what starves now takes another.
                    self.observe(now, FS_WAIT, false);
                }
                self.refresh_pods(now, self.depth(), tell);
                Some(self.outcome(now, Outcome::KillFailed))
            }
        }
    }

    /// The next pod goes only when what the last one leaves behind is out of the
    /// way, or the state machine has waited long enough.
    fn clean_up(&mut self, now: Mono) {
        let awaited = self
            .remains
            .as_ref()
            .is_some_and(|flight| self.is_awaited(flight));
        if awaited && self.evict.is_busy() {
            return;
        }
        if self.remains.take().is_some() {
            self.outcome(now, Outcome::CleanedUp);
        }
    }

    /// "Gone" was said of an empty cgroup, so its memory is on its way. Its process
    /// ids come back when somebody has waited for the dead; its files when somebody
    /// deletes them, which the next round does itself where it may.
    fn is_awaited(&self, flight: &Flight) -> bool {
        let starves = |resource: Resource| {
            self.evict
                .met()
                .any(|met| met.threshold.signal.resource() == resource)
        };
        match flight.victim.resource {
            Some(Resource::EphemeralStorage | Resource::Inodes) => {
                self.collector.is_none()
                    && (starves(Resource::EphemeralStorage) || starves(Resource::Inodes))
            }
            Some(Resource::Memory | Resource::Pids) | None => {
                starves(Resource::Pids) && flight.kill.held_pids() > 0
            }
        }
    }

    /// The pod in flight gets no more grace.
    fn hurry(&mut self, now: Mono, tell: Tell<'_>) {
        let Some(flight) = self.flight.take() else {
            return;
        };
        let victim = flight.victim.clone();
        let at_once = Grace::of(Duration::ZERO);
        match self.pods.runtime.start_kill(now, &flight.found, at_once) {
            Ok(kill) => {
                self.timing.begun(kill.report());
                self.flight = Some(Flight::new(flight.found, flight.victim, kill));
            }
            // The former kill goes on and ends with its own deadline.
            Err(_) => self.flight = Some(flight),
        }
        self.tell_changes(now, tell);
        tell(now, &Event::Hurried(victim));
        self.go_on_killing(now, tell);
    }
}
