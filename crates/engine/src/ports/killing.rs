//! Ending pods: how a kill begins, how the engine drives it, and what it hears of it.

use core::fmt;
use core::time::Duration;
use std::os::fd::BorrowedFd;

use evictd_node::Mono;

/// Ends pods, and says which ones the kernel has struck.
pub trait Killing {
    /// Whether a pod may be evicted for a soft threshold yet; if not, it is decided again in a
    /// moment. For those who want a dump of it first: no hard threshold waits.
    fn may_evict(&mut self, _now: Mono, _index: usize) -> bool {
        true
    }

    /// Begins to kill a pod. Where it has no grace, no memory is asked for before SIGKILL is
    /// sent.
    ///
    /// # Errors
    /// Why it cannot even begin.
    fn begin_kill(&mut self, now: Mono, index: usize, grace: Duration) -> Result<Begun, String>;

    /// Looks whether anything runs again in a pod whose kill has ended and whose runtime was
    /// told to end it, and ends that at once. Returns whether anything does that was not
    /// there at the last look. `tell_runtime` has the runtime told once more, as it has done
    /// what it was told.
    fn end_again(&mut self, _now: Mono, _uid: &str, _tell_runtime: bool) -> bool {
        false
    }

    /// Nobody will ask again whether that pod came back.
    fn let_go(&mut self, _uid: &str) {}

    /// What the kernel's own OOM killer has done since the last call.
    fn oom_kills(&mut self, now: Mono) -> Vec<OomKill>;
}

/// A kill that has begun.
pub struct Begun {
    /// The kill itself.
    pub kill: Box<dyn KillInFlight>,
    /// The pod's container runtime is to send the stop signal, and says by
    /// [`News::Ending`](super::News::Ending) that it is about to.
    pub left_to_runtime: bool,
    /// A container runtime was told to end the pod, and says by [`News::Ended`](super::News::Ended) that it is
    /// down. Until then it may start the pod anew.
    pub told_runtime: bool,
    /// Its containers are not removed after it: what they wrote, and their logs, stay.
    pub files_stay: bool,
}

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

/// Processes that the kernel's own OOM killer has killed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OomKill {
    /// Their pod's namespace.
    pub namespace: String,
    /// Its name; empty where they were in no pod, or in one that is gone.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// How many.
    pub kills: u64,
    /// Whether the pod had reached a limit of its own.
    pub at_limit: bool,
}
