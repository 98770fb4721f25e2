//! HTTP for a few peers at a time. Nobody is waited for: one that is slow holds up no other,
//! and none for long.

mod peer;

use core::time::Duration;

use evictd_client::Response;
use evictd_stats::now;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};

use peer::{Peer, Stage};

/// How many of a place may have no seat: where more come, the first to come of those who say
/// nothing has to go. A process may have 1,024 descriptors as a rule, and there are two places.
const ROOM: usize = 256;

/// Nobody has to go sooner: on a busy machine a request comes some time after its connection,
/// in which any number of others may come.
const TO_BEGIN: Duration = Duration::from_millis(250);

/// Peers of a place that are served at a time.
const SEATS: usize = 32;

/// How soon those are looked at again who have no seat yet, or have to go.
const AGAIN: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// After an error of accept that nobody's going could help.
const REST: Duration = Duration::from_millis(100);

/// Serves all who connect to these places, which do not block, for as long as this runs.
pub(super) fn serve(places: Vec<OwnedFd>, answer: &mut dyn FnMut(&str) -> Response) -> ! {
    let mut places: Vec<_> = places.into_iter().map(Place::new).collect();
    loop {
        wait(&places);
        for place in &mut places {
            place.turn(answer);
        }
    }
}

/// Waits until there is something to do.
fn wait(places: &[Place]) {
    let mut polled = Vec::new();
    for place in places {
        if place.has_room() || place.who_has_to_go().is_some() {
            polled.push(PollFd::new(&place.socket, PollFlags::IN));
        }
        polled.extend(place.peers.iter().filter_map(Peer::polled));
    }
    let mut peers = places.iter().flat_map(|place| &place.peers);
    let at_once = peers.any(|peer| peer.stage == Stage::Waits);
    let timeout = if at_once { Timespec::default() } else { AGAIN };
    let _ = poll(&mut polled, Some(&timeout));
}

/// A socket, and its peers in the order in which they came.
struct Place {
    socket: OwnedFd,
    peers: Vec<Peer>,
}

impl Place {
    const fn new(socket: OwnedFd) -> Self {
        let peers = Vec::new();
        Self { socket, peers }
    }

    /// Does what can be done at once, and answers one request.
    fn turn(&mut self, answer: &mut dyn FnMut(&str) -> Response) {
        self.admit();
        self.peers.retain_mut(Peer::stays);
        self.give_seats();
        let next = |peer: &&mut Peer| peer.stage == Stage::Waits;
        if let Some(peer) = self.peers.iter_mut().find(next) {
            peer.serve(answer);
        }
    }

    /// Those that find no room wait where the kernel keeps them.
    fn admit(&mut self) {
        while self.has_room() || self.make_room() {
            match accept_with(&self.socket, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
                Ok(socket) => self.peers.push(Peer::new(socket)),
                Err(Errno::AGAIN) => return,
                // There may be no descriptor left.
                Err(_) if self.make_room() => return,
                Err(_) => return std::thread::sleep(REST),
            }
        }
    }

    fn has_room(&self) -> bool {
        self.peers.len().saturating_sub(self.seated()) < ROOM
    }

    fn make_room(&mut self) -> bool {
        let at = self.who_has_to_go();
        at.map(|at| self.peers.remove(at)).is_some()
    }

    fn who_has_to_go(&self) -> Option<usize> {
        let now = now();
        let may_go = |peer: &Peer| peer.stage == Stage::Asks && now.since(peer.came) >= TO_BEGIN;
        self.peers.iter().position(may_go)
    }

    fn seated(&self) -> usize {
        self.peers.iter().filter(|peer| peer.has_seat()).count()
    }

    /// Gives those who have asked a seat. Where there is none left, the first who is slow to
    /// take its response loses its own.
    fn give_seats(&mut self) {
        let stands = |peer: &Peer| peer.stage == Stage::Stands;
        if self.seated() >= SEATS
            && self.peers.iter().any(stands)
            && let Some(slow) = self.peers.iter().position(Peer::is_slow)
        {
            self.peers.remove(slow);
        }
        let left = SEATS.saturating_sub(self.seated());
        for peer in self.peers.iter_mut().filter(|peer| stands(peer)).take(left) {
            peer.stage = Stage::Waits;
        }
    }
}

#[cfg(test)]
mod tests;
