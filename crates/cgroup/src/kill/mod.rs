//! One pod being killed.
//!
//! The races, before the code:
//!
//! * A pid is listed, its process ends, and another process gets the number
//!   (F21). So the process is held first, by a pidfd or as `Held` does without,
//!   then the cgroup is listed again: what is still listed while it is held is the
//!   process that is held. No path out of `/proc/PID/cgroup` has to be compared, so
//!   cgroup namespaces do not matter.
//! * A process forks while the others are signalled. The kernel's own
//!   `cgroup.kill` (v2) leaves no gap; but it passes over a process whose first thread
//!   has ended, so each process is sent SIGKILL as well. The listing is repeated: what
//!   has been sent SIGKILL forks no more, so a listing that shows nobody else is the
//!   end of it. A pod that makes processes faster than that is frozen after a few
//!   listings where v1 has a freezer, killed while it stands still, and thawed; not
//!   sooner, because a v1 freezer holds back even SIGKILL, and the memory of what
//!   was killed comes back while we list.
//! * Somebody else has frozen the pod. On v1 it is thawed once SIGKILL is sent,
//!   with each cgroup below; on v2 `cgroup.kill` and SIGKILL act on it as it is.
//! * Thousands of processes end, and need the processor for it. So they are not looked at
//!   until the kernel says that the pod is empty (v2, `cgroup.events`), or until one of
//!   those that are left has ended, the middle one of the list: each time half of them
//!   are gone by then (v1). Beside that there are looks that grow rarer.
//!
//! A process leaves its cgroup when it has given back its memory. So "gone", which is said
//! of an empty cgroup, means that what is measured next is true.

mod descriptors;
mod in_flight;
mod limits;
mod problem;
mod scratch;
mod strike;
mod struck;
mod target;
#[cfg(test)]
mod tests;
mod turn;

use core::time::Duration;

use evictd_node::Mono;
use evictd_node::kill::{KillInFlight, KillMethod, KillReport, KillState, Remaining};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};

pub(crate) use descriptors::Descriptors;
pub use limits::KillLimits;
use problem::Problem;
use scratch::Scratch;
pub use target::Target;
pub(crate) use turn::AT_ONCE;

use crate::dir::twice;
use crate::held::has_not_ended;
use crate::process::Proc;
use crate::{Grace, Releaser};

/// The first and the longest wait between two looks, which doubles, for what no descriptor
/// tells.
const NAPS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));

/// The first and the longest wait where a descriptor tells.
const NAPS_WATCHED: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));

/// How many are tried for one to watch.
const SENTINELS: usize = 8;

/// Listings that show a process that is new, in one look, before other work has its turn.
const ROUNDS: u32 = 16;

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
/// Nothing here blocks, forks or asks for the time. The caller polls it when a
/// descriptor of [`KillInFlight::each_descriptor`] becomes readable and when the time in
/// [`KillState::Waiting`] has come; a poll for nothing costs next to nothing. Dropping it
/// leaves the pod thawed and sends nothing more.
#[derive(Debug)]
pub struct Kill {
    target: Target,
    limits: KillLimits,
    releaser: Option<Releaser>,
    /// Whether SIGTERM is ours to send.
    asks: bool,
    step: Step,
    scratch: Scratch,
    /// What is held for it while it waits.
    descriptors: Descriptors,
    /// Where the kernel does not tell when the pod is empty: one of its processes, whose
    /// end is a reason to look.
    sentinel: Option<OwnedFd>,
    /// When to look next, whatever is told.
    look_at: Mono,
    /// Whether the look of now is sooner than that, at a pod that was sent SIGKILL.
    is_told: bool,
    nap: Duration,
    /// The fewest processes that were listed since SIGKILL, and when that was.
    fewest: usize,
    fewer_at: Mono,
    report: KillReport,
}

impl Kill {
    /// Begins: with a grace, every process of the pod is sent SIGTERM now, unless a
    /// runtime does that; with none, SIGKILL.
    ///
    /// `releaser` gives back the memory of what is killed without waiting for
    /// it to run.
    ///
    /// All of a cgroup, at once:
    ///
    /// ```no_run
    /// use core::time::Duration;
    /// use std::path::Path;
    ///
    /// use evictd_cgroup::{Grace, Kill, KillLimits, Target};
    /// use evictd_node::kill::{KillInFlight, KillState};
    /// use evictd_stats::{Hierarchies, now};
    ///
    /// let proc = Path::new("/proc");
    /// let target = Target::open(&Hierarchies::read(proc)?, proc, Path::new("jobs/17"))?;
    /// let at_once = Grace::of(Duration::ZERO);
    /// let mut kill = Kill::start(now(), target, at_once, KillLimits::default(), None);
    /// while let KillState::Waiting { until } = kill.poll(now()) {
    ///     std::thread::sleep(until.since(now()));
    /// }
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn start(
        now: Mono,
        target: Target,
        grace: Grace,
        limits: KillLimits,
        releaser: Option<Releaser>,
    ) -> Self {
        let proc = target.proc().clone();
        let mut kill = Self::idle(proc, limits, releaser, Descriptors::default());
        kill.begin(now, target, grace);
        kill
    }

    /// All that a kill takes of memory, made before it begins.
    pub(crate) fn idle(
        proc: Proc,
        limits: KillLimits,
        releaser: Option<Releaser>,
        descriptors: Descriptors,
    ) -> Self {
        Self {
            target: Target::empty(proc),
            limits,
            releaser,
            asks: false,
            step: Step::Gone,
            scratch: Scratch::new(),
            descriptors,
            sentinel: None,
            look_at: Mono::ZERO,
            is_told: false,
            nap: Duration::ZERO,
            fewest: usize::MAX,
            fewer_at: Mono::ZERO,
            report: KillReport::new(Mono::ZERO),
        }
    }

    /// Begins, without asking for memory.
    pub(crate) fn begin(&mut self, now: Mono, mut target: Target, grace: Grace) {
        target.listen();
        self.target = target;
        self.asks = !grace.asked_by_runtime;
        let until = now + grace.length;
        self.step = Step::Term { until };
        (self.look_at, self.fewer_at) = (now, now);
        self.report = KillReport::new(now);
        self.poll(now);
    }

    const fn has_ended(&self) -> bool {
        matches!(self.step, Step::Gone | Step::Stuck)
    }

    /// Whether there may be something to do that was not there at the last look.
    fn must_look(&self, now: Mono) -> bool {
        let is_due = match self.step {
            Step::Term { until } | Step::Freeze { until } | Step::Kill { until } => now >= until,
            Step::Gone | Step::Stuck => false,
        };
        let has_ended = |sentinel: &OwnedFd| !has_not_ended(sentinel);
        is_due || now >= self.look_at || self.sentinel.as_ref().is_some_and(has_ended)
    }

    fn look(&mut self, now: Mono) -> Result<(), Problem> {
        match self.step {
            Step::Term { until } if now < until => self.during_grace(now),
            Step::Term { .. } => {
                self.set_deadline(now);
                self.nap = Duration::ZERO;
                self.kill_all(now)
            }
            Step::Freeze { until } => self.kill_frozen(now, until),
            Step::Kill { until } => self
                .kill_all(now)
                .and_then(|()| self.expect_an_end(now, until)),
            Step::Gone | Step::Stuck => Ok(()),
        }
    }

    fn set_deadline(&mut self, now: Mono) {
        self.fewer_at = now;
        let until = now + self.limits.gone;
        self.step = Step::Kill { until };
    }

    /// The deadline is put off whenever there are fewer than ever before; and the next may
    /// end soon.
    fn expect_an_end(&mut self, now: Mono, until: Mono) -> Result<(), Problem> {
        let left = self.scratch.listing.pids().len();
        if left < self.fewest {
            self.fewest = left;
            self.nap = Duration::ZERO;
            self.set_deadline(now);
        } else if now >= until && !self.is_empty() {
            return Err(Problem::Deadline);
        }
        Ok(())
    }

    /// SIGTERM to each process that has not had it: processes made during the grace
    /// as well.
    fn during_grace(&mut self, now: Mono) -> Result<(), Problem> {
        if !self.list()? || !self.asks {
            return Ok(());
        }
        if self.strike(Signal::TERM, ROUNDS)?.any {
            self.report.term_sent.get_or_insert(now);
        }
        Ok(())
    }

    /// Lists the pod's processes; false when there are none.
    fn list(&mut self) -> Result<bool, Problem> {
        let Scratch { listing, .. } = &mut self.scratch;
        twice(|| listing.list(self.target.members())).map_err(Problem::Kernel)?;
        match self.target.proc().protected_among(listing) {
            Some(pid) => Err(Problem::Protected(pid)),
            None => Ok(!listing.is_empty()),
        }
    }

    /// Whether nothing runs in the pod: the kernel says so, or nothing was listed.
    fn is_empty(&self) -> bool {
        let populated = self.target.populated();
        !populated.unwrap_or(!self.scratch.listing.is_empty())
    }

    /// What the kernel has killed needs no signal of ours, but for few.
    fn may_pass(&self, errno: Errno) -> bool {
        is_shortage(errno) || self.report.method == Some(KillMethod::CgroupKill)
    }

    /// Where the kernel does not tell when the pod is empty, the end of one of its processes
    /// is a reason to look: of the middle one, as in whatever order they end, half of them
    /// end before it.
    fn watch_one(&mut self) {
        let left = self.scratch.listing.pids();
        let behind = left.get(left.len() / 2..).unwrap_or_default();
        let open = |pid: &Pid| pidfd_open(*pid, PidfdFlags::empty()).ok();
        // Some kernels list what has ended but for its burial.
        let mut alive = behind.iter().take(SENTINELS).filter_map(open);
        let is_untold = self.target.notice().is_none();
        self.sentinel = is_untold.then(|| alive.find(has_not_ended)).flatten();
    }

    /// Says when to look again, whatever is told.
    fn rest(&mut self, now: Mono) {
        let is_told = self.target.notice().is_some() || self.sentinel.is_some();
        let is_freezing = matches!(self.step, Step::Freeze { .. });
        let is_watched = is_told && !is_freezing;
        let (shortest, longest) = if is_watched { NAPS_WATCHED } else { NAPS };
        let nap = self.nap.clamp(shortest, longest);
        self.look_at = now + nap;
        self.nap = nap.saturating_mul(2);
    }

    fn stick(&mut self, now: Mono, problem: Problem) {
        let proc = self.target.proc();
        let remaining = self.scratch.listing.pids().iter().map(|pid| Remaining {
            pid: pid.as_raw_nonzero().get(),
            state: proc.stat(*pid, |stat| stat.state.map(char::from)).flatten(),
        });
        self.report.remaining = remaining.collect();
        self.report.out_of_sight = self.scratch.listing.has_hidden();
        self.report.problem = Some(problem.to_string());
        self.finish(now, Step::Stuck);
    }

    fn finish(&mut self, now: Mono, step: Step) {
        self.target.thaw();
        self.sentinel = None;
        self.report.ended = Some(now);
        self.step = step;
    }

    fn state(&self) -> KillState {
        match self.step {
            Step::Gone => KillState::Gone,
            Step::Stuck => KillState::Stuck,
            Step::Term { until } | Step::Freeze { until } | Step::Kill { until } => {
                let until = until.min(self.look_at);
                KillState::Waiting { until }
            }
        }
    }
}

/// Whether the failure is of the machine's shortage and may pass.
const fn is_shortage(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN | Errno::BUSY
    )
}
