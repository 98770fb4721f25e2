#![expect(
    clippy::disallowed_methods,
    reason = "waiting is what is measured here"
)]

use core::time::Duration;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::epoll;
use rustix::fd::OwnedFd;
use rustix::io::Errno;

use crate::wait_precisely;

fn set_with(sockets: &[UnixStream]) -> OwnedFd {
    let set = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
    for (number, socket) in (0..).zip(sockets) {
        let data = epoll::EventData::new_u64(number);
        epoll::add(&set, socket, data, epoll::EventFlags::IN).unwrap();
    }
    set
}

#[test]
fn what_is_ready_replaces_what_was() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let (_quiet, other) = UnixStream::pair().unwrap();
    let watched = [other, theirs];
    let set = set_with(&watched);
    ours.write_all(b"x").unwrap();
    let mut events = Vec::with_capacity(4);
    for _ in 0..2 {
        wait_precisely(&set, &mut events, None).unwrap();
        let ready: Vec<u64> = events.iter().map(|event| event.data.u64()).collect();
        assert_eq!(ready, [1]);
    }
}

#[test]
fn no_more_comes_than_there_is_room_for() {
    let pairs: Vec<_> = (0..9).map(|_| UnixStream::pair().unwrap()).collect();
    let (mut ours, theirs): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let set = set_with(&theirs);
    for socket in &mut ours {
        socket.write_all(b"x").unwrap();
    }
    let mut events = Vec::with_capacity(3);
    wait_precisely(&set, &mut events, None).unwrap();
    assert_eq!(events.len(), 3);
}

#[test]
fn the_time_is_waited_for_and_never_less() {
    let set = set_with(&[]);
    let mut events = Vec::with_capacity(1);
    for timeout in [
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_micros(1700),
    ] {
        let before = Instant::now();
        wait_precisely(&set, &mut events, Some(timeout)).unwrap();
        assert!(before.elapsed() >= timeout, "{timeout:?}");
        assert!(events.is_empty());
    }
}

#[test]
fn what_is_no_set_is_refused_and_holds_nothing() {
    let (_ours, theirs) = UnixStream::pair().unwrap();
    let set = set_with(&[]);
    let mut events = Vec::with_capacity(1);
    assert_eq!(
        wait_precisely(&theirs, &mut events, None),
        Err(Errno::INVAL)
    );
    assert!(events.is_empty());
    assert_eq!(
        wait_precisely(&set, &mut Vec::new(), None),
        Err(Errno::INVAL)
    );
}
