//! All that a runtime may send over a connection, HTTP/2 and gRPC: no panic, and the
//! same answer however the bytes are cut up.
#![no_main]
// options: -max_len=1048576
// parses: crates/containers/src/cri/answer.rs
// parses: crates/containers/src/cri/http2.rs
// parses: crates/containers/src/cri/hpack.rs
// parses: crates/containers/src/cri/grpc.rs

use std::io::{self, Read, Write};

use evictd_containers::Failure;
use evictd_containers::cri::parse_connection;
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

fuzz_target!(|input: &[u8]| {
    let Some((piece, bytes)) = input.split_first() else {
        return;
    };
    let read = |piece: usize| in_bounded_memory(|| parse_connection(Runtime { bytes, piece }));
    let whole = read(bytes.len());
    assert_eq!(whole, read(usize::from(*piece)));
    match whole {
        Ok(message) => assert!(message.len() <= bytes.len()),
        Err(Failure::TimedOut(_) | Failure::NotReachable(_)) => panic!("there is no socket"),
        Err(failure) => assert!(!failure.to_string().contains(char::is_control)),
    }
});
