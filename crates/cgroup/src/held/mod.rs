//! A process that is held: nobody who gets its number later is taken for it.
//!
//! Since Linux 5.3 by a pidfd. Before, and where a container's sandbox refuses pidfds, by its
//! directory in `/proc`: that belongs to the process and not to the number, so nothing can be
//! found in it any more once the process is gone, whoever has the number then. What a pidfd
//! does in one call are two here, a look and `kill(2)`. The window between them stays: within
//! it the process would have to end, its parent to wait for it, and all other numbers to be
//! given away. Freezing the pod first would close it on v1, at the price of what frees memory
//! soonest: SIGKILL before all else.

use core::ffi::CStr;
use std::io::Write;

use evictd_stats::noted_lack;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::{Access, AtFlags, accessat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use crate::dir::open_dir;

/// As long is the name of a process's file.
pub(crate) const NAME_BYTES: usize = 24;

pub(crate) fn file_of<'a>(
    pid: Pid,
    file: &str,
    name: &'a mut [u8; NAME_BYTES],
) -> Option<&'a CStr> {
    write!(&mut name[..], "{}/{file}\0", pid.as_raw_nonzero()).ok()?;
    CStr::from_bytes_until_nul(name).ok()
}

/// A process, whatever becomes of its number.
#[derive(Debug)]
pub(crate) enum Held {
    Pidfd(OwnedFd),
    /// Its directory in `/proc`.
    Dir(OwnedFd),
}

impl Held {
    /// Holds who has the number now.
    ///
    /// # Errors
    ///
    /// `ESRCH` when nobody has, or `EINVAL` when a thread has that is no process.
    pub(crate) fn open(proc: BorrowedFd<'_>, pid: Pid) -> Result<Self, Errno> {
        match pidfd_open(pid, PidfdFlags::empty()) {
            // Sandboxes of old container runtimes say EPERM of what they do not know.
            Err(Errno::NOSYS | Errno::PERM) => Self::open_dir(proc, pid),
            opened => opened.map(Self::Pidfd).map_err(noted_lack),
        }
    }

    fn open_dir(proc: BorrowedFd<'_>, pid: Pid) -> Result<Self, Errno> {
        let mut name = Default::default();
        let name = file_of(pid, "", &mut name).ok_or(Errno::SRCH)?;
        open_dir(proc, name).map(Self::Dir).map_err(of_process)
    }

    /// Sends a signal; `ESRCH` when the process is gone.
    pub(crate) fn send(&self, pid: Pid, signal: Signal) -> Result<(), Errno> {
        match self {
            Self::Pidfd(pidfd) => pidfd_send_signal(pidfd, signal),
            Self::Dir(dir) => look(dir).and_then(|()| kill_process(pid, signal)),
        }
    }

    /// Whether the process has not ended; without pidfds, whether it is not gone.
    pub(crate) fn is_alive(&self) -> bool {
        match self {
            Self::Pidfd(pidfd) => has_not_ended(pidfd),
            Self::Dir(dir) => look(dir).is_ok(),
        }
    }
}

/// Whether anything is found in the process's directory.
fn look(dir: &OwnedFd) -> Result<(), Errno> {
    accessat(dir, c"stat", Access::EXISTS, AtFlags::empty()).map_err(of_process)
}

/// A file that is not there says of a process what a pidfd says.
fn of_process(errno: Errno) -> Errno {
    if errno == Errno::NOENT {
        Errno::SRCH
    } else {
        errno
    }
}

/// Whether the process of a pidfd has not ended.
pub(crate) fn has_not_ended(pidfd: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(pidfd, PollFlags::IN)];
    let at_once = Timespec::default();
    matches!(retry_on_intr(|| poll(&mut fds, Some(&at_once))), Ok(0))
}

#[cfg(test)]
mod tests;
