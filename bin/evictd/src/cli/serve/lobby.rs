//! Those who have not asked yet: a descriptor in a list each, however long they say nothing.

use alloc::collections::VecDeque;
use core::time::Duration;

use evictd_node::Mono;
use evictd_stats::now;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SocketFlags, accept_with, recv};

use evictd_client::{MOST_BYTES, Parsed, parse_request};

/// How many there may be: where more come, the first to come of those who say nothing has to
/// go. A process may have 1,024 descriptors as a rule, and there are two places.
pub(super) const ROOM: usize = 256;

/// Nobody has to go sooner: on a busy machine a request comes some time after its connection,
/// in which any number of others may come.
const TO_BEGIN: Duration = Duration::from_millis(250);

/// How long a peer may take for its request.
const PATIENCE: Duration = Duration::from_secs(5);

/// How soon those are looked at again who have asked and are not served yet, or have to go.
const AGAIN: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// After an error of accept that nobody's going could help.
const REST: Duration = Duration::from_millis(100);

/// A peer, and what it has sent.
pub(super) struct Guest {
    pub(super) peer: OwnedFd,
    pub(super) received: Vec<u8>,
    has_asked: bool,
    came: Mono,
}

/// The peers of a place that are not served yet, in the order in which they came.
pub(super) struct Lobby {
    place: OwnedFd,
    guests: VecDeque<Guest>,
}

impl Lobby {
    pub(super) const fn new(place: OwnedFd) -> Self {
        let guests = VecDeque::new();
        Self { place, guests }
    }

    /// Waits until there is something to do, and does it: hands on those that have asked.
    /// `serve` returns a guest for whom there is no room yet.
    pub(super) fn turn(&mut self, serve: &mut dyn FnMut(Guest) -> Option<Guest>) {
        self.wait();
        self.admit();
        for mut guest in core::mem::take(&mut self.guests) {
            if guest.stays() {
                let left = if guest.has_asked {
                    serve(guest)
                } else {
                    Some(guest)
                };
                self.guests.extend(left);
            }
        }
    }

    fn wait(&self) {
        let mut polled = Vec::with_capacity(ROOM + 1);
        if self.guests.len() < ROOM || self.who_has_to_go().is_some() {
            polled.push(PollFd::new(&self.place, PollFlags::IN));
        }
        let silent = self.guests.iter().filter(|guest| !guest.has_asked);
        polled.extend(silent.map(|guest| PollFd::new(&guest.peer, PollFlags::IN)));
        let _ = poll(&mut polled, Some(&AGAIN));
    }

    /// Those that find no room wait where the kernel keeps them.
    fn admit(&mut self) {
        while self.guests.len() < ROOM || self.make_room() {
            match accept_with(&self.place, SocketFlags::CLOEXEC) {
                Ok(peer) => self.guests.push_back(Guest {
                    peer,
                    received: Vec::new(),
                    has_asked: false,
                    came: now(),
                }),
                Err(Errno::AGAIN) => return,
                // There may be no descriptor left.
                Err(_) if self.make_room() => return,
                Err(_) => return std::thread::sleep(REST),
            }
        }
    }

    fn make_room(&mut self) -> bool {
        let at = self.who_has_to_go();
        at.and_then(|at| self.guests.remove(at)).is_some()
    }

    fn who_has_to_go(&self) -> Option<usize> {
        let (mut guests, now) = (self.guests.iter(), now());
        let may_go = |guest: &Guest| !guest.has_asked && now.since(guest.came) >= TO_BEGIN;
        guests.position(may_go)
    }
}

impl Guest {
    /// Takes in what has come. `false` when the peer has gone, or has had its time.
    fn stays(&mut self) -> bool {
        if !self.has_asked {
            let mut piece = [0; MOST_BYTES];
            match recv(&self.peer, &mut piece, RecvFlags::DONTWAIT) {
                Ok((_, length @ 1..)) => self.hear(piece.get(..length).unwrap_or_default()),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Ok(_) | Err(_) => return false,
            }
        }
        now().since(self.came) < PATIENCE
    }

    fn hear(&mut self, piece: &[u8]) {
        self.received.extend_from_slice(piece);
        self.has_asked = !matches!(parse_request(&self.received), Parsed::Incomplete);
    }
}
