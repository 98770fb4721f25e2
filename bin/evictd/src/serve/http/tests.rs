use core::net::SocketAddr;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;

use evictd_node::Mono;

use super::super::unavailable;
use super::*;

fn listener() -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

/// Where one serves who knows `/a`, which is large, and `/b`.
fn served() -> SocketAddr {
    let listener = listener();
    let address = listener.local_addr().unwrap();
    let mut answer = |path: &str| match path {
        "/a" => Response::found("text/x", "x".repeat(16 << 20)),
        "/b" => Response::found("text/x", "here".to_owned()),
        _ => unavailable("a\u{1b}b"),
    };
    std::thread::spawn(move || serve(vec![listener.into()], &mut answer));
    address
}

fn ask(address: SocketAddr, request: &[u8]) -> TcpStream {
    let mut peer = TcpStream::connect(address).unwrap();
    peer.write_all(request).unwrap();
    peer
}

/// What a peer gets that sends this, and no more.
fn response(address: SocketAddr, request: &[u8]) -> String {
    let mut peer = ask(address, request);
    peer.shutdown(Shutdown::Write).unwrap();
    let mut text = String::new();
    peer.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_response_comes_whole_however_long_it_is() {
    let text = response(served(), b"GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n");
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/x"),
        "{head}"
    );
    assert_eq!(body.len(), 16 << 20);
}

#[test]
fn what_cannot_be_had_is_said() {
    let address = served();
    let text = response(address, b"GET /c HTTP/1.0\r\n\r\n");
    assert!(
        text.starts_with("HTTP/1.1 503 ") && text.ends_with("\r\n\r\na\\u{1b}b\n"),
        "{text}"
    );
    assert!(response(address, b"POST /a HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
    assert!(response(address, b"nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
    assert_eq!(response(address, b""), "");
}

/// Each of them has its five seconds only while nobody else is there.
#[test]
fn a_reader_is_answered_however_many_say_nothing() {
    let address = served();
    let mut silent: Vec<_> = (0..3 * ROOM).map(|_| ask(address, b"")).collect();
    let text = response(address, b"GET /b HTTP/1.1\r\n\r\n");
    assert!(text.ends_with("\r\n\r\nhere"), "{text}");
    // Whoever came last is there still, whoever came first is not.
    let mut latest = silent.pop().unwrap();
    latest.write_all(b"GET /b HTTP/1.1\r\n\r\n").unwrap();
    let mut text = String::new();
    latest.read_to_string(&mut text).unwrap();
    assert!(text.ends_with("\r\n\r\nhere"), "{text}");
    assert!(matches!(silent[0].read(&mut [0]), Ok(0) | Err(_)));
}

/// A place all of whose seats have just been taken, with one who has asked beside; and the
/// peers' ends.
fn full() -> (Place, Vec<UnixStream>) {
    let since = now() + Duration::from_secs(60);
    let mut place = Place::new(listener().into());
    let mut ends = Vec::new();
    for _ in 0..=SEATS {
        let (end, socket) = UnixStream::pair().unwrap();
        let mut peer = Peer::new(socket.into());
        peer.stage = Stage::Takes(since);
        place.peers.push(peer);
        ends.push(end);
    }
    place.peers[SEATS].stage = Stage::Stands;
    (place, ends)
}

#[test]
fn who_is_slow_to_take_its_response_loses_its_seat() {
    let (mut place, _ends) = full();
    place.peers[2].stage = Stage::Takes(Mono::ZERO);
    place.peers[3].stage = Stage::Waits;
    place.peers[4].stage = Stage::Takes(Mono::ZERO);
    place.give_seats();
    let stages: Vec<_> = place.peers.iter().map(|peer| peer.stage).collect();
    assert_eq!(stages.len(), SEATS);
    assert_eq!(stages[2..4], [Stage::Waits, Stage::Takes(Mono::ZERO)]);
    assert_eq!(stages[SEATS - 1], Stage::Waits);
    // Nobody else has asked.
    place.give_seats();
    assert_eq!(place.peers.len(), SEATS);
}

#[test]
fn where_all_seats_are_taken_one_gets_free_by_hanging_up() {
    let (mut place, mut ends) = full();
    place.give_seats();
    assert_eq!(place.peers[SEATS].stage, Stage::Stands);
    place.peers[1].stage = Stage::Takes(Mono::ZERO);
    place.give_seats();
    assert_eq!(place.peers[SEATS - 1].stage, Stage::Waits);
    assert_eq!(ends[1].read(&mut [0]).unwrap(), 0);
}
