use core::fmt;

use evictd_node::Mono;
use rustix::io::Errno;
use rustix::process::Pid;

/// How far a kill has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillState {
    /// Poll again when a pidfd is readable, and no later than `until`.
    Waiting {
        /// The next moment at which something is due.
        until: Mono,
    },
    /// The pod has no process any more.
    Gone,
    /// It could not be killed, or not in time: take the next candidate. The
    /// report says why and what remains.
    Stuck,
}

/// By what means the pod was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KillMethod {
    /// `cgroup.kill` of cgroup v2, since Linux 5.14.
    CgroupKill,
    /// SIGKILL to each process; as new ones went on showing up, the v1 freezer held
    /// the pod still for it.
    Freezer,
    /// SIGKILL to each process, until no new one shows up.
    Signals,
}

impl KillMethod {
    /// The kernel's word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CgroupKill => "cgroup.kill",
            Self::Freezer => "freezer and SIGKILL",
            Self::Signals => "SIGKILL",
        }
    }
}

impl fmt::Display for KillMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why a kill got stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The time after SIGKILL is over and there are still processes.
    Deadline,
    /// The pod holds ourselves, one of our ancestors or process 1: nothing (more)
    /// was sent.
    Protected(Pid),
    /// Every process that remains may not be signalled (`EPERM`); trying again
    /// would not help.
    Denied,
    /// A syscall failed in a way that waiting does not mend.
    Kernel(Errno),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline => f.write_str("still alive after SIGKILL"),
            Self::Protected(pid) => write!(
                f,
                "holds process {}, which is this program, an ancestor of it, or process 1",
                pid.as_raw_nonzero()
            ),
            Self::Denied => f.write_str("not permitted to signal its processes"),
            Self::Kernel(errno) => write!(f, "{errno}"),
        }
    }
}

/// A process that a stuck kill left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Its process id.
    pub pid: Pid,
    /// Its state's letter in `/proc/PID/stat`: `D` waits uninterruptibly, `Z`
    /// is dead; `None` when it vanished meanwhile.
    pub state: Option<char>,
}

/// What happened in a kill, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KillReport {
    /// When it began.
    pub started: Mono,
    /// When SIGTERM was sent; `None` without grace, or with nobody to send it
    /// to.
    pub term_sent: Option<Mono>,
    /// When SIGKILL was first sent; `None` when nobody had to be.
    pub kill_sent: Option<Mono>,
    /// When it was found gone or stuck.
    pub ended: Option<Mono>,
    /// How it was killed, once that was tried.
    pub method: Option<KillMethod>,
    /// Distinct processes that were sent a signal one by one, or that were
    /// known when `cgroup.kill` was written.
    pub processes: usize,
    /// Why it got stuck.
    pub problem: Option<Problem>,
    /// What it left behind.
    pub remaining: Vec<Remaining>,
    /// It also left processes outside our pid namespace, which have no number
    /// here.
    pub out_of_sight: bool,
}

impl KillReport {
    /// Of a kill that begins now: nothing has happened yet.
    #[must_use]
    pub const fn new(started: Mono) -> Self {
        Self {
            started,
            term_sent: None,
            kill_sent: None,
            ended: None,
            method: None,
            processes: 0,
            problem: None,
            remaining: Vec::new(),
            out_of_sight: false,
        }
    }
}
