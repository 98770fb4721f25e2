use core::time::Duration;

use evictd_client::{MOST_BYTES, Parsed, Response, parse_request};
use evictd_node::Mono;
use evictd_stats::now;
use rustix::event::{PollFd, PollFlags};
use rustix::fd::OwnedFd;
use rustix::io::{Errno, read};
use rustix::net::{SendFlags, send};

/// How long a peer may take for its request, and how long for the response while no other
/// wants its seat.
const PATIENCE: Duration = Duration::from_secs(5);

/// So long a peer has for its response, where others want its seat.
const TO_TAKE: Duration = Duration::from_millis(250);

/// How far a peer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its request is not there, or not whole.
    Asks,
    /// It has asked, and has no seat yet.
    Stands,
    /// It has a seat, and waits for us.
    Waits,
    /// It takes the response, since then.
    Takes(Mono),
}

/// Who has connected, what it has sent, and what it is sent.
pub(super) struct Peer {
    socket: OwnedFd,
    received: Vec<u8>,
    response: Vec<u8>,
    /// So much of the response.
    sent: usize,
    pub(super) came: Mono,
    pub(super) stage: Stage,
}

impl Peer {
    /// By a socket that does not block.
    pub(super) fn new(socket: OwnedFd) -> Self {
        Self {
            socket,
            received: Vec::new(),
            response: Vec::new(),
            sent: 0,
            came: now(),
            stage: Stage::Asks,
        }
    }

    pub(super) const fn has_seat(&self) -> bool {
        matches!(self.stage, Stage::Waits | Stage::Takes(_))
    }

    /// Whether it may lose its seat.
    pub(super) fn is_slow(&self) -> bool {
        matches!(self.stage, Stage::Takes(since) if now().since(since) >= TO_TAKE)
    }

    /// What is waited for, of those that have something to do.
    pub(super) fn polled(&self) -> Option<PollFd<'_>> {
        let how = match self.stage {
            Stage::Asks => PollFlags::IN,
            Stage::Takes(_) => PollFlags::OUT,
            Stage::Stands | Stage::Waits => return None,
        };
        Some(PollFd::new(&self.socket, how))
    }

    /// Takes in what has come, or sends on. `false` when the peer has gone, has all of its
    /// response, or has had its time.
    pub(super) fn stays(&mut self) -> bool {
        match self.stage {
            Stage::Asks => self.hear() && now().since(self.came) < PATIENCE,
            Stage::Stands => now().since(self.came) < PATIENCE,
            Stage::Waits => true,
            Stage::Takes(since) => self.send_on() && now().since(since) < PATIENCE,
        }
    }

    fn hear(&mut self) -> bool {
        let mut piece = [0; MOST_BYTES];
        match read(&self.socket, &mut piece) {
            Ok(length @ 1..) => {
                let piece = piece.get(..length).unwrap_or_default();
                self.received.extend_from_slice(piece);
                if !matches!(parse_request(&self.received), Parsed::Incomplete) {
                    self.stage = Stage::Stands;
                }
                true
            }
            Err(Errno::AGAIN | Errno::INTR) => true,
            Ok(_) | Err(_) => false,
        }
    }

    fn send_on(&mut self) -> bool {
        let rest = self.response.get(self.sent..).unwrap_or_default();
        match send(&self.socket, rest, SendFlags::NOSIGNAL) {
            Ok(length) => {
                self.sent += length;
                length < rest.len()
            }
            Err(Errno::AGAIN | Errno::INTR) => true,
            Err(_) => false,
        }
    }

    /// Answers its request.
    pub(super) fn serve(&mut self, answer: &mut dyn FnMut(&str) -> Response) {
        let response = match parse_request(&self.received) {
            Parsed::Get(path) => answer(path),
            Parsed::Post(_) | Parsed::OtherMethod => {
                Response::takes_only("GET", "only GET is answered here\n")
            }
            Parsed::Malformed(right) => Response::malformed(right),
            Parsed::Incomplete => return,
        };
        self.response = response.in_text().into_bytes();
        self.stage = Stage::Takes(now());
    }
}
