use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use crate::cri_api::h2::Http2;
use crate::cri_api::received::{Received, malformed};
use crate::cri_api::{Failure, MOST_ANSWER_BYTES};

/// What HTTP/2 may add to an answer: heads, frames, settings. More is a runtime
/// that never comes to an end.
const MOST_AROUND_BYTES: usize = 1 << 20;
/// Read at once.
const PIECE_BYTES: usize = 16 << 10;

/// When a call must be over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    begun: Instant,
    pub(crate) within: Duration,
}

impl Deadline {
    pub(crate) fn after(within: Duration) -> Self {
        Self {
            begun: Instant::now(),
            within,
        }
    }

    /// What is left of it, never nothing: a socket takes that for "for ever".
    fn left(&self) -> Result<Duration, Failure> {
        let left = self.within.saturating_sub(self.begun.elapsed());
        if left.is_zero() {
            return Err(Failure::TimedOut(self.within));
        }
        Ok(left.max(Duration::from_micros(1)))
    }
}

/// Why a call got no answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The connection was closed: another one may do better.
    Closed(Box<str>),
    /// That is how it is.
    Final(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Final(failure)
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Closed(why) => Self::NotReachable(why),
            Trouble::Final(failure) => failure,
        }
    }
}

/// A connection with at most one call in flight.
pub(crate) struct Connection {
    stream: UnixStream,
    h2: Http2,
}

impl core::fmt::Debug for Connection {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.stream.fmt(f)
    }
}

impl Connection {
    pub(crate) fn open(socket: &Path, deadline: Deadline) -> Result<Self, Failure> {
        let left = deadline.left()?;
        let opened = open_stream(socket, left).map_err(|errno| match errno {
            // Nobody accepts connections, and no more may wait for it.
            Errno::AGAIN => Failure::TimedOut(deadline.within),
            errno => Failure::NotReachable(io::Error::from(errno).to_string().into()),
        });
        Ok(Self {
            stream: opened?,
            h2: Http2::new(),
        })
    }

    /// Sends a request.
    pub(crate) fn send(
        &mut self,
        method: &str,
        message: &[u8],
        deadline: Deadline,
    ) -> Result<(), Trouble> {
        let mut body = alloc::vec![0];
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        body.extend_from_slice(&length.to_be_bytes());
        body.extend_from_slice(message);
        let timeout = format!("{}m", deadline.within.as_millis().min(99_999_999));
        let head = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", "localhost"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("user-agent", "evictd"),
            ("grpc-timeout", &timeout),
        ];
        let sent = self.h2.request(&head, &body);
        sent.map_err(|why| Trouble::Closed(why.into()))?;
        self.flush(deadline)
    }

    /// Waits for the answer to what was sent last.
    pub(crate) fn receive(&mut self, deadline: Deadline) -> Result<Vec<u8>, Trouble> {
        let mut answer = Received::new();
        let mut left = MOST_ANSWER_BYTES.saturating_add(MOST_AROUND_BYTES);
        let mut piece = [0; PIECE_BYTES];
        loop {
            while let Some(event) = self.h2.next_event() {
                if answer.take(event)? {
                    return Ok(answer.finish()?);
                }
            }
            self.flush(deadline)?;
            let count = self.read(&mut piece, deadline)?;
            let Some(rest) = left.checked_sub(count) else {
                return Err(malformed("an answer without end").into());
            };
            left = rest;
            let piece = piece.get(..count).unwrap_or_default();
            self.h2.receive(piece);
        }
    }

    fn read(&mut self, piece: &mut [u8], deadline: Deadline) -> Result<usize, Trouble> {
        loop {
            let ready = self.stream.set_read_timeout(Some(deadline.left()?));
            match ready.and_then(|()| self.stream.read(piece)) {
                Ok(0) => return Err(Trouble::Closed("the runtime closed the connection".into())),
                Ok(count) => return Ok(count),
                Err(error) => again(&error)?,
            }
        }
    }

    fn flush(&mut self, deadline: Deadline) -> Result<(), Trouble> {
        let bytes = self.h2.take_outgoing();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let ready = self.stream.set_write_timeout(Some(deadline.left()?));
            match ready.and_then(|()| self.stream.write(rest)) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) => again(&error)?,
            }
        }
        Ok(())
    }
}

/// The time that connecting may take is that for sending: `connect` waits for room
/// in the queue of a runtime that accepts nobody.
fn open_stream(path: &Path, left: Duration) -> Result<UnixStream, Errno> {
    let kind = SocketType::STREAM;
    let socket = socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&socket, Timeout::Send, Some(left))?;
    let address = SocketAddrUnix::new(path)?;
    rustix::io::retry_on_intr(|| connect(&socket, &address))?;
    Ok(UnixStream::from(socket))
}

/// Whether it is worth another try: the deadline says when no more.
fn again(error: &io::Error) -> Result<(), Trouble> {
    use ErrorKind::{Interrupted, TimedOut, WouldBlock};
    if matches!(error.kind(), Interrupted | WouldBlock | TimedOut) {
        return Ok(());
    }
    Err(Trouble::Closed(error.to_string().into()))
}
