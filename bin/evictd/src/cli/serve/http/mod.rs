//! HTTP for a few peers at a time, each in a thread of its own once it has asked: one that is
//! slow holds up no other, and none for long.

use alloc::sync::Arc;
use core::time::Duration;
use std::io::{self, ErrorKind};
use std::sync::mpsc::{Sender, SyncSender, sync_channel};

use evictd_client::{Parsed, Response, parse_request};
use evictd_stats::now;
use rustix::fd::OwnedFd;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{SendFlags, send};

use super::lobby::{Guest, Lobby};
use super::seats::{Seat, Seats, Stage};
use crate::plain::Plain;

/// How long a peer may take for the response, while no other wants its seat.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a peer asked for, and where the reply goes.
pub(super) struct Question {
    pub(super) path: String,
    pub(super) reply: SyncSender<Response>,
}

/// What is asked for cannot be had now, and why.
pub(super) fn unavailable(why: &str) -> Response {
    Response::unavailable(&format!("{}\n", Plain(why)))
}

/// Serves all who connect to a place that does not block, for as long as this runs.
pub(super) fn accept(place: OwnedFd, questions: &Sender<Question>) {
    let seats = Arc::new(Seats::default());
    let mut lobby = Lobby::new(place);
    loop {
        lobby.turn(&mut |guest| {
            if seats.are_taken() {
                return Some(guest);
            }
            let Guest { peer, received, .. } = guest;
            let (seat, questions) = (seats.take(peer), questions.clone());
            // Without a thread the seat is given back at once. A peer that is gone or slow has
            // nobody to be told.
            let _ = std::thread::Builder::new().spawn(move || {
                let _ = talk(&seat, &received, &questions);
            });
            None
        });
    }
}

/// Answers a request and sends the response.
fn talk(seat: &Seat, request: &[u8], questions: &Sender<Question>) -> io::Result<()> {
    let response = answer(request, questions)?.in_text();
    seat.is_at(Stage::Takes(now()));
    let until = now() + PATIENCE;
    let mut rest = response.as_bytes();
    while !rest.is_empty() {
        let left = until.since(now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        set_socket_timeout(seat, Timeout::Send, Some(left))?;
        let length = send(seat, rest, SendFlags::NOSIGNAL)?;
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(())
}

fn answer(request: &[u8], questions: &Sender<Question>) -> io::Result<Response> {
    match parse_request(request) {
        Parsed::Get(path) => {
            let (reply, answer) = sync_channel(1);
            let path = path.to_owned();
            let gone = |_| ErrorKind::BrokenPipe;
            questions.send(Question { path, reply }).map_err(gone)?;
            answer.recv().map_err(|_| ErrorKind::BrokenPipe.into())
        }
        Parsed::Post(_) | Parsed::OtherMethod => {
            let text = "only GET is answered here\n";
            Ok(Response::takes_only("GET", text))
        }
        Parsed::Malformed(right) => Ok(Response::malformed(right)),
        Parsed::Incomplete => Err(ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests;
