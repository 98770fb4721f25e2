//! The loop's body: reads, asks the state machine, carries out its plans.
//!
//! It knows no signals, no logger and no clock; what happens it notes as
//! [`Event`](crate::Event)s. Each
//! part of it ([`Killing`], [`Holding`], [`Reclaiming`], [`Census`], [`Telling`], [`Pace`]) keeps its
//! own state to itself; here is only what needs several of them.

mod carry_out;
mod file_pages;
mod holder;
mod kept_list;
mod postponing;
mod reclaim;
mod reconfigure;

use core::time::Duration;
use std::os::fd::BorrowedFd;

use evictd_evict::{Evict, Memory, Observation, Outcome, Plan, Returns, TooManyThresholds};
use evictd_node::{ConditionSet, Mono, Reading, Readings, Signal};

use evictd_rank::Candidate;

use crate::census::Census;
use crate::event::{Event, OomKilled};
use crate::holding::Holding;
use crate::killing::Killing;
use crate::pace::{Pace, headroom, is_memory};
use crate::pages::Pages;
use crate::picture::Picture;
use crate::ports::{Depth, Node, Pods, Reclaim, Sample, Scratch, emptied};
use crate::reclaiming::Reclaiming;
use crate::settings::Settings;
use crate::telling::Telling;
use crate::timers::{Timer, Timers};
use crate::timing::{Recorder, Stage};

/// How long a round waits for the filesystems: a healthy one answers in microseconds, a
/// dead one must not delay the memory decision.
pub const FS_WAIT: Duration = Duration::from_millis(5);

/// How long it waits until the layout is known, and when somebody waits for an answer.
pub const FIRST_FS_WAIT: Duration = Duration::from_secs(1);

/// A loop that is that late has stood still, and a reading of that age is no base for an
/// eviction.
const STANDSTILL: Duration = Duration::from_secs(1);

/// How soon to try again while memory is short and no pod may be evicted for it: another
/// may come any time.
const SHORT_OF_MEMORY: Duration = Duration::from_secs(1);

/// The loop of node-pressure eviction over its ports: the node, its pods, and what is
/// reclaimed. See the [crate's page](crate) for an example.
pub struct Engine<N, P, R> {
    node: N,
    /// The pods, as last listed.
    pods: P,
    reclaim: R,
    evict: Evict,
    /// All but the state machine's own, which it has.
    settings: Settings,
    sample: Sample,
    /// When the node was read last, all of it.
    sampled_at: Mono,
    /// When the loop was here last, to do what is due.
    last_turn: Option<Mono>,
    /// When the last round began.
    last_round: Option<Mono>,
    /// Room for the list that the state machine is shown.
    scratch: Scratch,
    timers: Timers,
    killing: Killing,
    holding: Holding,
    reclaiming: Reclaiming,
    census: Census,
    telling: Telling,
    pace: Pace,
    pages: Pages,
    picture: Picture,
    /// Other settings were taken, and no round has begun since.
    is_new: bool,
    /// The least that was left of memory since the OOM killer's work was last looked at.
    least_memory: Option<Reading>,
    timing: Recorder,
}

impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// An engine that has read nothing yet; its first round is due.
    ///
    /// # Errors
    /// More thresholds than can be watched.
    pub fn new(
        mut settings: Settings,
        (node, pods, reclaim): (N, P, R),
    ) -> Result<Self, TooManyThresholds> {
        let mut timers = Timers::default();
        timers.set(Timer::Round, Mono::ZERO);
        Ok(Self {
            node,
            pods,
            reclaim,
            evict: Evict::new(core::mem::take(&mut settings.evict))?,
            sample: Sample::default(),
            sampled_at: Mono::ZERO,
            last_turn: None,
            last_round: None,
            scratch: Scratch::new(),
            timers,
            killing: Killing::default(),
            holding: Holding::default(),
            reclaiming: Reclaiming::default(),
            census: Census::default(),
            telling: Telling::default(),
            pace: Pace::new(settings.processors),
            pages: Pages::default(),
            picture: Picture::default(),
            is_new: false,
            least_memory: None,
            timing: Recorder::new(settings.clock),
            settings,
        })
    }

    /// Does what is due by `now`: goes on with a kill, looks at memory, begins a round.
    /// Returns whether anything may have changed: `false` where nothing was due, or a look
    /// at memory saw nothing. What happened is to be taken afterwards
    /// ([`Engine::take_events`]).
    pub fn run_due(&mut self, now: Mono) -> bool {
        self.telling.events.make_room();
        let changed = self.do_due(now);
        // Last, as it asks for memory: no other kill waits for it.
        self.look_for_returned(now) | changed
    }

    /// What has happened since this was last asked, in its order, each event with the time that
    /// the engine was told in that turn.
    pub fn take_events(&mut self) -> impl Iterator<Item = (Mono, Event)> {
        self.telling.events.take()
    }

    fn do_due(&mut self, now: Mono) -> bool {
        self.notice_standstill(now);
        let busy = self.killing.is_killing();
        let changed = self.take_news(now) | self.take_deletion(now) | busy;
        self.go_on_killing(now);
        if self.killing.has_ended() {
            return true;
        }
        if now >= self.round_at(now) {
            self.round(now, FS_WAIT);
        } else if self.sees_crossing(now) {
            self.round(now, Duration::ZERO); // no disk may delay it
        } else {
            return changed;
        }
        true
    }

    /// Where the loop comes far too late (the process was stopped, the machine starved),
    /// the world has changed since anything was measured.
    fn notice_standstill(&mut self, now: Mono) {
        let due = self.last_turn.map(|turn| self.wake_at(turn));
        if due.is_some_and(|due| now.since(due) >= STANDSTILL) {
            self.evict.trust_only_from(now);
            self.census.trust_only_from(now);
        }
        self.last_turn = Some(now);
    }

    /// When to come back at the latest; never before `now`.
    #[must_use]
    pub fn wake_at(&self, now: Mono) -> Mono {
        let looks = [Timer::Look, Timer::Held].map(|timer| self.timers.get(timer));
        let looks = looks.into_iter().flatten();
        looks.fold(self.round_at(now), Mono::min).max(now)
    }

    /// When the next round begins at the latest, or a kill goes on.
    fn round_at(&self, now: Mono) -> Mono {
        // As of the last round: asked as of now, a deadline would vanish the moment it
        // comes. One that a round has seen is over, whatever came of it.
        let deadline = self.last_round.and_then(|round| {
            let deadline = self.evict.next_deadline(round);
            deadline.filter(|at| *at > round)
        });
        let timers = [Timer::Round, Timer::Kill, Timer::RuntimeSilent];
        let timers = timers
            .into_iter()
            .filter_map(|timer| self.timers.get(timer));
        timers.chain(deadline).min().unwrap_or(now)
    }

    /// Looks at memory if that is due. `true` when a threshold is met that was not.
    fn sees_crossing(&mut self, now: Mono) -> bool {
        if !self.timers.is_expired(Timer::Look, now) {
            return false;
        }
        self.timing.begin();
        let is_over = self.pace.is_guarded() && self.is_crossed(now, Depth::Bounds);
        if is_over {
            // More may be used than what the kernel tells of.
            self.guard(false);
        }
        let is_crossed = !self.pace.is_guarded() && self.is_crossed(now, Depth::Whole);
        self.timing.lap(Stage::Read);
        is_crossed
    }

    fn is_crossed(&mut self, now: Mono, depth: Depth) -> bool {
        let readings = self.node.read_memory(now, depth);
        self.note_memory(now, depth, &readings)
            .is_some_and(|left| left < 0)
    }

    /// Goes by what was just read of memory. Returns how much is left, as [`headroom`].
    fn note_memory(&mut self, now: Mono, depth: Depth, readings: &Readings) -> Option<i64> {
        if depth == Depth::Whole {
            let both = [self.least_memory, readings.get(Signal::MemoryAvailable)];
            let both = both.into_iter().flatten();
            self.least_memory = both.min_by_key(|reading| reading.available);
        }
        let left = headroom(&self.evict, readings);
        let positive = left.map(|left| u64::try_from(left).unwrap_or(0));
        self.pace.note(now, depth, positive, &mut self.timers);
        left
    }

    fn round(&mut self, now: Mono, fs_wait: Duration) {
        self.clean_up(now);
        self.picture.look(now, &self.pods);
        let (soon, interval) = (self.killing.remains_interval(), self.settings.interval);
        let next = now + soon.map_or(interval, |soon| soon.min(interval));
        self.timers.set(Timer::Round, next);
        self.hasten_after_reload(now);
        self.collect_regularly(now);
        // Pods that are shown now are killed without what comes before a kill for memory.
        let with_pods = self.pods.may_have_limits()
            && !self.memory_is_short(now)
            && self.census.is_due(now, &mut self.pods, &mut self.timers);
        if with_pods {
            self.list_pods(now, Depth::Whole);
            self.telling.pod_problems(now, &self.pods);
        }
        let fs_wait = if self.telling.knows_layout() {
            fs_wait
        } else {
            FIRST_FS_WAIT
        };
        let plan = self.observe(now, fs_wait, with_pods);
        self.carry_out(now, plan);
        self.tell_changes(now);
        self.tell_pages(now);
        self.tell_holder(now);
        self.tell_unheard(now);
        let readings = self.sample.readings;
        let left = self.note_memory(now, Depth::Whole, &readings);
        let latest = readings.get(Signal::MemoryAvailable);
        let least = core::mem::replace(&mut self.least_memory, latest);
        for kill in self.pods.oom_kills(now) {
            let wall = (self.settings.wall_clock)();
            let killed = OomKilled::new(kill, self.evict.thresholds(), least, wall);
            self.telling.tell(now, Event::OomKilled(Box::new(killed)));
        }
        let is_short = {
            let mut due = self.evict.due();
            due.any(|threshold| threshold.is_hard() && is_memory(threshold))
        };
        if is_short && !self.settings.dry_run && !self.evict.is_busy() {
            self.timers.set_earlier(Timer::Round, now + SHORT_OF_MEMORY);
        }
        if self.evict.met().next().is_none() {
            self.census.nothing_is_short();
            if !self.evict.is_busy() {
                self.keep_list(now, left);
            }
        }
    }

    /// Reads the node and steps the state machine, without carrying the plan out. With
    /// pods, as last listed, their own limits are looked at too.
    pub fn observe(&mut self, now: Mono, fs_wait: Duration, with_pods: bool) -> Plan {
        self.last_round = Some(now);
        self.timing.begin();
        self.sample = self.node.read(now, fs_wait);
        self.sampled_at = now;
        self.timing.lap(Stage::Read);
        if self.sample.readings == Readings::default() {
            // Where nothing can be read nothing is decided, as in the kubelet.
            self.evict.take_layout(self.sample.layout);
            return Plan::Rest;
        }
        let Sample {
            readings, layout, ..
        } = self.sample;
        let readings = &readings;
        let observation = Observation { readings, layout };
        let plan = if with_pods {
            self.with_candidates(|evict, _, pods| evict.step(now, &observation, Some(pods)))
        } else {
            self.evict.step(now, &observation, None)
        };
        self.timing.lap(Stage::Decide);
        plan
    }

    /// Lists the pods, and makes the room that showing them to the state machine takes.
    fn list_pods(&mut self, now: Mono, depth: Depth) {
        self.picture.look(now, &self.pods);
        self.pods.refresh(now, depth);
        // Once, and where pods have come.
        self.with_candidates(|_, _, _| ());
    }

    /// Shows the state machine the pods as last listed, in memory that was used before.
    fn with_candidates<T>(&mut self, ask: impl FnOnce(&mut Evict, &P, &[Candidate<'_>]) -> T) -> T {
        let candidates = self.pods.candidates(core::mem::take(&mut self.scratch));
        let answer = ask(&mut self.evict, &self.pods, &candidates);
        self.scratch = emptied(candidates);
        answer
    }
}

/// What the loop around it reports to it.
impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// Begins a round now, whatever the interval.
    pub fn round_now(&mut self) {
        self.timers.set(Timer::Round, Mono::ZERO);
    }

    /// What the state machine knew before a restart, and which pods came back after their
    /// eviction. To be called before the first round.
    pub fn restore(&mut self, now: Mono, memory: &Memory, returns: Returns) {
        self.evict.restore(now, memory);
        self.evict.restore_returns(returns);
    }

    /// These conditions hold on from before a restart.
    pub const fn hold_on(&mut self, conditions: ConditionSet) {
        self.telling.hold_on(conditions);
    }

    /// Looks at memory now: the kernel says that something has happened there.
    pub fn look_now(&mut self) {
        self.pace.hurry(&mut self.timers);
    }

    /// The kernel tells before processes can fill memory up to a threshold, or does not:
    /// while it does, memory is looked at more seldom between two rounds.
    pub fn guard(&mut self, guarded: bool) {
        self.pace.guard(guarded, &mut self.timers);
    }

    /// Looks at the pods in the next round, which begins now.
    pub fn look_at_pods(&mut self) {
        self.timers.set(Timer::Census, Mono::ZERO);
        self.round_now();
    }

    /// The loop is awake, which had to be by `due` and not before it fell asleep.
    pub fn woken(&mut self, asleep: Mono, due: Mono) {
        self.timing.woken(asleep, due);
    }

    /// Nobody waits any longer for a pod that could not be killed: another may be evicted.
    pub fn give_up_waiting(&mut self, now: Mono) {
        self.evict.outcome(now, Outcome::CleanedUp, None);
    }

    /// Begins no other kill after the one in flight. Returns whether this was new.
    pub const fn end_after_kill(&mut self) -> bool {
        self.killing.end_after_kill()
    }
}

/// What there is to know of it.
impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// The node's port.
    pub const fn node(&self) -> &N {
        &self.node
    }

    /// The same, for what is asked of it beside the rounds.
    pub const fn node_mut(&mut self) -> &mut N {
        &mut self.node
    }

    /// The pods, as last listed.
    pub const fn pods(&self) -> &P {
        &self.pods
    }

    /// The same, for what is asked of them beside the rounds.
    pub const fn pods_mut(&mut self) -> &mut P {
        &mut self.pods
    }

    /// What is reclaimed.
    pub const fn reclaim(&self) -> &R {
        &self.reclaim
    }

    /// The same, for what is asked of it beside the rounds.
    pub const fn reclaim_mut(&mut self) -> &mut R {
        &mut self.reclaim
    }

    /// The state machine.
    pub const fn evict(&self) -> &Evict {
        &self.evict
    }

    /// How long the stages of the loop take.
    pub const fn timing(&self) -> &Recorder {
        &self.timing
    }

    /// Whether a pod is being killed.
    pub const fn is_killing(&self) -> bool {
        self.killing.is_killing()
    }

    /// Whether the last kill before the end is over.
    pub const fn has_ended(&self) -> bool {
        self.killing.has_ended()
    }

    /// The descriptors that, when readable, mean that a killed process is gone.
    pub fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>)) {
        self.killing.each_descriptor(each);
    }

    /// How fast this machine is taken to fill memory, in bytes a second.
    pub const fn fill_rate(&self) -> u64 {
        self.pace.rate()
    }

    /// Whether the kernel tells before processes can fill memory up to a threshold.
    pub const fn is_guarded(&self) -> bool {
        self.pace.is_guarded()
    }

    /// When each thing that has its time is due, where it is set.
    pub fn timers(&self) -> impl Iterator<Item = (Timer, Mono)> {
        let timers = Timer::ALL.into_iter();
        timers.filter_map(|timer| Some((timer, self.timers.get(timer)?)))
    }

    /// The latest readings.
    pub const fn readings(&self) -> &Readings {
        &self.sample.readings
    }
}
