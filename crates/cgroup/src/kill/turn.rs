use alloc::vec::Vec;

use evictd_sys::is_in_no_group;
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use super::struck::Struck;
use crate::Releaser;
use crate::dir::twice;
use crate::held::Held;
use crate::process::Proc;
use crate::procs::Procs;

/// Processes that are open for a signal at once. The usual limit is 1024 descriptors.
pub(crate) const AT_ONCE: usize = 512;

/// Descriptors that listing the pod takes.
const FOR_LISTING: usize = 3;

/// Some processes of a pod, whose turn it is to be sent a signal.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) pids: Vec<Pid>,
    pub(super) opened: Vec<(Pid, Held)>,
}

impl Turn {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            pids: Vec::with_capacity(count),
            opened: Vec::with_capacity(count),
        }
    }

    pub(super) fn clear(&mut self) {
        self.pids.clear();
        self.opened.clear();
    }

    /// Takes the first of those listed that have not had their turn; nor are among
    /// those `seen` in a former pass.
    pub(super) fn choose(&mut self, listing: &Procs, struck: &Struck, seen: Option<&Struck>) {
        let had = |pid: Pid| struck.contains(pid) || seen.is_some_and(|seen| seen.contains(pid));
        let listed = listing.pids().iter().copied();
        self.pids.clear();
        self.pids
            .extend(listed.filter(|pid| !had(*pid)).take(AT_ONCE));
    }

    /// Opens them, as many as there are descriptors for; the others' turn comes. Returns
    /// whether there are too few. Kernel threads, which take no signal, are left alone.
    pub(super) fn open(&mut self, proc: &Proc) -> Result<bool, Errno> {
        self.opened.clear();
        for at in 0..self.pids.len() {
            let Some(pid) = self.pids.get(at).copied() else {
                break;
            };
            let is_kernels = || proc.stat(pid, |stat| stat.is_kernel_thread());
            if is_in_no_group(pid) && is_kernels() == Some(true) {
                continue;
            }
            match twice(|| Held::open(proc.fd(), pid)) {
                Ok(held) => self.opened.push((pid, held)),
                // Ended, or only a thread by now.
                Err(Errno::SRCH | Errno::INVAL) => {}
                Err(Errno::MFILE | Errno::NFILE) if !self.opened.is_empty() => {
                    self.pids.truncate(at);
                    return Ok(true);
                }
                Err(errno) => return Err(errno),
            }
        }
        Ok(false)
    }

    /// Gives back what listing takes; a pod of one cgroup takes less.
    pub(super) fn leave_room(&mut self) {
        let kept = self.opened.len().saturating_sub(FOR_LISTING).max(1);
        self.opened.truncate(kept);
        let last = self.opened.last().map(|(pid, _)| *pid);
        let last = self.pids.iter().position(|pid| Some(*pid) == last);
        self.pids
            .truncate(last.map_or(0, |last| last.saturating_add(1)));
    }

    /// Sends a signal to those that are open and listed, and has the memory of each given
    /// back. Takes down whom it has reached; returns how many it was refused for.
    pub(super) fn send(
        &mut self,
        signal: Signal,
        listing: &Procs,
        releaser: Option<&Releaser>,
    ) -> usize {
        let mut refused: usize = 0;
        for (pid, held) in self.opened.drain(..) {
            if !listing.contains(pid) {
                continue;
            }
            match twice(|| held.send(pid, signal)) {
                Ok(()) => self.pids.push(pid),
                Err(Errno::SRCH) => {} // it has just ended
                Err(_) => refused = refused.saturating_add(1),
            }
            if let (Some(releaser), Held::Pidfd(pidfd)) = (releaser, held) {
                releaser.release(pidfd);
            }
        }
        refused
    }
}
