use rustix::fd::{AsFd, AsRawFd};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::error::done;

/// One number on every architecture, which libc does not know for each.
pub(crate) const PROCESS_MRELEASE: libc::c_long = 448;

/// Frees the memory of a process that is already being killed, in the caller's
/// own time, so that it comes back even when the victim cannot run.
///
/// `process_mrelease(2)`, since Linux 5.15. It may block while another task
/// holds the victim's `mmap_lock`, so it does not belong on a thread that must
/// answer in time.
///
/// # Errors
///
/// * `ESRCH`: the process has no memory left to give, or is gone.
/// * `EINVAL`: the process has not been sent a fatal signal.
/// * `EAGAIN`: only a part could be freed; calling again may free the rest.
/// * `EBADF`: not a pidfd.
/// * `ENOSYS`: the kernel is older than 5.15 or has no MMU.
pub fn process_mrelease(pidfd: impl AsFd) -> Result<(), Errno> {
    let fd = pidfd.as_fd().as_raw_fd();
    let flags: libc::c_uint = 0;
    // SAFETY: the call takes two integers and no pointer; the borrowed
    // descriptor stays open until it returns.
    done(unsafe { libc::syscall(PROCESS_MRELEASE, fd, flags) })
}

/// Whether a process is in no process group: the kernel's own threads are not, and those
/// of others only where their group is outside our pid namespace.
#[must_use]
pub fn is_in_no_group(pid: Pid) -> bool {
    // SAFETY: the call takes an integer and no pointer.
    unsafe { libc::getpgid(pid.as_raw_nonzero().get()) == 0 }
}

#[cfg(test)]
mod tests;
