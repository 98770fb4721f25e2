//! Who is served at a time, and who has to go where more have asked.

use alloc::sync::Arc;
use core::time::Duration;
use std::sync::{Mutex, MutexGuard, PoisonError};

use evictd_node::Mono;
use evictd_stats::now;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{Shutdown, shutdown};

/// Peers of a place at a time.
pub(super) const PEERS: usize = 32;

/// So long a peer has for its response, where others want its seat.
const TO_TAKE: Duration = Duration::from_millis(250);

/// How far a peer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It has asked, and waits for us.
    Waits,
    /// It takes the response, since then.
    Takes(Mono),
    /// It has been hung up on.
    Leaves,
}

/// The seats of a place, in the order in which they were taken.
#[derive(Default)]
pub(super) struct Seats(Mutex<Vec<Taken>>);

struct Taken {
    peer: Arc<OwnedFd>,
    stage: Stage,
}

/// A peer on its seat, which it leaves when this is dropped.
pub(super) struct Seat {
    peer: Arc<OwnedFd>,
    of: Arc<Seats>,
}

impl Seats {
    /// Whether no seat is left. Then somebody has to go who is slow, for the next.
    pub(super) fn are_taken(&self) -> bool {
        let mut taken = self.lock();
        let are_taken = taken.len() >= PEERS;
        if are_taken {
            hang_up_on_one(&mut taken);
        }
        are_taken
    }

    /// Gives a peer a seat.
    pub(super) fn take(self: &Arc<Self>, peer: OwnedFd) -> Seat {
        let peer = Arc::new(peer);
        self.lock().push(Taken {
            peer: Arc::clone(&peer),
            stage: Stage::Waits,
        });
        Seat {
            peer,
            of: Arc::clone(self),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Taken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Notes how far the peer has come.
    pub(super) fn is_at(&self, stage: Stage) {
        let mut taken = self.of.lock();
        let own = |seat: &&mut Taken| Arc::ptr_eq(&seat.peer, &self.peer);
        if let Some(seat) = taken.iter_mut().find(own)
            && seat.stage != Stage::Leaves
        {
            seat.stage = stage;
        }
    }
}

impl AsFd for Seat {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.peer.as_fd()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.of.lock();
        taken.retain(|seat| !Arc::ptr_eq(&seat.peer, &self.peer));
    }
}

/// The thread that talks to it finds the connection at its end, and leaves.
fn hang_up_on_one(taken: &mut [Taken]) {
    let stages: Vec<_> = taken.iter().map(|seat| seat.stage).collect();
    if let Some(seat) = whose_seat(&stages, now()).and_then(|at| taken.get_mut(at)) {
        seat.stage = Stage::Leaves;
        let _ = shutdown(&seat.peer, Shutdown::Both);
    }
}

/// Whose seat another gets: that of the first who is slow to take its response. Nobody's while
/// one is leaving.
fn whose_seat(stages: &[Stage], now: Mono) -> Option<usize> {
    if stages.contains(&Stage::Leaves) {
        return None;
    }
    stages.iter().position(|stage| match stage {
        Stage::Takes(since) => now.since(*since) >= TO_TAKE,
        Stage::Waits | Stage::Leaves => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_slow_to_take_its_response_loses_its_seat() {
        let at = |millis| Mono::ZERO + Duration::from_millis(millis);
        let (early, late) = (Stage::Takes(at(0)), Stage::Takes(at(900)));
        let whose = |stages: &[Stage]| whose_seat(stages, at(1000));
        assert_eq!(whose(&[late, Stage::Waits, early, early]), Some(2));
        assert_eq!(whose(&[late, Stage::Waits]), None);
        assert_eq!(whose(&[Stage::Leaves, early]), None);
        assert_eq!(whose(&[]), None);
    }

    #[test]
    fn where_all_seats_are_taken_one_gets_free_by_hanging_up() {
        let seats = Arc::new(Seats::default());
        let mut peers = Vec::new();
        let mut taken = Vec::new();
        while !seats.are_taken() {
            let (peer, served) = std::os::unix::net::UnixStream::pair().unwrap();
            peers.push(peer);
            taken.push(seats.take(served.into()));
        }
        assert_eq!(taken.len(), PEERS);
        taken[1].is_at(Stage::Takes(Mono::ZERO));
        assert!(seats.are_taken());
        // It stays so, until its thread has left.
        taken[1].is_at(Stage::Waits);
        assert_eq!(seats.lock()[1].stage, Stage::Leaves);
        assert_eq!(rustix::io::read(&taken[1], &mut [0; 1]), Ok(0));
        assert!(seats.are_taken());
        taken.remove(1);
        assert!(!seats.are_taken());
    }
}
