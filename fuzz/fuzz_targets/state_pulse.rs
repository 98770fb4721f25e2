//! The time in the state's lock: no panic, and what was read is written as it was.
#![no_main]
// parses: crates/engine/src/state/files.rs#parse_pulse

use evictd_engine::state::parse_pulse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Some(at) = parse_pulse(text) {
        let again = format!("{:020}", at.as_nanos());
        assert_eq!(parse_pulse(again.as_bytes()), Some(at));
    }
});
