//! The engine as the loop around it sees it; what happens in a turn is [`Loop`]'s.
//!
//! It knows no signals, no logger and no clock; what happens it notes as
//! [`Event`]s.

mod asked;
mod carry_out;
mod deciding;
mod decision;
mod deletion;
mod gate;
mod gates;
mod limits;
mod reclaim;
mod sampled;
mod turn;

use core::time::Duration;
#[cfg(unix)]
use std::os::fd::BorrowedFd;

use evictd_evict::{Evict, EvictState, Outcome, Plan, Returns, Verdict};
use evictd_node::{ConditionSet, Mono, Readings};

use crate::event::Event;
use crate::ports::{Node, Pods, Reclaim};
use crate::settings::Settings;
use crate::timers::Timer;
use crate::timing::Recorder;
pub use gate::Gate;
pub use sampled::{FIRST_FS_WAIT, FS_WAIT};
use turn::Loop;

/// The loop of node-pressure eviction over its ports: the node, its pods, and what is
/// reclaimed. See the [crate's page](crate) for an example.
pub struct Engine<N, P, R> {
    turns: Loop<N, P, R>,
}

impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// An engine that has read nothing yet; its first round is due.
    pub fn new(mut settings: Settings, ports: (N, P, R)) -> Self {
        let evict = Evict::new(core::mem::take(&mut settings.evict));
        let turns = Loop::new(settings, evict, ports);
        Self { turns }
    }

    /// Does what is due by `now`: goes on with a kill, looks at memory, begins a round.
    /// Returns whether anything may have changed: `false` where nothing was due, or a look
    /// at memory saw nothing. What happened is to be taken afterwards
    /// ([`Engine::take_events`]).
    pub fn run_due(&mut self, now: Mono) -> bool {
        self.turns.run_due(now)
    }

    /// What has happened since this was last asked, in its order, each event with the time that
    /// the engine was told in that turn.
    pub fn take_events(&mut self) -> impl Iterator<Item = (Mono, Event)> {
        self.turns.telling.events.take()
    }

    /// When to come back at the latest; never before `now`.
    #[must_use]
    pub fn wake_at(&self, now: Mono) -> Mono {
        self.turns.wake_at(now)
    }

    /// Reads the node and steps the state machine, without carrying the plan out. With
    /// pods, as last listed, their own limits are looked at too.
    pub fn observe(&mut self, now: Mono, fs_wait: Duration, with_pods: bool) -> Plan {
        self.turns.observe(now, fs_wait, with_pods)
    }

    /// Lists the pods once the start is over: where they may have limits, so that what they
    /// hold is measured when the next round looks; else so that the list is there when one
    /// has to be evicted.
    pub fn list_early(&mut self, now: Mono) {
        let readings = &self.turns.sampled.sample.readings;
        let timers = &mut self.turns.timers;
        self.turns.deciding.list_early(now, readings, timers);
    }

    /// Goes on with other settings, but for the clocks and the number of processors, which
    /// stay. A round is due now, and soon after it another: a threshold that has changed
    /// needs two to act ([`Evict::reconfigure`](evictd_evict::Evict::reconfigure)). What
    /// goes on goes on: the kill in flight ends as it was begun.
    pub fn reconfigure(&mut self, mut settings: Settings) {
        self.turns
            .deciding
            .evict
            .reconfigure(core::mem::take(&mut settings.evict));
        self.turns.settings = Settings {
            processors: self.turns.settings.processors,
            clock: self.turns.settings.clock,
            wall_clock: self.turns.settings.wall_clock,
            ..settings
        };
        self.turns.is_new = true;
        self.turns.round_now();
    }
}

/// What the loop around it reports to it.
impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// Begins a round now, whatever the interval.
    pub fn round_now(&mut self) {
        self.turns.round_now();
    }

    /// What the state machine knew before a restart, and which pods came back after their
    /// eviction. To be called before the first round.
    pub fn restore(&mut self, now: Mono, state: &EvictState, returns: Returns) {
        self.turns.deciding.evict.restore(now, state);
        self.turns.deciding.evict.restore_returns(returns);
    }

    /// These conditions hold on from before a restart.
    pub const fn hold_on(&mut self, conditions: ConditionSet) {
        self.turns.telling.hold_on(conditions);
    }

    /// Looks at memory now: the kernel says that something has happened there.
    pub fn look_now(&mut self) {
        self.turns.pace.look_now(&mut self.turns.timers);
    }

    /// The kernel tells before processes can fill memory up to a threshold, or does not:
    /// while it does, memory is looked at more seldom between two rounds.
    pub fn guard(&mut self, guarded: bool) {
        self.turns.pace.guard(guarded, &mut self.turns.timers);
    }

    /// The kernel tells when time is lost waiting for memory, or does not: while it does and is
    /// silent, nobody looks for that between two rounds.
    pub fn stall_is_told(&mut self, is_told: bool) {
        let turns = &mut self.turns;
        turns.pace.stall_is_told(is_told, &mut turns.timers);
    }

    /// Looks at the pods in the next round, which begins now.
    pub fn look_at_pods(&mut self) {
        self.turns.timers.set(Timer::Limits, Mono::ZERO);
        self.turns.round_now();
    }

    /// The loop is awake, which had to be by `due` and not before it fell asleep.
    pub fn woken(&mut self, asleep: Mono, due: Mono) {
        self.turns.timing.woken(asleep, due);
    }

    /// Nobody waits any longer for a pod that could not be killed: another may be evicted.
    pub fn give_up_waiting(&mut self, now: Mono) {
        self.turns
            .deciding
            .evict
            .outcome(now, Outcome::CleanedUp, None);
    }

    /// Begins no other kill after the one in flight. Returns whether this was new.
    pub const fn end_after_kill(&mut self) -> bool {
        self.turns.killing.end_after_kill()
    }
}

/// What there is to know of it.
impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// The node's port.
    pub const fn node(&self) -> &N {
        &self.turns.sampled.node
    }

    /// The node's port, for what is asked of it beside the rounds.
    pub const fn node_mut(&mut self) -> &mut N {
        &mut self.turns.sampled.node
    }

    /// The pods, as last listed.
    pub const fn pods(&self) -> &P {
        &self.turns.deciding.pods
    }

    /// The pods, for what is asked of them beside the rounds.
    pub const fn pods_mut(&mut self) -> &mut P {
        &mut self.turns.deciding.pods
    }

    /// What is reclaimed.
    pub const fn reclaim(&self) -> &R {
        &self.turns.reclaim
    }

    /// What is reclaimed, for what is asked of it beside the rounds.
    pub const fn reclaim_mut(&mut self) -> &mut R {
        &mut self.turns.reclaim
    }

    /// The state machine.
    pub const fn evict(&self) -> &Evict {
        &self.turns.deciding.evict
    }

    /// How long the stages of the loop take.
    pub const fn timing(&self) -> &Recorder {
        &self.turns.timing
    }

    /// Whether evictions wait for those who describe pods and were not heard yet.
    #[must_use]
    pub const fn awaits_picture(&self) -> bool {
        self.turns.deciding.picture.is_awaited()
    }

    /// Whether a pod is being killed.
    pub const fn is_killing(&self) -> bool {
        self.turns.killing.is_killing()
    }

    /// Whether the last kill before the end is over.
    pub const fn has_ended(&self) -> bool {
        self.turns.killing.has_ended()
    }

    /// The descriptors that, when readable, mean that a killed process is gone.
    #[cfg(unix)]
    pub fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>)) {
        self.turns.killing.each_descriptor(each);
    }

    /// Whether the kernel tells before processes can fill memory up to a threshold.
    pub const fn is_guarded(&self) -> bool {
        self.turns.pace.is_guarded()
    }

    /// When each thing that has its time is due, where it is set.
    pub fn timers(&self) -> impl Iterator<Item = (Timer, Mono)> {
        let timers = Timer::ALL.into_iter();
        timers.filter_map(|timer| Some((timer, self.turns.timers.get(timer)?)))
    }

    /// What holds back the eviction that was decided in the latest round
    /// ([`Evict::proposed`](evictd_evict::Evict::proposed)), or the answer that there is none.
    pub fn held_back_by(&self) -> Option<Gate> {
        let waits = self.turns.deciding.evict.awaits_its_gates();
        self.turns.held_back_by.filter(|_| waits)
    }

    /// Of each signal of which a threshold is met: which pod is next and why, or why none is.
    /// Pods are listed for it, and it allocates: for whoever asks between two turns.
    pub fn verdicts(&mut self, now: Mono) -> Vec<Verdict> {
        self.turns.verdicts(now)
    }

    /// The latest readings of memory: of a round, or of a look between two.
    pub const fn memory(&self) -> &Readings {
        &self.turns.sampled.memory
    }

    /// The latest readings.
    pub const fn readings(&self) -> &Readings {
        &self.turns.sampled.sample.readings
    }
}
