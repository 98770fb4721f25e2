//! A kill of `evictd-cgroup` as the engine drives it.

use std::os::fd::BorrowedFd;

use evictd_engine::ports::{KillInFlight, KillMethod, KillReport, KillState, Remaining};
use evictd_node::Mono;

use evictd_cgroup as cgroup;

/// A kill through the pod's cgroup.
pub(crate) struct CgroupKill(pub(crate) Box<dyn cgroup::KillInFlight>);

impl KillInFlight for CgroupKill {
    fn poll(&mut self, now: Mono) -> KillState {
        match self.0.poll(now) {
            cgroup::KillState::Waiting { until } => KillState::Waiting { until },
            cgroup::KillState::Gone => KillState::Gone,
            cgroup::KillState::Stuck => KillState::Stuck,
        }
    }

    fn ask(&mut self) {
        self.0.ask();
    }

    fn end_grace(&mut self, now: Mono) {
        self.0.end_grace(now);
    }

    fn expect_effect_soon(&mut self) {
        self.0.expect_effect_soon();
    }

    fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>)) {
        self.0.each_descriptor(each);
    }

    fn report(&self) -> KillReport {
        let of = self.0.report();
        let remaining = of.remaining.iter().map(|one| Remaining {
            pid: one.pid.as_raw_nonzero().get(),
            state: one.state,
        });
        KillReport {
            kill_sent: of.kill_sent,
            ended: of.ended,
            method: of.method.and_then(method),
            processes: of.processes,
            problem: of.problem.as_ref().map(ToString::to_string),
            remaining: remaining.collect(),
            ..KillReport::new(of.started)
        }
    }

    fn held_pids(&self) -> u64 {
        self.0.held_pids()
    }
}

/// `None` for one that this port does not know yet.
const fn method(of: cgroup::KillMethod) -> Option<KillMethod> {
    Some(match of {
        cgroup::KillMethod::CgroupKill => KillMethod::CgroupKill,
        cgroup::KillMethod::Freezer => KillMethod::Freezer,
        cgroup::KillMethod::Signals => KillMethod::Signals,
        _ => return None,
    })
}
