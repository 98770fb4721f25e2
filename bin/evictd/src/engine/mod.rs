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

use core::time::Duration;
use std::os::fd::BorrowedFd;

use evictd_evict::{Evict, Eviction, Observation, Outcome, Plan};
use evictd_node::{ConditionSet, Mono, Readings, Resource, Signal, SignalSet};
use evictd_pod::Metadata;
use evictd_runtime::{Grace, KillState, PodKiller};
use evictd_state::Record;
use evictd_stats::{DiskScanner, NodeReader, NodeSample, NodeSettings, wall_seconds};

use crate::gc::Collector;
use crate::pods::Pods;
use crate::setup::{FIRST_FS_WAIT, FS_WAIT, Setup};

pub(crate) use event::{Event, Victim};
use flight::Flight;
use pace::Pace;
use reclaim::Reclaiming;

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
    no_candidate: Option<Signal>,
}

impl Engine {
    /// Opens the node's files and the runtime.
    pub(crate) fn open(setup: Setup) -> Result<Self, String> {
        let text = |error: &dyn core::fmt::Display| error.to_string();
        let mut pods = Pods::open(setup.cgroup, setup.manifests, setup.runtimes)?;
        if let Some(dirs) = setup.dirs {
            let scanner = DiskScanner::start().map_err(|error| text(&error))?;
            pods.measure_disk(scanner, dirs);
        }
        Ok(Self {
            evict: Evict::new(setup.evict).map_err(|error| text(&error))?,
            reader: NodeReader::open(setup.node.clone()).map_err(|error| text(&error))?,
            node: setup.node,
            finds_imagefs: setup.finds_imagefs,
            finds_containerfs: setup.finds_containerfs,
            pods,
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
            pace: Pace::new(),
            disk_asked: None,
            ending: false,
            told: Told::default(),
        })
    }

    /// Does what is due by `now`: goes on with a kill, looks at memory, begins a
    /// round. Answers whether anything may have changed, which a look alone does not.
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
        self.sample = self.reader.read_within(now, fs_wait);
        let readings = self.sample.readings();
        let layout = self.sample.layout();
        let observation = Observation {
            readings: &readings,
            layout,
        };
        let candidates = with_pods.then(|| self.pods.candidates());
        let plan = self.evict.step(now, &observation, candidates.as_deref());
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
        let with_pods = self.pods.may_have_limits() && self.is_census_due(now);
        if with_pods {
            self.refresh_pods(now, tell);
        }
        let first = self.told.layout.is_none();
        let fs_wait = if first { FIRST_FS_WAIT } else { fs_wait };
        let (readings, plan) = self.observe(now, fs_wait, with_pods);
        self.tell_changes(now, &readings, tell);
        self.carry_out(now, plan, tell);
        self.set_pace(now);
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
    fn carry_out(&mut self, now: Mono, mut plan: Plan, tell: Tell<'_>) {
        loop {
            plan = match plan {
                Plan::Evict(_) if self.ending => return,
                Plan::Rest => return,
                Plan::ReadPods => {
                    self.pods.freshen(false);
                    self.refresh_pods(now, tell);
                    if self.must_measure_disk(now) {
                        return;
                    }
                    self.outcome(now, Outcome::PodsRead)
                }
                Plan::Reclaim(calls) => self.reclaim(now, calls, tell),
                Plan::Evict(eviction) => match self.begin(now, eviction, tell) {
                    Some(plan) => plan,
                    None => return,
                },
                Plan::KillNow => return self.hurry(now, tell),
                Plan::NoCandidate(signal) => return self.no_candidate(now, signal, tell),
            }
        }
    }

    fn outcome(&mut self, now: Mono, outcome: Outcome<'_>) -> Plan {
        self.evict
            .outcome(now, outcome, Some(&self.pods.candidates()))
    }

    fn refresh_pods(&mut self, now: Mono, tell: Tell<'_>) {
        self.pods.refresh();
        if self.pods.problems() != self.told.pod_problems {
            self.told.pod_problems = self.pods.problems().to_vec();
            for problem in &self.told.pod_problems {
                tell(now, &Event::Problem(problem.clone()));
            }
        }
    }

    /// Begins to kill; answers with the next plan when that is over at once.
    fn begin(&mut self, now: Mono, eviction: Eviction, tell: Tell<'_>) -> Option<Plan> {
        self.told.no_candidate = None;
        let Some(found) = self.pods.found().get(eviction.candidate).cloned() else {
            return Some(self.outcome(now, Outcome::KillFailed));
        };
        let victim = Victim::new(&found, &eviction);
        let record = self.record(&eviction, &found.pod.metadata);
        let decided = Event::evicting(
            &victim,
            &eviction,
            &self.evict,
            &self.sample,
            record,
            self.dry_run,
        );
        tell(now, &decided);
        if self.dry_run {
            return Some(self.outcome(now, Outcome::Killed));
        }
        let grace = Duration::from_secs(u64::try_from(eviction.grace_seconds).unwrap_or(0));
        let how = self.pods.announce(&found, grace);
        match self.pods.runtime.start_kill(now, &found, how) {
            Ok(kill) => {
                let flight = Flight::new(found, victim, kill);
                self.flight = Some(if how.asked_by_runtime {
                    flight.left_to_runtime(now)
                } else {
                    flight
                });
                self.advance_flight(now, tell)
            }
            Err(error) => {
                tell(
                    now,
                    &Event::NotBegun {
                        victim,
                        error: error.to_string(),
                    },
                );
                Some(self.outcome(now, Outcome::KillFailed))
            }
        }
    }

    /// What is kept of an eviction over a restart.
    fn record(&self, eviction: &Eviction, metadata: &Metadata) -> Record {
        let (readings, wall) = (self.sample.readings(), wall_seconds());
        let mut record = Record::new(wall, eviction, &self.evict, &readings, metadata);
        record.device = record
            .signal
            .and_then(|signal| event::device(signal, &self.sample));
        if self.dry_run {
            record.outcome = evictd_state::Outcome::DryRun;
        }
        record
    }

    fn go_on_killing(&mut self, now: Mono, tell: Tell<'_>) {
        if let Some(plan) = self.advance_flight(now, tell) {
            self.carry_out(now, plan, tell);
        }
    }

    /// Polls the kill in flight; answers with the next plan once it has ended.
    fn advance_flight(&mut self, now: Mono, tell: Tell<'_>) -> Option<Plan> {
        let flight = self.flight.as_mut()?;
        if flight.ask_if_unheard(now) {
            let victim = flight.victim.clone();
            tell(now, &Event::SilentRuntime(victim));
        }
        let state = flight.poll(now);
        match state {
            KillState::Waiting { .. } => None,
            KillState::Gone => {
                let flight = self.flight.take()?;
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
                self.refresh_pods(now, tell);
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
        tell(now, &Event::Hurried(flight.victim.clone()));
        match self
            .pods
            .runtime
            .start_kill(now, &flight.found, Grace::of(Duration::ZERO))
        {
            Ok(kill) => self.flight = Some(Flight::new(flight.found, flight.victim, kill)),
            // The former kill goes on and ends with its own deadline.
            Err(_) => self.flight = Some(flight),
        }
        self.go_on_killing(now, tell);
    }

    fn no_candidate(&mut self, now: Mono, signal: Signal, tell: Tell<'_>) {
        if self.told.no_candidate != Some(signal) {
            self.told.no_candidate = Some(signal);
            let pods = self.pods.found().len();
            tell(now, &Event::NoCandidate { signal, pods });
        }
    }

    fn tell_changes(&mut self, now: Mono, readings: &Readings, tell: Tell<'_>) {
        self.tell_unread(now, tell);
        let layout = self.sample.layout();
        if layout.is_some() && layout != self.told.layout {
            self.told.layout = layout;
            tell(now, &Event::layout(&self.sample));
        }
        self.tell_unobserved(now, readings, tell);
        self.tell_met(now, readings, tell);
        let conditions = self.evict.conditions();
        for condition in (conditions ^ self.told.conditions).each() {
            tell(
                now,
                &Event::Condition {
                    condition,
                    holds: conditions.has(condition),
                },
            );
        }
        self.told.conditions = conditions;
    }

    /// Reading errors, once per change.
    fn tell_unread(&mut self, now: Mono, tell: Tell<'_>) {
        let errors = self.reader.errors();
        if errors.is_empty() && self.told.unread.is_empty() {
            return; // the steady case, without allocation
        }
        let unread: Vec<String> = errors.iter().map(ToString::to_string).collect();
        if unread == self.told.unread {
            return;
        }
        for problem in &unread {
            tell(now, &Event::Problem(problem.clone()));
        }
        if unread.is_empty() {
            tell(now, &Event::Recovered);
        }
        self.told.unread = unread;
    }

    /// Thresholds whose signal cannot be observed, once per change (F13, F28).
    fn tell_unobserved(&mut self, now: Mono, readings: &Readings, tell: Tell<'_>) {
        let mut unobserved = SignalSet::empty();
        for threshold in self
            .evict
            .thresholds()
            .iter()
            .filter(|t| t.operator.is_some())
        {
            if readings.get(threshold.signal).is_none() {
                unobserved.insert(threshold.signal.set());
            }
        }
        for signal in (unobserved ^ self.told.unobserved).each() {
            tell(
                now,
                &Event::Observed {
                    signal,
                    observed: !unobserved.has(signal),
                },
            );
        }
        self.told.unobserved = unobserved;
    }

    fn tell_met(&mut self, now: Mono, readings: &Readings, tell: Tell<'_>) {
        let mut met = SignalSet::empty();
        for each in self.evict.met() {
            let signal = each.threshold.signal;
            if !met.has(signal) && !self.told.met.has(signal) {
                tell(now, &Event::met(&each, readings, &self.sample));
            }
            met.insert(signal.set());
        }
        for signal in self.told.met.difference(met).each() {
            tell(now, &Event::cleared(signal, readings));
        }
        self.told.met = met;
    }
}
