use core::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::BorrowedFd;

/// Whether writing to a descriptor would not wait: waits so long at most until it can
/// be written to.
///
/// A pipe then takes `PIPE_BUF` bytes (4096) at once, unless somebody else writes to
/// it meanwhile. A file can always be written to. One that is broken or closed counts
/// as writable: writing to it fails at once.
#[must_use]
pub fn is_writable(fd: BorrowedFd<'_>, wait: Duration) -> bool {
    let timeout = Timespec {
        tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: wait.subsec_nanos().into(),
    };
    let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
    matches!(poll(&mut fds, Some(&timeout)), Ok(1..))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use rustix::pipe::{PipeFlags, pipe_with};

    use super::*;

    #[test]
    fn a_full_pipe_is_not_writable_and_a_broken_one_is() {
        let (read, write) = pipe_with(PipeFlags::NONBLOCK).unwrap();
        let is_now = || is_writable(write.as_fd(), Duration::ZERO);
        assert!(is_now());
        while rustix::io::write(&write, &[b'x'; 4096]).is_ok() {}
        assert!(!is_now());
        assert!(!is_writable(write.as_fd(), Duration::from_millis(1)));
        rustix::io::read(&read, &mut [0; 4096]).unwrap();
        assert!(is_now());
        drop(read);
        assert!(is_now());
    }

    #[test]
    fn a_file_is_writable() {
        let null = std::fs::File::create("/dev/null").unwrap();
        assert!(is_writable(null.as_fd(), Duration::ZERO));
    }
}
