//! The one message of a gRPC answer: no longer than what carried it, and exactly what its
//! head announces.
#![no_main]
// options: -max_len=1048576
// parses: crates/containers/src/cri/grpc.rs

use evictd_containers::cri::parse_message;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The seeds begin with how they were once cut up.
    let Some((_, bytes)) = input.split_first() else {
        return;
    };
    match parse_message(bytes.to_vec()) {
        Ok(message) => {
            assert_eq!(bytes[0], 0);
            assert_eq!(bytes[5..], *message);
            let length = u32::try_from(message.len()).unwrap();
            assert_eq!(bytes[1..5], length.to_be_bytes());
        }
        Err(what) => assert!(!what.is_empty()),
    }
});
