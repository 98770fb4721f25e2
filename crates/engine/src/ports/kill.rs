//! A kill, as the engine drives it and hears of it.

use core::fmt;
use std::os::fd::BorrowedFd;

use evictd_node::Mono;

/// A kill that has begun and that the engine drives. It never blocks.
pub trait KillInFlight {
    /// Does what is due by `now`, and says when to come back.
    fn poll(&mut self, now: Mono) -> KillState;

    /// Sends SIGTERM from here after all, at the next poll: the container runtime
    /// did not.
    fn ask(&mut self);

    /// Gives the pod no more time to end by itself: SIGKILL is sent at the next poll.
    fn end_grace(&mut self, now: Mono);

    /// What the pod was to give back runs out while it ends: SIGKILL has to show an effect
    /// soon, or it counts as stuck.
    fn expect_effect_soon(&mut self);

    /// Calls `each` with every descriptor that, when readable, means that
    /// polling is worth while. They change with every poll; those that are not
    /// given any more have been closed.
    fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>));

    /// What has happened so far. Until the kill is stuck no memory is asked for.
    fn report(&self) -> KillReport;

    /// How many process ids the pod still holds, after it is gone too: those of
    /// processes whose parent has not waited for them. 0 where nobody counts.
    fn held_pids(&self) -> u64;
}

/// How far a kill has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillState {
    /// Poll again when a descriptor is readable, and no later than `until`.
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

/// By what means a pod was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillMethod {
    /// The kernel killed all of its cgroup by itself; how many processes that were, it alone
    /// knows.
    CgroupKill,
    /// SIGKILL to each process, while the freezer held the pod still.
    Freezer,
    /// SIGKILL to each process.
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

/// A process that a stuck kill left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Its process id.
    pub pid: i32,
    /// Its state's letter in `/proc/PID/stat`; `None` when it vanished meanwhile.
    pub state: Option<char>,
}

/// What happened in a kill, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KillReport {
    /// When it began.
    pub started: Mono,
    /// When SIGKILL was first sent; `None` when nobody had to be.
    pub kill_sent: Option<Mono>,
    /// When it was found gone or stuck.
    pub ended: Option<Mono>,
    /// How it was killed, once that was tried.
    pub method: Option<KillMethod>,
    /// How many processes were known of.
    pub processes: usize,
    /// Why it got stuck, in words.
    pub problem: Option<String>,
    /// What it left behind.
    pub remaining: Vec<Remaining>,
}

impl KillReport {
    /// Of a kill that begins now: nothing has happened yet.
    #[must_use]
    pub const fn new(started: Mono) -> Self {
        Self {
            started,
            kill_sent: None,
            ended: None,
            method: None,
            processes: 0,
            problem: None,
            remaining: Vec::new(),
        }
    }
}
