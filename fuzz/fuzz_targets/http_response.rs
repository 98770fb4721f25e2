//! HTTP answers: no panic; how the bytes are split changes nothing, neither the
//! answer nor what is wrong with it; none takes more bytes than there are.
#![no_main]
// options: -max_len=1048576
// parses: crates/containers/src/docker/http.rs

use std::io::{self, BufReader, Read};

use evictd_containers::Failure;
use evictd_containers::docker::read_response;
use evictd_fuzz::in_bounded_memory;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (piece, text) = input;
    let whole = read(text, text.len().max(1));
    assert_eq!(read(text, usize::from(piece).max(1)), whole);
    assert_eq!(read(text, 1), whole);
    match whole {
        Ok((status, body, rest)) => {
            assert!(body.len() + rest <= text.len());
            assert!((200..600).contains(&status));
            // What came before the end is an answer by itself.
            let taken = &text[..text.len() - rest];
            assert_eq!(read(taken, 7), Ok((status, body, 0)));
        }
        Err(failure) => {
            assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
            assert!(!failure.to_string().contains(char::is_control));
        }
    }
});

/// The status and the body of an answer, and how many bytes follow it.
fn read(text: &[u8], piece: usize) -> Result<(u16, Vec<u8>, usize), Failure> {
    let mut stream = BufReader::with_capacity(piece, text);
    let mut body = Vec::new();
    let status = in_bounded_memory(|| {
        let mut response = read_response(&mut stream)?;
        io::copy(&mut response.body, &mut body)?;
        Ok::<u16, Failure>(response.status)
    })?;
    let rest = stream.read_to_end(&mut Vec::new()).unwrap();
    Ok((status, body, rest))
}
