//! One pod being killed.
//!
//! The races, before the code:
//!
//! * A pid is listed, its process ends, and another process gets the number
//!   (F21). So a pidfd is opened first, then the cgroup is listed again: what
//!   is still listed while the pidfd is open is the process that it names. No
//!   path out of `/proc/PID/cgroup` has to be compared, so cgroup namespaces do
//!   not matter.
//! * A process forks while the others are signalled. The kernel's own
//!   `cgroup.kill` (v2) leaves no gap. Elsewhere the listing is repeated: what has
//!   been sent SIGKILL forks no more, so a listing that shows nobody else is the
//!   end of it. A pod that makes processes faster than that is frozen after a few
//!   listings where v1 has a freezer, killed while it stands still, and thawed; not
//!   sooner, because a v1 freezer holds back even SIGKILL, and the memory of what
//!   was killed comes back while we list.
//! * Somebody else has frozen the pod. On v1 it is thawed once SIGKILL is sent,
//!   with each cgroup below; on v2 `cgroup.kill` and SIGKILL act on it as it is.
//! * A process leaves `cgroup.procs` a moment after its pidfd tells that it
//!   ended, or a moment before. So "gone" is said only of an empty listing, and
//!   only when the pidfds of those that were killed tell it too: then their memory
//!   is back, and what is measured next is true.

mod report;
mod scratch;
mod strike;
mod target;
#[cfg(test)]
mod tests;
mod victims;

use core::mem::take;
use core::time::Duration;

use evictd_node::Mono;
use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::process::Signal;

pub use report::{KillMethod, KillReport, KillState, Problem, Remaining};
use scratch::Scratch;
pub(crate) use scratch::Spare;
pub use target::Target;

use crate::{Grace, KillInFlight, Releaser};

/// The first wait for something that no descriptor tells; it doubles.
const SHORTEST_NAP: Duration = Duration::from_millis(1);

/// The longest such wait.
const LONGEST_NAP: Duration = Duration::from_millis(100);

/// How long a kill may take, apart from the pod's grace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KillLimits {
    /// On cgroup v1, how long a pod that goes on making processes may take to
    /// freeze before these are killed anyway; a process in D state does not freeze.
    pub freeze: Duration,
    /// How long after SIGKILL nobody may end while the pod still has processes,
    /// before it counts as stuck and the caller should take the next candidate
    /// (F20). A thousand processes may take longer than one to end on a busy
    /// machine: as long as they become fewer, they are not stuck.
    pub gone: Duration,
}

impl Default for KillLimits {
    /// 100 ms to freeze, 10 s without anybody ending.
    fn default() -> Self {
        Self {
            freeze: Duration::from_millis(100),
            gone: Duration::from_secs(10),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Term { until: Mono },
    Freeze { until: Mono },
    Kill { until: Mono },
    Gone,
    Stuck,
}

/// A pod that is being killed: asked by SIGTERM, and killed when its grace is
/// over.
///
/// Nothing here blocks, forks or asks for the time. The caller polls it when
/// one of [`Kill::pidfds`] becomes readable and when the time in
/// [`KillState::Waiting`] has come. Dropping it leaves the pod thawed and
/// sends nothing more.
#[derive(Debug)]
pub struct Kill {
    target: Target,
    limits: KillLimits,
    releaser: Option<Releaser>,
    /// Whether SIGTERM is ours to send.
    asks: bool,
    step: Step,
    scratch: Scratch,
    /// Takes that back when it is over.
    spare: Spare,
    /// The fewest processes that were listed since SIGKILL.
    fewest: usize,
    report: KillReport,
    nap: Duration,
    /// Something is pending that no pidfd will tell.
    unwatched: bool,
}

impl Kill {
    /// Begins: with a grace, every process of the pod is sent SIGTERM now, unless a
    /// runtime does that; with none, SIGKILL.
    ///
    /// `releaser` gives back the memory of what is killed without waiting for
    /// it to run.
    #[must_use]
    pub fn start(
        now: Mono,
        target: Target,
        grace: Grace,
        limits: KillLimits,
        releaser: Option<Releaser>,
    ) -> Self {
        Self::start_in(Spare::new(), now, target, grace, limits, releaser)
    }

    /// The same in what another has left, so that no memory is asked for.
    pub(crate) fn start_in(
        spare: Spare,
        now: Mono,
        target: Target,
        grace: Grace,
        limits: KillLimits,
        releaser: Option<Releaser>,
    ) -> Self {
        let mut kill = Self {
            target,
            limits,
            releaser,
            asks: !grace.asked_by_runtime,
            step: Step::Term {
                until: now + grace.length,
            },
            scratch: spare.take(),
            spare,
            fewest: usize::MAX,
            report: KillReport::new(now),
            nap: SHORTEST_NAP,
            unwatched: false,
        };
        kill.poll(now);
        kill
    }

    /// The pidfds whose processes have not ended yet: each becomes readable
    /// when its process ends. The set changes with every [`KillInFlight::poll`], which
    /// also closes those that have ended.
    pub fn pidfds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.scratch.victims.pidfds()
    }

    const fn has_ended(&self) -> bool {
        matches!(self.step, Step::Gone | Step::Stuck)
    }

    fn advance(&mut self, now: Mono) -> Result<(), Problem> {
        match self.step {
            Step::Term { until } if now < until => self.during_grace(now),
            Step::Term { .. } => self.begin_kill(now),
            Step::Freeze { until } => self.kill_frozen(now, until),
            Step::Kill { until } => {
                self.kill_all(now)?;
                self.expect_an_end(now, until)
            }
            Step::Gone | Step::Stuck => Ok(()),
        }
    }

    /// The deadline is put off whenever there are fewer than ever before.
    fn expect_an_end(&mut self, now: Mono, until: Mono) -> Result<(), Problem> {
        let left = self.scratch.listing.pids().len();
        if self.has_ended() {
            return Ok(());
        }
        if left < self.fewest {
            let until = now + self.limits.gone;
            (self.fewest, self.step) = (left, Step::Kill { until });
            return Ok(());
        }
        if now >= until {
            return Err(Problem::Deadline);
        }
        Ok(())
    }

    /// SIGTERM to each process that has not had it: processes made during the grace
    /// as well.
    fn during_grace(&mut self, now: Mono) -> Result<(), Problem> {
        if !self.list(now)? {
            return Ok(());
        }
        self.recruit()?;
        if !self.asks {
            return Ok(());
        }
        if self.scratch.victims.send(Signal::TERM) > 0 {
            self.report.term_sent.get_or_insert(now);
        }
        self.count();
        self.check_denied()
    }

    /// Lists the pod's processes; false when there are none, which ends it unless
    /// one of the killed is still giving back what it holds.
    fn list(&mut self, now: Mono) -> Result<bool, Problem> {
        let listed = self.scratch.listing.list(self.target.members());
        listed.map_err(Problem::Kernel)?;
        if self.scratch.listing.is_empty() {
            let is_over = matches!(self.step, Step::Kill { until } if now >= until);
            if is_over || !self.scratch.victims.any_dying() {
                self.finish(now, Step::Gone);
            }
            return Ok(false);
        }
        match self.target.proc().protected_among(&self.scratch.listing) {
            Some(pid) => Err(Problem::Protected(pid)),
            None => Ok(true),
        }
    }

    /// What nobody will ever get rid of need not be waited for.
    fn check_denied(&self) -> Result<(), Problem> {
        let Scratch { victims, listing } = &self.scratch;
        let all = listing.pids().iter().all(|pid| victims.is_denied(*pid));
        if all && !self.scratch.listing.pids().is_empty() {
            return Err(Problem::Denied);
        }
        Ok(())
    }

    fn count(&mut self) {
        self.report.processes = self.scratch.victims.signalled();
    }

    /// Descriptors or memory are short: that may pass, until the deadline.
    fn wait_out(&mut self, now: Mono, errno: Errno) {
        self.unwatched = true;
        let over = matches!(self.step, Step::Kill { until } if now >= until);
        if over {
            self.stick(now, Problem::Kernel(errno));
        } else if matches!(self.step, Step::Term { until } if now >= until) {
            let until = now + self.limits.gone;
            self.step = Step::Kill { until };
        }
    }

    fn stick(&mut self, now: Mono, problem: Problem) {
        let proc = self.target.proc();
        let remaining = self.scratch.listing.pids().iter().map(|pid| Remaining {
            pid: *pid,
            state: proc.stat(*pid, |stat| char::from(stat.state)),
        });
        self.report.remaining = remaining.collect();
        self.report.out_of_sight = self.scratch.listing.has_hidden();
        self.report.problem = Some(problem);
        self.finish(now, Step::Stuck);
    }

    fn finish(&mut self, now: Mono, step: Step) {
        self.target.thaw();
        self.scratch.victims.clear();
        self.report.ended = Some(now);
        self.step = step;
    }

    fn state(&mut self, now: Mono) -> KillState {
        let until = match self.step {
            Step::Gone => return KillState::Gone,
            Step::Stuck => return KillState::Stuck,
            Step::Term { until } | Step::Freeze { until } | Step::Kill { until } => until,
        };
        if !self.unwatched && self.scratch.victims.cover(&self.scratch.listing) {
            self.nap = SHORTEST_NAP;
            return KillState::Waiting { until };
        }
        let soon = now + self.nap;
        self.nap = self.nap.saturating_mul(2).min(LONGEST_NAP);
        KillState::Waiting {
            until: until.min(soon),
        }
    }
}

impl KillInFlight for Kill {
    fn poll(&mut self, now: Mono) -> KillState {
        if !self.has_ended() {
            self.scratch.victims.sweep();
            self.unwatched = false;
            match self.advance(now) {
                Ok(()) => {}
                Err(Problem::Kernel(errno)) if is_shortage(errno) => self.wait_out(now, errno),
                Err(problem) => self.stick(now, problem),
            }
        }
        self.state(now)
    }

    fn ask(&mut self) {
        self.asks = true;
    }

    fn end_grace(&mut self, now: Mono) {
        if let Step::Term { until } = &mut self.step {
            *until = now.min(*until);
        }
    }

    fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>)) {
        self.pidfds().for_each(each);
    }

    fn report(&self) -> &KillReport {
        &self.report
    }

    fn held_pids(&self) -> u64 {
        self.target.task_count()
    }
}

impl Drop for Kill {
    fn drop(&mut self) {
        self.spare.put_back(take(&mut self.scratch));
    }
}

/// Whether the failure is of the machine's shortage and may pass.
const fn is_shortage(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN | Errno::BUSY
    )
}
