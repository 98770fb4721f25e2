//! A local unix socket that answers HTTP GET and POST, for a loop that must not be delayed.
//!
//! [`Server`] has no thread and never blocks. It is one descriptor for the caller's
//! loop ([`AsFd`]), readable when there is something to do, and a
//! deadline; [`Server::turn`] then reads what has arrived and answers at most one
//! request. A few peers at a time have two seconds each to send a short request; an
//! answer is sent in one piece, and a peer that does not take it is dropped.
//!
//! What this does not do: it knows no paths, keeps no connection open, and
//! reads no body.

use core::time::Duration;
use std::fs::remove_file;
use std::path::{Path, PathBuf};

use evictd_node::Mono;
use rustix::event::{Timespec, epoll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, fchmod};
use rustix::io::{Errno, read};
use rustix::net::{
    AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, listen,
    send, socket_with,
};

use evictd_client::{Parsed, Response, parse_request};

/// Peers at a time; others wait until one of these is dropped.
const PEERS: usize = 4;

/// How long a peer has to send its request.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a request is made: GET changes nothing, POST does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// What is there is asked for.
    Get,
    /// Something is to be done.
    Post,
}

/// A listening socket and the connections to it, as one descriptor.
#[derive(Debug)]
pub(super) struct Server {
    epoll: OwnedFd,
    listener: OwnedFd,
    path: PathBuf,
    /// In the order in which they connected.
    peers: Vec<Peer>,
}

#[derive(Debug)]
struct Peer {
    socket: OwnedFd,
    until: Mono,
    received: Vec<u8>,
}

impl Server {
    /// Listens at that path, with mode 0600 from the first moment. What was there is
    /// replaced: the caller must know that no other process listens.
    ///
    /// # Errors
    ///
    /// The kernel's; `ENAMETOOLONG` for more than 107 bytes.
    pub(super) fn listen(path: &Path) -> Result<Self, Errno> {
        let address = SocketAddrUnix::new(path)?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let listener = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        // The file that bind makes has the mode of the socket.
        fchmod(&listener, Mode::RUSR | Mode::WUSR)?;
        drop(remove_file(path));
        bind(&listener, &address)?;
        listen(&listener, 16)?;
        let server = Self {
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            listener,
            path: path.to_owned(),
            peers: Vec::new(),
        };
        // Edge-triggered, so that each connection is reported once: where none can be
        // accepted, for want of a descriptor, one that waits must not wake the loop forever.
        server.watch(&server.listener, epoll::EventFlags::ET)?;
        Ok(server)
    }

    fn watch(&self, socket: &OwnedFd, how: epoll::EventFlags) -> Result<(), Errno> {
        let data = epoll::EventData::new_u64(0);
        epoll::add(&self.epoll, socket, data, epoll::EventFlags::IN | how)
    }

    /// When [`Server::turn`] has something to do even if nothing arrives.
    #[must_use]
    pub(super) fn deadline(&self) -> Option<Mono> {
        // All have the same time, so the first to connect is the first to be dropped.
        self.peers.first().map(|peer| peer.until)
    }

    /// Does what can be done at once: accepts peers, reads what they sent, and answers at
    /// most one request with what `answer` returns for its method and path. To be called when the
    /// descriptor is readable, or the deadline has come; it never waits.
    pub(super) fn turn(&mut self, now: Mono, answer: &mut dyn FnMut(Method, &str) -> Response) {
        self.peers.retain(|peer| now < peer.until);
        // Clears the report about the listener; peers are all read anyway.
        let mut events = [epoll::Event {
            flags: epoll::EventFlags::empty(),
            data: epoll::EventData::new_u64(0),
        }; PEERS + 1];
        let _ = epoll::wait(&self.epoll, &mut events, Some(&Timespec::default()));
        self.accept_all(now);
        let mut answered = false;
        self.peers.retain_mut(|peer| {
            let stays = answered || peer.read();
            if stays
                && !answered
                && let Some(text) = reply(&peer.received, answer)
            {
                // All of it, or the peer does not read.
                let _ = send(&peer.socket, text.as_bytes(), SendFlags::NOSIGNAL);
                answered = true;
                return false;
            }
            stays
        });
        // In place of those who have left now: nothing else tells of those who wait.
        self.accept_all(now);
    }

    fn accept_all(&mut self, now: Mono) {
        while self.peers.len() < PEERS && self.accept(now).is_ok() {}
    }

    fn accept(&mut self, now: Mono) -> Result<(), Errno> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = accept_with(&self.listener, flags)?;
        self.watch(&socket, epoll::EventFlags::empty())?;
        self.peers.push(Peer {
            socket,
            until: now + PATIENCE,
            received: Vec::new(),
        });
        Ok(())
    }
}

impl Peer {
    /// Reads what it has sent; `false` when it is gone.
    fn read(&mut self) -> bool {
        let mut piece = [0; 512];
        match read(&self.socket, &mut piece) {
            Ok(length @ 1..) => {
                self.received
                    .extend_from_slice(piece.get(..length).unwrap_or(&piece));
                true
            }
            Err(Errno::AGAIN | Errno::INTR) => true,
            Ok(_) | Err(_) => false,
        }
    }
}

/// The whole response to what a peer has sent, once its request is complete.
fn reply(received: &[u8], answer: &mut dyn FnMut(Method, &str) -> Response) -> Option<String> {
    let response = match parse_request(received) {
        Parsed::Incomplete => return None,
        Parsed::Get(path) => answer(Method::Get, path),
        Parsed::Post(path) => answer(Method::Post, path),
        Parsed::OtherMethod => {
            Response::takes_only("GET, POST", "GET and POST are answered here\n")
        }
        Parsed::Malformed(right) => Response::malformed(right),
    };
    Some(response.in_text())
}

impl AsFd for Server {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(remove_file(&self.path));
    }
}
