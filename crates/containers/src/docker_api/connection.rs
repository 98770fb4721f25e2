//! A connection to the engine's socket. Every wait on it ends by a deadline.

use alloc::format;
use core::time::Duration;
use std::path::Path;
use std::time::Instant;

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv,
    send, socket_with,
};

use crate::docker_api::{Failure, Response, ResponseReader};

/// How much is read at once.
const PIECE: usize = 4 << 10;

/// When a call must be over, and how long it had.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    at: Instant,
    whole: Duration,
}

impl Deadline {
    pub(crate) fn after(whole: Duration) -> Self {
        let now = Instant::now();
        // A time that no clock can hold is no deadline; a day is as good.
        let at = now.checked_add(whole);
        let at = at.unwrap_or_else(|| now + Duration::from_secs(86_400));
        Self { at, whole }
    }

    /// What is left, or that nothing is.
    fn left(self) -> Result<Duration, Failure> {
        match self.at.checked_duration_since(Instant::now()) {
            // The kernel takes a zero for no timeout at all.
            Some(left) if left >= Duration::from_millis(1) => Ok(left),
            Some(_) | None => Err(Failure::TimedOut(self.whole)),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Connection {
    socket: OwnedFd,
}

impl Connection {
    pub(crate) fn open(path: &Path, deadline: Deadline) -> Result<Self, Failure> {
        let address = SocketAddrUnix::new(path).map_err(broken)?;
        let kind = SocketType::STREAM;
        let socket = socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
        let socket = socket.map_err(broken)?;
        loop {
            // Where the backlog is full, connecting waits as long as sending.
            set_socket_timeout(&socket, Timeout::Send, Some(deadline.left()?)).map_err(broken)?;
            match connect(&socket, &address) {
                Ok(()) => return Ok(Self { socket }),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(errno) => return Err(broken(errno)),
            }
        }
    }

    /// Whether a connection that waits for a request still has its other end.
    /// Bytes that nobody asked for make it useless too.
    pub(crate) fn is_idle(&self) -> bool {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        recv(&self.socket, &mut [0; 1], flags).err() == Some(Errno::AGAIN)
    }

    pub(crate) fn send(&self, mut bytes: &[u8], deadline: Deadline) -> Result<(), Received> {
        while !bytes.is_empty() {
            set_socket_timeout(&self.socket, Timeout::Send, Some(deadline.left()?))
                .map_err(broken)?;
            match send(&self.socket, bytes, SendFlags::NOSIGNAL) {
                Ok(sent) => bytes = bytes.get(sent..).unwrap_or_default(),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::PIPE) => return Err(Received::Unread),
                Err(errno) => return Err(broken(errno).into()),
            }
        }
        Ok(())
    }

    /// Reads the answer to what was sent.
    pub(crate) fn receive(&self, deadline: Deadline) -> Result<Response, Received> {
        let mut reader = ResponseReader::default();
        let mut piece = [0; PIECE];
        let mut nothing_yet = true;
        let mut surplus = false;
        while !reader.is_done() {
            let left = deadline.left()?;
            set_socket_timeout(&self.socket, Timeout::Recv, Some(left)).map_err(broken)?;
            let bytes = match recv(&self.socket, &mut piece, RecvFlags::empty()) {
                Ok((0, _)) if nothing_yet => return Err(Received::Nothing),
                // A unix socket says so when its other end was closed before the
                // request was read from it.
                Err(Errno::CONNRESET) if nothing_yet => return Err(Received::Unread),
                Ok((0, _)) => break,
                Ok((length, _)) => piece.get(..length).unwrap_or_default(),
                Err(Errno::AGAIN | Errno::INTR) => continue,
                Err(errno) => return Err(broken(errno).into()),
            };
            nothing_yet = false;
            surplus = reader.feed(bytes).map_err(malformed)? < bytes.len();
        }
        let mut response = reader.finish().map_err(malformed)?;
        // What nobody asked for would be taken for the next answer.
        response.keeps_open &= !surplus;
        Ok(response)
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Received {
    /// The other end closed before it read the request.
    Unread,
    /// The other end closed before it said anything: perhaps it never saw the
    /// request.
    Nothing,
    Failed(Failure),
}

impl From<Failure> for Received {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Received> for Failure {
    fn from(received: Received) -> Self {
        match received {
            Received::Unread | Received::Nothing => {
                Self::NotReachable("the connection was closed".into())
            }
            Received::Failed(failure) => failure,
        }
    }
}

fn broken(errno: Errno) -> Failure {
    Failure::NotReachable(format!("{errno}").into())
}

fn malformed(error: crate::docker_api::HttpError) -> Failure {
    Failure::Malformed(format!("{error}").into())
}
