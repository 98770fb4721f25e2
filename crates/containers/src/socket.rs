//! The one transport: a blocking unix socket with a deadline for each call and a cap
//! on what a call may receive. HTTP/1.1 and HTTP/2 are spoken over it.

use core::time::Duration;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Instant;

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv,
    send, socket_with,
};

use crate::Failure;

/// The longest message that is read: gRPC's own default, and what a few thousand
/// containers take.
pub(crate) const MOST_ANSWER_BYTES: usize = 4 << 20;

/// What heads, frames and chunks may add to it.
const MOST_AROUND_BYTES: usize = 256 << 10;

/// When a call must be over, and how long it had.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    begun: Instant,
    pub(crate) within: Duration,
}

impl Deadline {
    pub(crate) fn after(within: Duration) -> Self {
        let begun = Instant::now();
        Self { begun, within }
    }

    /// What is left, never zero: the kernel takes zero for no timeout at all.
    fn left(self) -> Result<Duration, Failure> {
        let left = self.within.saturating_sub(self.begun.elapsed());
        if left < Duration::from_millis(1) {
            return Err(Failure::TimedOut(self.within));
        }
        Ok(left)
    }
}

/// A connection to a runtime. Its errors are [`Failure`]s, handed through [`io::Error`].
#[derive(Debug)]
pub(crate) struct Socket {
    socket: OwnedFd,
    deadline: Deadline,
    /// How many bytes may come in, and how many still may.
    most: usize,
    left: usize,
}

impl Socket {
    /// Connects, for a call that ends by the deadline.
    pub(crate) fn open(path: &Path, deadline: Deadline) -> Result<Self, Failure> {
        let address = SocketAddrUnix::new(path)?;
        let kind = SocketType::STREAM;
        let socket = socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        loop {
            // `connect` waits as long as sending may take where the queue of a runtime
            // that accepts no connection is full, and returns EAGAIN then.
            set_socket_timeout(&socket, Timeout::Send, Some(deadline.left()?))?;
            match connect(&socket, &address) {
                Ok(()) => break,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        let most = MOST_ANSWER_BYTES + MOST_AROUND_BYTES;
        Ok(Self {
            socket,
            deadline,
            most,
            left: most,
        })
    }

    /// Bounds what comes in by its deadline alone: of the reader's memory it takes none.
    pub(crate) fn without_bound(self) -> Self {
        let most = usize::MAX;
        Self {
            most,
            left: most,
            ..self
        }
    }

    /// Gives what comes next a deadline and a bound of its own.
    pub(crate) fn renew(&mut self, deadline: Deadline) {
        self.deadline = deadline;
        self.left = self.most;
    }

    fn wait(
        &self,
        which: Timeout,
        mut attempt: impl FnMut(&OwnedFd) -> rustix::io::Result<usize>,
    ) -> Result<usize, Failure> {
        loop {
            set_socket_timeout(&self.socket, which, Some(self.deadline.left()?))?;
            match attempt(&self.socket) {
                Ok(count) => return Ok(count),
                // The deadline ends it.
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.wait(Timeout::Recv, |socket| {
            recv(socket, &mut *buffer, RecvFlags::empty()).map(|(count, _)| count)
        })?;
        self.left = self
            .left
            .checked_sub(count)
            .ok_or_else(|| Failure::malformed("an answer without end"))?;
        Ok(count)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.wait(Timeout::Send, |socket| {
            send(socket, bytes, SendFlags::NOSIGNAL)
        });
        Ok(sent?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
