//! What the daemon's socket sends to a command: no panic, and a body is the end of it.
#![no_main]
// parses: crates/client/src/response.rs#find_body

use evictd_client::find_body;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|answer: &[u8]| {
    if let Some(body) = find_body(answer) {
        assert!(answer.starts_with(b"HTTP/1.1 200 "));
        assert!(answer.ends_with(body.as_bytes()));
        let length = format!("Content-Length: {}", body.len());
        assert!(core::str::from_utf8(answer).unwrap().contains(&length));
    }
});
