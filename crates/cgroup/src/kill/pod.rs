use evictd_node::Mono;
use rustix::fd::BorrowedFd;
use smallvec::SmallVec;

use super::scratch::Spare;
use super::{Kill, KillReport, KillState, SEVERAL};
use crate::KillInFlight;

/// A pod that is being killed: each of its cgroups has a kill of its own, and most pods
/// have one cgroup.
#[derive(Debug)]
pub(crate) struct PodKill {
    all: SmallVec<[Kill; SEVERAL]>,
    report: KillReport,
    /// Where their memory comes from.
    spare: Spare,
}

impl PodKill {
    pub(crate) fn new(now: Mono, all: SmallVec<[Kill; SEVERAL]>, spare: Spare) -> Self {
        let report = KillReport::new(now);
        let mut kill = Self { all, report, spare };
        kill.take_reports();
        kill
    }

    /// What all of them say together.
    fn take_reports(&mut self) {
        let mut sum = KillReport::new(self.report.started);
        for report in self.all.iter().map(Kill::report) {
            sum.term_sent = earlier(sum.term_sent, report.term_sent);
            sum.kill_sent = earlier(sum.kill_sent, report.kill_sent);
            sum.method = sum.method.or(report.method);
            sum.processes += report.processes;
            sum.problem = sum.problem.or(report.problem);
            sum.remaining.extend(report.remaining.iter().cloned());
            sum.out_of_sight |= report.out_of_sight;
        }
        // Nothing has ended before the last part has.
        if self.all.iter().all(|kill| kill.report().ended.is_some()) {
            let ended = self.all.iter().map(|kill| kill.report().ended);
            sum.ended = ended.max().flatten();
        }
        self.report = sum;
    }
}

impl Drop for PodKill {
    fn drop(&mut self) {
        let used = self.all.drain(..).map(Kill::into_scratch);
        self.spare.put_back(used);
    }
}

impl KillInFlight for PodKill {
    fn poll(&mut self, now: Mono) -> KillState {
        let mut all = KillState::Gone;
        for kill in &mut self.all {
            all = match (all, kill.poll(now)) {
                (KillState::Waiting { until }, KillState::Waiting { until: other }) => {
                    KillState::Waiting {
                        until: until.min(other),
                    }
                }
                (waiting @ KillState::Waiting { .. }, _)
                | (_, waiting @ KillState::Waiting { .. }) => waiting,
                (KillState::Stuck, _) | (_, KillState::Stuck) => KillState::Stuck,
                (KillState::Gone, KillState::Gone) => KillState::Gone,
            };
        }
        self.take_reports();
        all
    }

    fn ask(&mut self) {
        self.all.iter_mut().for_each(KillInFlight::ask);
    }

    fn end_grace(&mut self, now: Mono) {
        self.all.iter_mut().for_each(|kill| kill.end_grace(now));
    }

    fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>)) {
        self.all.iter().flat_map(Kill::pidfds).for_each(each);
    }

    fn report(&self) -> &KillReport {
        &self.report
    }

    fn held_pids(&self) -> u64 {
        self.all.iter().map(Kill::held_pids).sum()
    }
}

fn earlier(one: Option<Mono>, other: Option<Mono>) -> Option<Mono> {
    one.into_iter().chain(other).min()
}
