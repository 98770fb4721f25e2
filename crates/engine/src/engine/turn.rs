//! What the loop does in a turn: it goes on with a kill, looks at memory, begins a round.

use core::time::Duration;

use evictd_evict::{Evict, Observation, Outcome, Plan};
use evictd_node::{Mono, Readings, Signal};

use super::deciding::Deciding;
use super::gate::Gate;
use super::sampled::{FIRST_FS_WAIT, FS_WAIT, STANDSTILL, Sampled};
use crate::event::{Event, OomKilled};
use crate::holding::Holding;
use crate::killing::Killing;
use crate::listing::Listings;
use crate::own_log::OwnLog;
use crate::pace::{
    DiskPace, Pace, disk_headroom, headroom, is_stall, is_stall_near, is_stalled_anew,
};
use crate::pages::Pages;
use crate::ports::{Depth, Node, Pods, Reclaim, Sample};
use crate::reclaiming::Reclaiming;
use crate::settings::Settings;
use crate::telling::Telling;
use crate::timers::{Timer, Timers};
use crate::timing::{Recorder, Stage};

/// How soon to try again while memory is short and no pod may be evicted for it: another
/// may come any time.
const SHORT_OF_MEMORY: Duration = Duration::from_secs(1);

/// How soon after the first round by other settings the next one begins.
const AFTER_RELOAD: Duration = Duration::from_millis(50);

/// All that a turn needs. Each part keeps its own state to itself; here is only what needs
/// several of them.
pub(super) struct Loop<N, P, R> {
    pub(super) sampled: Sampled<N>,
    pub(super) deciding: Deciding<P>,
    /// What is reclaimed.
    pub(super) reclaim: R,
    /// All but the state machine's own, which it has.
    pub(super) settings: Settings,
    /// When the loop was to be here next, as its last turn left it: what wakes it sooner from
    /// outside (a notice of the kernel, other settings, a mount) makes it no later than that.
    due: Option<Mono>,
    /// When the last round began.
    last_round: Option<Mono>,
    pub(super) timers: Timers,
    pub(super) killing: Killing,
    /// What held back the last eviction that was decided.
    pub(super) held_back_by: Option<Gate>,
    pub(super) holding: Holding,
    pub(super) reclaiming: Reclaiming,
    pub(super) own_log: OwnLog,
    pub(super) listings: Listings,
    pub(super) telling: Telling,
    pub(super) pace: Pace,
    disk_pace: DiskPace,
    pub(super) pages: Pages,
    /// Other settings were taken, and no round has begun since.
    pub(super) is_new: bool,
    pub(super) timing: Recorder,
}

impl<N: Node, P: Pods, R: Reclaim<P>> Loop<N, P, R> {
    pub(super) fn new(settings: Settings, evict: Evict, (node, pods, reclaim): (N, P, R)) -> Self {
        let mut timers = Timers::default();
        timers.set(Timer::Round, Mono::ZERO);
        Self {
            sampled: Sampled::new(node),
            deciding: Deciding::new(evict, pods),
            reclaim,
            due: None,
            last_round: None,
            timers,
            killing: Killing::default(),
            held_back_by: None,
            holding: Holding::default(),
            reclaiming: Reclaiming::default(),
            own_log: OwnLog::default(),
            listings: Listings::default(),
            telling: Telling::default(),
            pace: Pace::new(settings.processors),
            disk_pace: DiskPace::default(),
            pages: Pages::default(),
            is_new: false,
            timing: Recorder::new(settings.clock),
            settings,
        }
    }

    pub(super) fn run_due(&mut self, now: Mono) -> bool {
        self.telling.events.reserve();
        let changed = self.do_due(now);
        // Last, as it asks for memory: no other kill waits for it.
        let changed = self.look_for_returned(now) | changed;
        self.due = Some(self.wake_at(now));
        changed
    }

    fn do_due(&mut self, now: Mono) -> bool {
        self.notice_standstill(now);
        let busy = self.killing.is_killing();
        let changed = self.take_news(now) | self.take_deletion(now) | self.take_relief(now) | busy;
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
        let late = self.due.map_or(Duration::ZERO, |due| now.since(due));
        self.sampled.node.note_late(late);
        if late >= STANDSTILL {
            self.deciding.evict.trust_only_from(now);
            self.listings.trust_only_from(now);
        }
    }

    pub(super) fn wake_at(&self, now: Mono) -> Mono {
        let looks = [Timer::Look, Timer::Held].map(|timer| self.timers.get(timer));
        let looks = looks.into_iter().flatten();
        looks.fold(self.round_at(now), Mono::min).max(now)
    }

    /// When the next round begins at the latest, or a kill goes on.
    fn round_at(&self, now: Mono) -> Mono {
        // As of the last round: asked as of now, a deadline would vanish the moment it
        // comes. One that a round has seen is over, whatever came of it.
        let deadline = self.last_round.and_then(|round| {
            let deadline = self.deciding.evict.next_deadline(round);
            deadline.filter(|at| *at > round)
        });
        let timers = [Timer::Round, Timer::Kill, Timer::RuntimeSilent];
        let timers = timers
            .into_iter()
            .filter_map(|timer| self.timers.get(timer));
        timers.chain(deadline).min().unwrap_or(now)
    }

    pub(super) fn round_now(&mut self) {
        self.timers.set(Timer::Round, Mono::ZERO);
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
            self.pace.guard(false, &mut self.timers);
        }
        let is_crossed = !self.pace.is_guarded() && self.is_crossed(now, Depth::Whole);
        self.timing.lap(Stage::Read);
        is_crossed
    }

    fn is_crossed(&mut self, now: Mono, depth: Depth) -> bool {
        let readings = self.sampled.node.read_memory(now, depth);
        let left = self.note_memory(now, depth, &readings);
        let evict = &self.deciding.evict;
        let is_crossed = left.is_some_and(|left| left < 0) || is_stalled_anew(evict, &readings);
        if !is_crossed && is_stall_near(evict, &readings) {
            self.deciding.look_who_stalls(now);
        }
        is_crossed
    }

    /// Goes by what was just read of memory. Returns how much is left, as [`headroom`].
    fn note_memory(&mut self, now: Mono, depth: Depth, readings: &Readings) -> Option<i64> {
        if depth == Depth::Whole {
            self.sampled.note_memory(readings);
        }
        let left = headroom(&self.deciding.evict, readings);
        let positive = left.map(|left| u64::try_from(left).unwrap_or(0));
        let evict = &self.deciding.evict;
        let watches_stall = evict.thresholds().any(is_stall);
        self.pace
            .watch_stall(watches_stall, is_stall_near(evict, readings));
        self.pace.note(now, depth, positive, &mut self.timers);
        left
    }

    fn round(&mut self, now: Mono, fs_wait: Duration) {
        self.clean_up(now);
        self.deciding.look_at_picture(now);
        let (soon, interval) = (self.killing.clean_up_interval(), self.settings.interval);
        let next = now + soon.map_or(interval, |soon| soon.min(interval));
        self.timers.set(Timer::Round, next);
        if core::mem::take(&mut self.is_new) {
            self.timers.set_earlier(Timer::Round, now + AFTER_RELOAD);
        }
        self.collect_regularly(now);
        let with_pods = self.must_look_at_limits(now);
        if with_pods {
            self.deciding.list(now, Depth::Whole);
            self.telling.pod_problems(now, &self.deciding.pods);
        }
        let fs_wait = if self.telling.knows_layout() {
            fs_wait
        } else {
            FIRST_FS_WAIT
        };
        let plan = self.observe(now, fs_wait, with_pods);
        self.carry_out(now, plan);
        self.leave_idle_deletion(now);
        self.tell_round(now);
        let readings = self.sampled.sample.readings;
        let left = self.note_memory(now, Depth::Whole, &readings);
        self.pace_disks(now, &readings);
        self.tell_oom_kills(now);
        self.tidy_up(now);
        self.rest(now, left);
    }

    /// A disk that fills fast, or was late to say what is left of it, is looked at sooner than
    /// with the next round.
    fn pace_disks(&mut self, now: Mono, readings: &Readings) {
        let sample = &self.sampled.sample;
        let disks = [&sample.nodefs, &sample.imagefs, &sample.containerfs];
        let is_late = disks.into_iter().flatten().any(|disk| disk.stale);
        let left = disk_headroom(&self.deciding.evict, readings).filter(|_| !is_late);
        let interval = self.settings.interval;
        if self.disk_pace.note(now, left, interval) || is_late {
            let soon = now + DiskPace::OFTEN.min(interval);
            self.timers.set_earlier(Timer::Round, soon);
        }
    }

    /// Whether the pods are to be looked at for their own limits now. While memory is short
    /// they are not: pods that are shown now are killed without what comes before a kill for
    /// memory.
    fn must_look_at_limits(&mut self, now: Mono) -> bool {
        let (evict, pods) = (&self.deciding.evict, &mut self.deciding.pods);
        pods.may_have_limits()
            && !self.sampled.memory_is_short(now, evict)
            && self.listings.is_due(now, pods, &mut self.timers)
    }

    /// Reads the node and steps the state machine, without carrying the plan out. With
    /// pods, as last listed, their own limits are looked at too.
    pub(super) fn observe(&mut self, now: Mono, fs_wait: Duration, with_pods: bool) -> Plan {
        self.last_round = Some(now);
        self.timing.begin();
        self.sampled.read(now, fs_wait);
        self.timing.lap(Stage::Read);
        let Sample {
            readings, layout, ..
        } = self.sampled.sample;
        if readings == Readings::default() {
            // Where nothing can be read nothing is decided, as in the kubelet.
            self.deciding.evict.take_layout(layout);
            return Plan::Rest;
        }
        let readings = &readings;
        let observation = Observation { readings, layout };
        let plan = self.deciding.step(now, &observation, with_pods);
        self.timing.lap(Stage::Decide);
        plan
    }

    /// What is wanted next, after that came of a plan.
    pub(super) fn outcome(&mut self, now: Mono, outcome: Outcome<'_>) -> Plan {
        self.timing.begin();
        let plan = self.deciding.outcome(now, outcome);
        self.timing.lap(Stage::Decide);
        plan
    }

    /// Tells what is new after a round.
    fn tell_round(&mut self, now: Mono) {
        self.tell_changes(now);
        self.tell_pages(now);
        let memory = self.sampled.reading(Signal::MemoryAvailable);
        if let Some(holder) = self.deciding.who_holds(memory) {
            self.telling.tell(now, Event::Holder(holder));
        }
        if !self.deciding.picture.is_whole() && !self.is_too_early() {
            self.telling.unheard(now, &self.deciding.pods);
        }
    }

    fn tell_oom_kills(&mut self, now: Mono) {
        let least = self.sampled.take_least_memory();
        for kill in self.deciding.pods.oom_kills(now) {
            let wall = (self.settings.wall_clock)();
            let killed = OomKilled::new(kill, self.deciding.evict.thresholds(), least, wall);
            self.telling.tell(now, Event::OomKilled(Box::new(killed)));
        }
    }

    /// A round is over, and so much memory is `left`: what is to be done until the next.
    fn rest(&mut self, now: Mono, left: Option<i64>) {
        const NEAR: i64 = 8;
        let is_busy = self.deciding.evict.is_busy();
        if self.deciding.is_short_of_memory() && !self.settings.dry_run && !is_busy {
            self.timers.set_earlier(Timer::Round, now + SHORT_OF_MEMORY);
        }
        if self.deciding.evict.met().next().is_some() {
            return;
        }
        self.listings.nothing_is_short();
        if !is_busy {
            let memory = self.sampled.reading(Signal::MemoryAvailable);
            let gets_short = memory
                .zip(left)
                .is_some_and(|(memory, left)| left < memory.capacity / NEAR);
            let readings = &self.sampled.sample.readings;
            let timers = &mut self.timers;
            self.deciding.keep_list(now, gets_short, readings, timers);
        }
    }
}
