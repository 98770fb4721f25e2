//! What a runtime says by itself.

use core::time::Duration;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::cri::count_events;
use crate::cri::fake::{Fake, Reply, THIS, counted, data, fields, frame, head, settings};
use crate::{ContainerRuntime, CriRuntime, Failure};

const LONG: Duration = Duration::from_secs(20);
const EVENT: &[u8] = b"\x0a\x03abc\x10\x01";

/// A runtime that sends these bytes, and keeps what it is sent.
struct Peer<'a> {
    sends: &'a [u8],
    sent: &'a mut Vec<u8>,
}

impl Read for Peer<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.sends.read(buffer)
    }
}

impl Write for Peer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sent.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How many events these frames are, why no more come, and what was sent to the runtime.
fn read(frames: &[Vec<u8>]) -> (usize, Failure, Vec<u8>) {
    let mut sends = [settings(), head(), frames.concat()].concat();
    for at in 0..sends.len().saturating_sub(3) {
        if sends[at..at + 4] == THIS.to_be_bytes() {
            sends[at..at + 4].copy_from_slice(&1_u32.to_be_bytes());
        }
    }
    let (mut count, mut sent) = (0, Vec::new());
    let peer = Peer {
        sends: &sends,
        sent: &mut sent,
    };
    let failure = count_events(peer, &mut count).unwrap_err();
    (count, failure, sent)
}

/// Acceptance row 249.
#[test]
fn whatever_a_runtime_says_is_an_event() {
    let event = counted(0, EVENT);
    assert_eq!(read(&[data(&event)]).0, 1);
    assert_eq!(
        read(&[data(&event), data(&event), frame(6, 0, 0, &[0; 8])]).0,
        2
    );
    assert_eq!(read(&[data(&[])]).0, 0);
    // Nothing of it is read, so nothing of it can be odd.
    for odd in [
        counted(1, EVENT),
        counted(9, EVENT),
        counted(0, &vec![7; 16_000]),
        vec![0, 0xff, 0xff, 0xff, 0xff],
        vec![0xff],
    ] {
        assert_eq!(read(&[data(&odd), data(&event)]).0, 2, "{odd:?}");
    }
}

/// Acceptance row 250.
#[test]
fn the_runtime_may_go_on_for_ever() {
    let event = counted(0, EVENT);
    let (_, _, sent) = read(&[data(&event), data(&event), frame(6, 0, 0, b"pingpong")]);
    let more = u32::try_from(event.len()).unwrap().to_be_bytes();
    let count = |wanted: &[u8]| {
        sent.windows(wanted.len())
            .filter(|at| *at == wanted)
            .count()
    };
    assert_eq!(count(&frame(8, 0, 0, &more)), 2, "the connection's window");
    assert_eq!(count(&frame(8, 0, 1, &more)), 2, "the stream's");
    assert_eq!(count(&frame(6, 1, 0, b"pingpong")), 1);
}

/// Acceptance row 250.
#[test]
fn why_a_runtime_tells_of_no_more_events() {
    let event = data(&counted(0, EVENT));
    let end = |status| fields(&[("grpc-status", status)], true);
    assert_eq!(read(&[event.clone(), end("0")]).1, Failure::Closed);
    assert_eq!(read(core::slice::from_ref(&event)).1, Failure::Closed);
    let (count, failure, _) = read(&[event.clone(), end("14")]);
    assert!(count == 1 && matches!(failure, Failure::Refused { code: 14, .. }));
    let odd = frame(0, 8, THIS, &[9, 1]);
    assert!(matches!(read(&[odd]).1, Failure::Malformed(_)));
}

/// Acceptance rows 249 and 250.
#[test]
fn a_runtime_is_followed_where_it_serves_that() {
    let fake = Fake::start("followed", |method, request| {
        assert_eq!((method, request), ("GetContainerEvents", b"".as_slice()));
        Reply::Bytes([head(), data(&counted(0, EVENT))].concat())
    });
    let mut runtime = CriRuntime::with(&fake.socket(), Path::new("/proc"), LONG);
    let mut changes = runtime.follow().unwrap();
    let mut waited = (0..).map(|_| changes.wait(LONG));
    // Its settings and its head come first.
    assert!(waited.any(|waited| waited.unwrap()));
    drop(waited);
    assert_eq!(changes.wait(Duration::from_millis(2)), Ok(false));

    // containerd 1.6.
    fake.restart(|_, _| Reply::Status(12, "unknown method GetContainerEvents"));
    let mut changes = runtime.follow().unwrap();
    let mut waited = (0..).map(|_| changes.wait(LONG));
    let failure = waited.find_map(Result::err).unwrap();
    assert!(
        matches!(failure, Failure::Refused { code: 12, .. }),
        "{failure}"
    );
}
