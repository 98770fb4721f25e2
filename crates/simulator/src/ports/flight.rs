use core::time::Duration;
#[cfg(unix)]
use std::os::fd::BorrowedFd;

use evictd_node::Mono;
use evictd_node::kill::{KillInFlight, KillMethod, KillReport, KillState};

use super::Shared;
use crate::world::pod::Life;

/// How long after SIGKILL a pod that does not die counts as stuck.
const STUCK_AFTER: Duration = Duration::from_secs(10);

/// How long after SIGKILL a pod counts as stuck while memory or disk runs out.
const STUCK_SOONER: Duration = Duration::from_secs(1);

/// A kill in the world.
pub(crate) struct Flight {
    world: Shared,
    uid: String,
    /// SIGTERM is sent from here.
    asks: bool,
    killed_at: Mono,
    stuck_after: Duration,
    report: KillReport,
}

impl Flight {
    pub(crate) fn new(world: Shared, uid: String, now: Mono, grace: Duration, asks: bool) -> Self {
        world.borrow_mut().kills.graceful = Some(uid.clone());
        let mut flight = Self {
            world,
            uid,
            asks: asks && !grace.is_zero(),
            killed_at: now + grace,
            stuck_after: STUCK_AFTER,
            report: KillReport::new(now),
        };
        flight.poll(now);
        flight
    }
}

impl KillInFlight for Flight {
    fn poll(&mut self, now: Mono) -> KillState {
        let world = &mut *self.world.borrow_mut();
        if core::mem::take(&mut self.asks) {
            world.ask_to_end(&self.uid);
            self.report.term_sent.get_or_insert(now);
        }
        if now >= self.killed_at && self.report.kill_sent.is_none() {
            self.report.kill_sent = Some(now);
            self.report.method = Some(KillMethod::CgroupKill);
            world.kills.graceful = None;
            world.kill(&self.uid);
        }
        if self.report.kill_sent.is_some() {
            world.kill(&self.uid); // whoever was started in it since
        }
        let index = world.index_of(&self.uid);
        let pod = index.and_then(|index| world.pods.get(index));
        if pod.is_none_or(|pod| !pod.runs()) {
            self.report.ended = Some(now);
            (world.in_flight, world.kills.graceful) = (None, None);
            world.last_gone = Some(now);
            return KillState::Gone;
        }
        let stuck = self.killed_at + self.stuck_after;
        if now >= stuck {
            self.report.ended = Some(now);
            world.in_flight = None;
            world.is_stuck(&self.uid);
            return KillState::Stuck;
        }
        let dies = pod.and_then(|pod| match pod.life {
            Life::Dies(at) => at,
            Life::Runs | Life::Gone(_) => None,
        });
        let next = [Some(self.killed_at), dies, Some(stuck)];
        let next = next.into_iter().flatten().filter(|at| *at > now);
        KillState::Waiting {
            until: next.min().unwrap_or(now + Duration::from_millis(1)),
        }
    }

    fn ask(&mut self) {
        self.asks = true;
    }

    fn end_grace(&mut self, now: Mono) {
        self.killed_at = self.killed_at.min(now);
    }

    fn expect_effect_soon(&mut self) {
        self.stuck_after = STUCK_SOONER;
    }

    #[cfg(unix)]
    fn each_descriptor(&self, _each: &mut dyn FnMut(BorrowedFd<'_>)) {}

    fn report(&self) -> &KillReport {
        &self.report
    }

    fn held_pids(&self) -> u64 {
        self.world.borrow().held_pids(&self.uid)
    }
}
