use alloc::sync::Arc;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use evictd_kerntext::{PidStat, parse_pid_stat};
use evictd_stats::has_lacked;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::process::{Pid, getpid};

use crate::dir::{open_dir, read_file, read_start};
use crate::held::{Held, NAME_BYTES, file_of};
use crate::procs::Procs;

/// Generations of ancestors that are looked up; a chain longer than this is no
/// service manager's.
const GENERATIONS: usize = 64;

/// Room for `PID/stat`: some fifty numbers and a name of 64 bytes at most.
const STAT_BYTES: usize = 1536;

/// `/proc`, held open: a name lookup less at the worst moment.
#[derive(Clone, Debug)]
pub(crate) struct Proc(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    dir: OwnedFd,
    kin: Mutex<Kin>,
}

impl Proc {
    pub(crate) fn open(path: &Path) -> Result<Self, Errno> {
        let dir = open_dir(CWD, path)?;
        let kin = Mutex::default();
        Ok(Self(Arc::new(Shared { dir, kin })))
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.0.dir.as_fd()
    }

    /// Reads `PID/stat` and gives what `pick` takes of it; `None` when the
    /// process is gone or its line makes no sense.
    pub(crate) fn stat<T>(&self, pid: Pid, pick: impl Fn(PidStat<'_>) -> T) -> Option<T> {
        let (mut name, mut text) = ([0; NAME_BYTES], [0; STAT_BYTES]);
        let name = file_of(pid, "stat", &mut name)?;
        let text = read_start(self.fd(), name, &mut text).ok()?;
        parse_pid_stat(text).ok().map(pick)
    }

    /// Reads `PID/cgroup`; `None` when the process is gone.
    pub(crate) fn read_cgroup(&self, pid: Pid, text: &mut Vec<u8>) -> Option<()> {
        let mut name = [0; NAME_BYTES];
        read_file(self.fd(), file_of(pid, "cgroup", &mut name)?, text).ok()
    }

    /// Ourselves, our ancestors, and process 1: what is never to be harmed
    /// (earlyoom has killed itself).
    pub(crate) fn protected(&self) -> Vec<Pid> {
        self.kin().pids.clone()
    }

    /// Calls for each process that is never to be harmed, without asking for memory.
    pub(crate) fn each_protected(&self, each: &mut dyn FnMut(Pid)) {
        self.kin().pids.iter().copied().for_each(each);
    }

    /// One of the protected processes that is among `procs`, if any is.
    pub(crate) fn protected_among(&self, procs: &Procs) -> Option<Pid> {
        let kin = self.kin();
        kin.pids.iter().copied().find(|pid| procs.contains(*pid))
    }

    /// As they are now: read anew where one has ended since.
    fn kin(&self) -> MutexGuard<'_, Kin> {
        let mut kin = self.0.kin.lock().unwrap_or_else(PoisonError::into_inner);
        if !kin.is_current() {
            *kin = Kin::read(self);
        }
        kin
    }

    fn parent(&self, pid: Pid) -> Option<Pid> {
        self.stat(pid, |stat| stat.ppid)
            .flatten()
            .and_then(Pid::from_raw)
    }

    /// From ourselves upwards, and process 1.
    fn line(&self) -> Vec<Pid> {
        let mut line: Vec<Pid> = core::iter::successors(Some(getpid()), |pid| self.parent(*pid))
            .take(GENERATIONS)
            .collect();
        if !line.contains(&Pid::INIT) {
            line.push(Pid::INIT);
        }
        line
    }
}

/// The protected processes as they were read.
///
/// A process gets another parent only when its parent ends. So the line holds
/// as long as everyone in it lives, which [`Held`] tells in one cheap call
/// each. Process 1 never ends.
#[derive(Debug, Default)]
struct Kin {
    pids: Vec<Pid>,
    /// Of the ancestors below process 1; `None` where they cannot be watched,
    /// and have to be read each time.
    ancestors: Option<Vec<Held>>,
}

impl Kin {
    fn read(proc: &Proc) -> Self {
        let before = proc.line();
        let ancestors = before.iter().skip(1).filter(|pid| **pid != Pid::INIT);
        let ancestors: Result<Vec<Held>, Errno> =
            ancestors.map(|pid| Held::open(proc.fd(), *pid)).collect();
        // One that ended before it was opened is not in the line any more.
        let pids = proc.line();
        // Nor is a line that was cut short for want of a descriptor.
        let is_whole = pids == before && !has_lacked();
        let ancestors = ancestors.ok().filter(|_| is_whole);
        Self { pids, ancestors }
    }

    fn is_current(&self) -> bool {
        let ancestors = self.ancestors.as_ref();
        ancestors.is_some_and(|all| all.iter().all(Held::is_alive))
    }
}
