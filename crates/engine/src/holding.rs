//! Pods that were evicted, and whose container runtime is to keep them down.
//!
//! SIGKILL does not wait for the runtime, which is told at the same time to end the pod. One
//! that is slow sees its container die before it has noted that it is to stay down, and
//! starts it anew, as the restart policy says. So an eviction is over when the runtime says
//! that the pod is down, and not when its processes are gone. Whatever runs in it again until
//! then, or within seconds, is ended at once: it goes through no threshold, as it is the
//! same eviction.

use core::time::Duration;

use evictd_node::Mono;

use crate::event::{Event, Victim};
use crate::events::Events;
use crate::ports::Killing;
use crate::timers::{Timer, Timers};

/// So long a pod is looked at closely, also when its runtime has said that it is down: from
/// when it was gone, and from when the runtime started it again last.
pub(crate) const CLOSELY: Duration = Duration::from_secs(5);

/// So long at most, whatever its runtime says: by then it has been asked in vain for minutes.
const MOST: Duration = Duration::from_secs(300);

/// How soon to look again: one that writes as fast as it can gets no further than a disk
/// writes in that time.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How soon to look again once the pod is looked at closely no more.
const LOOK_LATER: Duration = Duration::from_millis(200);

/// So many are held; evictions come one a second at most.
const FEW: usize = 64;

struct Held {
    victim: Victim,
    /// When its processes were gone; `None` while it is being killed.
    gone: Option<Mono>,
    /// It is looked at closely until then.
    closely_until: Mono,
    /// Its runtime has said that it is down.
    is_down: bool,
}

#[derive(Default)]
pub(crate) struct Holding {
    pods: Vec<Held>,
}

impl Holding {
    /// A runtime was told to end that pod, whose kill has begun.
    pub(crate) fn begin<P: Killing>(&mut self, victim: &Victim, pods: &mut P) {
        self.pods.retain(|held| {
            let is_other = held.victim.uid != victim.uid;
            // There is one kill at a time: one that is not gone could not be killed.
            if is_other && held.gone.is_none() {
                pods.let_go(&held.victim.uid);
            }
            is_other && held.gone.is_some()
        });
        if self.pods.len() >= FEW {
            pods.let_go(&self.pods.remove(0).victim.uid);
        }
        self.pods.push(Held {
            victim: victim.clone(),
            gone: None,
            closely_until: Mono::ZERO,
            is_down: false,
        });
    }

    /// The processes of that pod are gone.
    pub(crate) fn is_gone(&mut self, now: Mono, uid: &str, timers: &mut Timers) {
        if let Some(held) = self.of(uid) {
            held.gone = Some(now);
            held.closely_until = now + CLOSELY;
            timers.set_earlier(Timer::Held, now + LOOK_EVERY);
        }
    }

    /// The runtime says that the pod with that uid is down.
    pub(crate) fn is_down(&mut self, uid: &str) {
        if let Some(held) = self.of(uid) {
            held.is_down = true;
        }
    }

    /// Whether that pod's runtime has yet to say that it is down.
    pub(crate) fn awaits(&self, uid: &str) -> bool {
        let mut pods = self.pods.iter();
        pods.any(|held| held.victim.uid == uid && !held.is_down)
    }

    fn of(&mut self, uid: &str) -> Option<&mut Held> {
        self.pods.iter_mut().find(|held| held.victim.uid == uid)
    }

    /// Looks which of them run again, and has those ended. Returns whether any does.
    pub(crate) fn look<P: Killing>(
        &mut self,
        now: Mono,
        pods: &mut P,
        timers: &mut Timers,
        events: &mut Events,
    ) -> bool {
        if !timers.is_expired(Timer::Held, now) {
            return false;
        }
        timers.stop(Timer::Held);
        let mut any = false;
        self.pods.retain_mut(|held| {
            let Some(gone) = held.gone else {
                return true;
            };
            let uid = &held.victim.uid;
            if pods.end_again(now, uid, held.is_down) {
                any = true;
                if !held.is_down {
                    held.closely_until = now + CLOSELY;
                }
                held.is_down = false;
                let (victim, after) = (held.victim.clone(), now.since(gone));
                events.tell(now, Event::CameBack { victim, after });
            }
            let is_close = now < held.closely_until;
            let is_held = now < gone + MOST && (is_close || !held.is_down);
            if is_held {
                let nap = if is_close { LOOK_EVERY } else { LOOK_LATER };
                timers.set_earlier(Timer::Held, now + nap);
            } else {
                pods.let_go(uid);
            }
            is_held
        });
        any
    }
}
