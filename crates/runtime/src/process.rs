use alloc::sync::Arc;
use std::path::Path;

use evictd_kerntext::{PidStat, parse_pid_stat};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::process::{Pid, getpid};

use crate::dir::{open_dir, read_file};
use crate::procs::Procs;

/// Generations of ancestors that are looked up; a chain longer than this is no
/// service manager's.
const GENERATIONS: usize = 64;

/// `/proc`, held open: a name lookup less at the worst moment.
#[derive(Clone, Debug)]
pub(crate) struct Proc(Arc<OwnedFd>);

impl Proc {
    pub(crate) fn open(path: &Path) -> Result<Self, Errno> {
        Ok(Self(Arc::new(open_dir(CWD, path)?)))
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Reads `PID/stat` and gives what `pick` takes of it; `None` when the
    /// process is gone or its line makes no sense.
    pub(crate) fn stat<T>(&self, pid: Pid, pick: impl Fn(PidStat<'_>) -> T) -> Option<T> {
        let mut text = Vec::new();
        let name = format!("{}/stat", pid.as_raw_nonzero());
        read_file(self.fd(), name.as_str(), &mut text).ok()?;
        parse_pid_stat(&text).ok().map(pick)
    }

    /// Ourselves, our ancestors, and process 1: what is never to be harmed
    /// (earlyoom has killed itself). Asked anew each time, since a parent that
    /// ends gives us another.
    pub(crate) fn protected(&self) -> Vec<Pid> {
        let parent = |pid| self.stat(pid, |stat| stat.ppid).and_then(Pid::from_raw);
        let mut protected: Vec<Pid> = core::iter::successors(Some(getpid()), |pid| parent(*pid))
            .take(GENERATIONS)
            .collect();
        if !protected.contains(&Pid::INIT) {
            protected.push(Pid::INIT);
        }
        protected
    }

    /// One of the protected processes that is among `procs`, if any is.
    pub(crate) fn protected_among(&self, procs: &Procs) -> Option<Pid> {
        self.protected()
            .into_iter()
            .find(|pid| procs.contains(*pid))
    }

    pub(crate) fn is_kernel_thread(&self, pid: Pid) -> bool {
        self.stat(pid, |stat| stat.is_kernel_thread())
            .unwrap_or(false)
    }
}
