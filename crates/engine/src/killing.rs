//! The pod that is being killed, what it leaves, and which pods are gone.
//!
//! There is never a second kill before the first has ended: [`Killing::begin`] is called
//! by a plan of `evict` alone, which makes none while it awaits the outcome of another.

use core::time::Duration;
#[cfg(unix)]
use std::os::fd::BorrowedFd;

use evictd_evict::{Evict, Left};
use evictd_node::kill::{KillInFlight, KillState};
use evictd_node::{Mono, Resource, Signal};

use crate::event::{Event, Victim};
use crate::events::Events;
use crate::ports::Begun;
use crate::timers::{Timer, Timers};
use crate::timing::Recorder;

/// How long a runtime may be silent before the pod is asked to end from here.
const SILENCE: Duration = Duration::from_secs(2);

/// How many pods that are gone are remembered.
const FEW_GONE: usize = 16;

/// How soon to look again whether a dead pod's process ids are free.
const PIDS_INTERVAL: Duration = Duration::from_millis(20);

/// How soon to look again whether somebody has deleted a dead pod's files.
const DELETED_INTERVAL: Duration = Duration::from_secs(1);

/// How soon to look again whether memory runs out though a pod was sent SIGKILL for it.
const MEMORY_INTERVAL: Duration = Duration::from_secs(1);

struct Flight {
    victim: Victim,
    kill: Box<dyn KillInFlight>,
    /// Of a pod that was sent SIGKILL for memory: how much was available then.
    available: Option<i64>,
    /// When to look at memory again.
    look_at: Option<Mono>,
}

/// What came of polling a kill.
pub(crate) enum Polled {
    /// It goes on, or there is none.
    Nothing,
    /// The pod is gone.
    Gone,
    /// The pod cannot be killed.
    Stuck {
        /// Whether that took any time.
        took_time: bool,
    },
}

#[derive(Default)]
pub(crate) struct Killing {
    flight: Option<Flight>,
    /// A pod that is gone and whose process ids or files may not be.
    last: Option<Flight>,
    /// Uids of pods that are gone, the last first: what they left may be deleted at once.
    gone: Vec<String>,
    ending: bool,
}

impl Killing {
    /// A kill has begun, and is to be polled now.
    pub(crate) fn begin(&mut self, now: Mono, victim: Victim, begun: Begun, timers: &mut Timers) {
        debug_assert!(self.flight.is_none(), "two kills in flight");
        let kill = begun.kill;
        self.flight = Some(Flight {
            victim,
            kill,
            available: None,
            look_at: None,
        });
        if begun.left_to_runtime {
            timers.set(Timer::RuntimeSilent, now + SILENCE);
        }
    }

    /// Polls the kill in flight. Sends SIGTERM from here where the runtime that was to do
    /// it is silent.
    pub(crate) fn poll(
        &mut self,
        now: Mono,
        timers: &mut Timers,
        timing: &mut Recorder,
        events: &mut Events,
    ) -> Polled {
        let Some(flight) = &mut self.flight else {
            return Polled::Nothing;
        };
        let is_silent = timers.is_expired(Timer::RuntimeSilent, now);
        if is_silent {
            timers.stop(Timer::RuntimeSilent);
            flight.kill.ask();
        }
        let state = flight.kill.poll(now);
        if is_silent {
            events.tell(now, Event::RuntimeSilent(flight.victim.clone()));
        }
        if let KillState::Waiting { until } = state {
            let look_at = flight.look_at.unwrap_or(until);
            timers.set(Timer::Kill, until.min(look_at));
            return Polled::Nothing;
        }
        timers.stop(Timer::Kill);
        timers.stop(Timer::RuntimeSilent);
        let Some(flight) = self.flight.take() else {
            return Polled::Nothing;
        };
        let (victim, mut report) = (flight.victim.clone(), flight.kill.report().clone());
        // The kill itself may have taken longer than the turn of the loop it began with.
        report.ended = Some(timing.now().max(now));
        if state == KillState::Stuck {
            let took_time = now > report.started;
            events.tell(now, Event::Stuck { victim, report });
            return Polled::Stuck { took_time };
        }
        timing.gone(&report);
        self.gone.truncate(FEW_GONE - 1);
        self.gone.insert(0, victim.uid.clone());
        events.tell(now, Event::Killed { victim, report });
        self.last = Some(flight);
        Polled::Gone
    }

    /// Whether a pod was sent SIGKILL for memory, and that is to be looked at now.
    pub(crate) fn must_look_at_memory(&self, now: Mono) -> bool {
        self.flight.as_ref().is_some_and(|flight| {
            flight.victim.resource == Some(Resource::Memory)
                && flight.kill.report().kill_sent.is_some()
                && flight.look_at.is_none_or(|at| now >= at)
        })
    }

    /// So much memory is available now. Where it is less than at SIGKILL, a pod that does
    /// not die must not hold back the next for long (acceptance row 206).
    pub(crate) fn note_memory(&mut self, now: Mono, available: Option<i64>) {
        let Some(flight) = &mut self.flight else {
            return;
        };
        flight.look_at = Some(now + MEMORY_INTERVAL);
        if available < flight.available {
            flight.kill.expect_effect_soon();
        }
        flight.available = flight.available.or(available);
    }

    /// The pod in flight gets no more grace; which one that is. One that was sent SIGKILL has
    /// none left.
    pub(crate) fn end_grace(
        &mut self,
        now: Mono,
        timers: &mut Timers,
        timing: &mut Recorder,
    ) -> Option<Victim> {
        let of_grace = |flight: &&mut Flight| flight.kill.report().kill_sent.is_none();
        let flight = self.flight.as_mut().filter(of_grace)?;
        flight.kill.end_grace(now);
        flight.kill.poll(now);
        timing.begun(flight.kill.report());
        timers.stop(Timer::RuntimeSilent);
        Some(flight.victim.clone())
    }

    /// The container runtime says that it is about to end the pod with that uid.
    pub(crate) fn heard(&self, uid: &str, timers: &mut Timers) {
        if self.is_of(uid) {
            timers.stop(Timer::RuntimeSilent);
        }
    }

    /// The container runtime cannot end the pod with that uid. Returns whether it is in
    /// flight: then it is asked to end from here.
    pub(crate) fn ask_instead(&mut self, uid: &str) -> bool {
        let is_in_flight = self.is_of(uid);
        if let Some(flight) = self.flight.as_mut().filter(|_| is_in_flight) {
            flight.kill.ask();
        }
        is_in_flight
    }

    fn is_of(&self, uid: &str) -> bool {
        let flight = self.flight.as_ref();
        flight.is_some_and(|flight| flight.victim.uid == uid)
    }

    pub(crate) const fn is_killing(&self) -> bool {
        self.flight.is_some()
    }

    #[cfg(unix)]
    pub(crate) fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>)) {
        if let Some(flight) = &self.flight {
            flight.kill.each_descriptor(each);
        }
    }

    pub(crate) const fn end_after_kill(&mut self) -> bool {
        !core::mem::replace(&mut self.ending, true)
    }

    pub(crate) const fn is_ending(&self) -> bool {
        self.ending
    }

    pub(crate) const fn has_ended(&self) -> bool {
        self.ending && self.flight.is_none()
    }

    /// Uids of pods that are gone.
    pub(crate) fn gone(&self) -> &[String] {
        &self.gone
    }

    /// The uid of the pod that is gone, if it was evicted for that.
    pub(crate) fn last_gone_for(&self, resource: Resource) -> Option<&str> {
        let victim = &self.last.as_ref()?.victim;
        (victim.resource == Some(resource)).then_some(victim.uid.as_str())
    }

    /// What the pod that is gone has left on the disk that it was evicted for, and that disk's
    /// signal.
    pub(crate) fn last_left(&self) -> Option<(Signal, Option<Left>)> {
        let victim = &self.last.as_ref()?.victim;
        let (disk, resource) = (victim.disk?, victim.resource?);
        let mut all = Signal::ALL.into_iter();
        let of_disk = |signal: &Signal| signal.filesystem() == Some(disk);
        let signal = all.find(|signal| of_disk(signal) && signal.resource() == resource)?;
        Some((signal, victim.left()))
    }

    /// Whether the pod that is gone was above a limit of its own.
    pub(crate) fn last_was_for_a_limit(&self) -> bool {
        let last = self.last.as_ref();
        last.is_some_and(|last| last.victim.resource.is_none())
    }

    /// How soon to look at what the last pod left, where it left anything.
    pub(crate) fn clean_up_interval(&self) -> Option<Duration> {
        let last = self.last.as_ref()?;
        Some(match last.kill.held_pids() {
            0 => DELETED_INTERVAL,
            _ => PIDS_INTERVAL,
        })
    }

    /// Whether the next pod must not be evicted before what the last one left is out of
    /// the way.
    ///
    /// "Gone" was said of an empty cgroup, so its memory is on its way. Its process ids come
    /// back when somebody has waited for the dead; its files when somebody deletes them,
    /// which the next round does itself where it may.
    pub(crate) fn awaits_clean_up(&self, evict: &Evict, is_open: bool, deletes: bool) -> bool {
        let Some(last) = &self.last else {
            return false;
        };
        let mut met = evict.met().map(|met| met.threshold.signal);
        if let Some(disk) = last.victim.disk {
            // What is short on another disk says nothing of what it left on this one. Who may
            // go on writing is awaited, whatever was read meanwhile.
            let is_short = met.any(|signal| signal.filesystem() == Some(disk));
            return is_open || is_short && !deletes;
        }
        met.any(|signal| signal.resource() == Resource::Pids) && last.kill.held_pids() > 0
    }

    /// Nothing of the last pod is awaited any more. Returns whether there was one.
    pub(crate) fn end_clean_up(&mut self) -> bool {
        self.last.take().is_some()
    }
}
