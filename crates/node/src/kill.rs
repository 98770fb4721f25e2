//! A pod that is being killed, as whoever drives that sees it: how far it has come, by what
//! means, and what it has left.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
#[cfg(unix)]
use std::os::fd::BorrowedFd;

use crate::Mono;

/// A kill that has begun and that the caller's loop drives. It never blocks. A stop that goes
/// through a socket is one as well.
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
    /// given any more have been closed. Where the system has no descriptors, nobody asks.
    #[cfg(unix)]
    fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>));

    /// What has happened so far.
    fn report(&self) -> &KillReport;

    /// How many process ids the pod still holds, after it is gone too: those of
    /// processes whose parent has not waited for them. Where process ids are short,
    /// no other pod is to be evicted before these are free. 0 where nobody counts.
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
    /// `cgroup.kill` of cgroup v2, since Linux 5.14. How many processes that were, the kernel
    /// alone knows.
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

/// A process that a stuck kill left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Its process id.
    pub pid: i32,
    /// Its state's letter in `/proc/PID/stat`: `D` waits uninterruptibly, `Z`
    /// is dead; `None` when it vanished meanwhile.
    pub state: Option<char>,
}

/// What happened in a kill, and when. Until it is stuck it holds no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Why it got stuck, in words.
    pub problem: Option<String>,
    /// What it left behind.
    pub remaining: Vec<Remaining>,
    /// It also left processes outside our pid namespace, which have no number
    /// here.
    pub out_of_sight: bool,
}

impl KillReport {
    /// Of a kill that begins now: nothing has happened yet.
    #[must_use]
    pub fn new(started: Mono) -> Self {
        Self {
            started,
            ..Self::default()
        }
    }
}
