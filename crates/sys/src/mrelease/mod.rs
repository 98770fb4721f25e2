use rustix::fd::{AsFd, AsRawFd};
use rustix::io::Errno;

/// The same number on every architecture, which libc does not know for each.
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
    let answer = unsafe { libc::syscall(PROCESS_MRELEASE, fd, flags) };
    if answer == 0 {
        Ok(())
    } else {
        Err(last_errno())
    }
}

/// The calling thread's `errno`, for a call that has just failed.
pub(crate) fn last_errno() -> Errno {
    // The standard library reads errno without unsafe; it cannot be absent
    // after a failed libc call.
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests;
