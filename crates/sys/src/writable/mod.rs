use core::time::Duration;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};

use crate::watch::timespec;

/// Whether writing to a descriptor would not wait: waits so long at most until it can
/// be written to.
///
/// A pipe then takes `PIPE_BUF` bytes (4096) at once, unless somebody else writes to
/// it meanwhile. A file can always be written to. One that is broken or closed counts
/// as writable: writing to it fails at once.
#[must_use]
pub fn is_writable(fd: BorrowedFd<'_>, wait: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
    matches!(poll(&mut fds, Some(&timespec(wait))), Ok(1..))
}

/// Opens a pipe or terminal anew, which another open file keeps as it is, so that
/// writing to it never waits: it takes what there is room for, or fails with `EAGAIN`.
/// `path` names the descriptor, as `/proc/self/fd/2`.
///
/// `None` where it is neither, and where that is refused. A file is left alone, since a
/// second one has another position; [`is_writable`] has to do for a socket.
#[must_use]
pub fn reopen_non_blocking(fd: BorrowedFd<'_>, path: &Path) -> Option<OwnedFd> {
    let kind = FileType::from_raw_mode(fstat(fd).ok()?.st_mode);
    if !matches!(kind, FileType::Fifo | FileType::CharacterDevice) {
        return None;
    }
    let how = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    openat(CWD, path, how, Mode::empty()).ok()
}

#[cfg(test)]
mod tests;
