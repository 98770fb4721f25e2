//! All that a runtime may send over a connection, HTTP/2 and gRPC: no panic, and the
//! same answer however the bytes are cut up.
#![no_main]

use evictd_containers::cri_api::{Failure, parse_connection};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((piece, bytes)) = input.split_first() else {
        return;
    };
    let whole = parse_connection(bytes, bytes.len());
    let pieces = parse_connection(bytes, usize::from(*piece));
    match (&whole, &pieces) {
        (Ok(whole), Ok(pieces)) => {
            assert_eq!(whole, pieces);
            assert!(whole.len() <= bytes.len());
        }
        (Err(_), Err(Failure::TimedOut(_))) => panic!("there is no clock"),
        (Err(whole), Err(pieces)) => {
            assert!(!whole.to_string().is_empty() && !pieces.to_string().is_empty());
        }
        _ => panic!("{whole:?} in one piece, {pieces:?} in pieces of {piece}"),
    }
});
