//! HTTP for a few peers at a time, each in a thread of its own: one that is slow holds up no
//! other, and none for long.

use alloc::sync::Arc;
use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};

use evictd_node::Mono;
use evictd_stats::now;

use super::places::Place;
use crate::socket::{MOST_BYTES, Parsed, parse_request};

/// Peers of a place at a time; others wait.
const PEERS: usize = 8;

/// How long a peer may take for its request, and again for the response.
const PATIENCE: Duration = Duration::from_secs(5);

/// After an error of accept, as when there is no descriptor left.
const AGAIN: Duration = Duration::from_millis(100);

/// What a peer asked for, and where the reply goes.
pub(super) struct Question {
    pub(super) path: String,
    pub(super) reply: SyncSender<Reply>,
}

/// A response.
pub(super) struct Reply {
    status: &'static str,
    media: &'static str,
    text: String,
}

impl Reply {
    pub(super) const fn found(media: &'static str, text: String) -> Self {
        Self {
            status: "200 OK",
            media,
            text,
        }
    }

    pub(super) fn not_found(text: &str) -> Self {
        Self::refusal("404 Not Found", text)
    }

    /// What is asked for cannot be had now, and why.
    pub(super) fn unavailable(why: &str) -> Self {
        Self::refusal(
            "503 Service Unavailable",
            &format!("{}\n", crate::plain::Plain(why)),
        )
    }

    fn refusal(status: &'static str, text: &str) -> Self {
        Self {
            status,
            media: "text/plain",
            text: text.to_owned(),
        }
    }

    fn in_bytes(&self) -> Vec<u8> {
        let Self {
            status,
            media,
            text,
        } = self;
        let length = text.len();
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{text}"
        )
        .into_bytes()
    }
}

/// A connection.
pub(super) trait Peer: Read + Write + Send {
    /// No read or write is to wait longer.
    fn set_patience(&self, patience: Duration) -> io::Result<()>;
}

impl Peer for TcpStream {
    fn set_patience(&self, patience: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(patience))?;
        self.set_write_timeout(Some(patience))
    }
}

impl Peer for UnixStream {
    fn set_patience(&self, patience: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(patience))?;
        self.set_write_timeout(Some(patience))
    }
}

/// How many peers there are, and who waits for one to leave.
#[derive(Default)]
struct Seats {
    taken: Mutex<usize>,
    left: Condvar,
}

impl Seats {
    fn take(&self) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.left.wait_while(taken, |taken| *taken >= PEERS);
        *wait.unwrap_or_else(PoisonError::into_inner) += 1;
    }

    fn leave(&self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(1);
        self.left.notify_one();
    }
}

/// Serves all who connect there, for as long as somebody takes questions.
pub(super) fn accept(place: &Place, questions: &Sender<Question>) {
    let seats = Arc::new(Seats::default());
    loop {
        seats.take();
        let Ok(mut peer) = place.accept() else {
            seats.leave();
            std::thread::sleep(AGAIN);
            continue;
        };
        let (of, questions) = (Arc::clone(&seats), questions.clone());
        let begun = std::thread::Builder::new().spawn(move || {
            // A peer that is gone or slow has nobody to be told.
            let _ = talk(&mut *peer, &questions);
            of.leave();
        });
        if begun.is_err() {
            seats.leave();
        }
    }
}

/// Reads a request and sends the response.
fn talk(peer: &mut dyn Peer, questions: &Sender<Question>) -> io::Result<()> {
    let response = read_request(peer, now() + PATIENCE, questions)?.in_bytes();
    let until = now() + PATIENCE;
    let mut rest = response.as_slice();
    while !rest.is_empty() {
        be_patient(peer, until)?;
        let length = peer.write(rest)?;
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(())
}

fn read_request(
    peer: &mut dyn Peer,
    until: Mono,
    questions: &Sender<Question>,
) -> io::Result<Reply> {
    let mut received = Vec::new();
    let mut piece = [0; MOST_BYTES];
    loop {
        match parse_request(&received) {
            Parsed::Incomplete => {
                be_patient(peer, until)?;
                let length = peer.read(&mut piece)?;
                if length == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                received.extend_from_slice(piece.get(..length).unwrap_or_default());
            }
            Parsed::Get(path) => {
                let (reply, answer) = sync_channel(1);
                let path = path.to_owned();
                let gone = |_| io::ErrorKind::BrokenPipe;
                questions.send(Question { path, reply }).map_err(gone)?;
                return answer.recv().map_err(|_| io::ErrorKind::BrokenPipe.into());
            }
            Parsed::OtherMethod => {
                let status = "405 Method Not Allowed\r\nAllow: GET";
                return Ok(Reply::refusal(status, "only GET is answered here\n"));
            }
            Parsed::Malformed(right) => return Ok(Reply::refusal("400 Bad Request", right)),
        }
    }
}

fn be_patient(peer: &dyn Peer, until: Mono) -> io::Result<()> {
    match until.since(now()) {
        Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
        left => peer.set_patience(left),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// What a peer gets that sends this, from one who knows `/a`.
    fn response(request: &[u8]) -> String {
        let (mut peer, mut served) = UnixStream::pair().unwrap();
        let (questions, asked) = channel::<Question>();
        let server = std::thread::spawn(move || talk(&mut served, &questions).ok());
        peer.write_all(request).unwrap();
        let answering = std::thread::spawn(move || {
            for Question { path, reply } in asked {
                let large = "x".repeat(3 << 20);
                let _ = reply.send(match path.as_str() {
                    "/a" => Reply::found("text/x", large),
                    _ => Reply::unavailable("a\u{1b}b"),
                });
            }
        });
        if request.is_empty() {
            peer.shutdown(std::net::Shutdown::Write).unwrap();
        }
        let mut text = String::new();
        peer.read_to_string(&mut text).unwrap();
        server.join().unwrap();
        answering.join().unwrap();
        text
    }

    #[test]
    fn a_response_comes_whole_however_long_it_is() {
        let text = response(b"GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n");
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(
            head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/x"),
            "{head}"
        );
        assert_eq!(body.len(), 3 << 20);
    }

    #[test]
    fn what_cannot_be_had_is_said() {
        let text = response(b"GET /b HTTP/1.0\r\n\r\n");
        assert!(
            text.starts_with("HTTP/1.1 503 ") && text.ends_with("\r\n\r\na\\u{1b}b\n"),
            "{text}"
        );
        assert!(response(b"POST /a HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
        assert!(response(b"nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
        assert_eq!(response(b""), "");
    }
}
