//! What a runtime says by itself, over the Docker API and over gRPC: no panic; the same events
//! however the bytes are cut up; no memory for a stream without end; the end has a reason of
//! one line.
#![no_main]
// options: -max_len=1048576
// parses: crates/containers/src/docker/events.rs#read_event
// parses: crates/containers/src/docker/events.rs#end_line
// parses: crates/containers/src/cri/events.rs#step

use std::io::{self, BufReader, Read, Write};

use evictd_containers::Failure;
use evictd_containers::cri::count_events;
use evictd_containers::docker::read_event;
use evictd_fuzz::in_bounded_memory;
use libfuzzer_sys::fuzz_target;

/// A runtime that sends these bytes, in pieces of that many, and takes all.
struct Runtime<'a> {
    bytes: &'a [u8],
    piece: usize,
}

impl Read for Runtime<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.piece.max(1).min(buffer.len());
        self.bytes.read(&mut buffer[..most])
    }
}

impl Write for Runtime<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How many events and changes there are, and why no more come.
type Heard = (usize, usize, Failure);

fn of_docker(bytes: &[u8], piece: usize) -> Heard {
    let mut stream = BufReader::with_capacity(piece.max(1), bytes);
    let (mut events, mut changes) = (0, 0);
    loop {
        match read_event(&mut stream) {
            Ok(is_change) => {
                events += 1;
                changes += usize::from(is_change);
            }
            Err(failure) => return (events, changes, failure),
        }
    }
}

fn of_cri(bytes: &[u8], piece: usize) -> Heard {
    let mut events = 0;
    let failure = count_events(Runtime { bytes, piece }, &mut events).unwrap_err();
    (events, events, failure)
}

fuzz_target!(|input: &[u8]| {
    let Some((piece, bytes)) = input.split_first() else {
        return;
    };
    for read in [of_docker, of_cri] {
        let (events, changes, failure) = in_bounded_memory(|| read(bytes, bytes.len()));
        assert!(changes <= events && events <= bytes.len());
        assert!(!failure.to_string().contains(char::is_control));
        let is_of_a_socket = matches!(failure, Failure::TimedOut(_) | Failure::NotReachable(_));
        assert!(!is_of_a_socket, "there is no socket");
        let again = in_bounded_memory(|| read(bytes, usize::from(*piece)));
        assert_eq!((events, changes, failure), again);
    }
});
