//! Recordings: no panic in reading, writing or deciding; a line that was read is written so
//! that it is read again as the same.
#![no_main]
// parses: crates/recording/src/line.rs
// parses: crates/recording/src/seen.rs

use evictd_evict::{Config, Evict};
use evictd_fuzz::in_bounded_memory;
use evictd_recording::{Line, Session};
use evictd_threshold::{Lists, parse};
use libfuzzer_sys::fuzz_target;

const HARD: &str = "memory.available<100Mi,nodefs.available<10%,pid.available<5";

fuzz_target!(|bytes: &[u8]| {
    let thresholds = parse(&Lists::of_hard(HARD)).expect("it is right");
    let config = Config {
        thresholds,
        ..Config::default()
    };
    let mut session = Session::new(Evict::new(config));
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = match in_bounded_memory(|| Line::parse(line)) {
            Ok(line) => line,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                continue;
            }
        };
        let written = line.to_string();
        let again = Line::parse(written.as_bytes()).expect("what was read");
        // Of a pod only what decides is written.
        if !matches!(line, Line::Pod(_)) {
            assert_eq!(again, line);
        }
        assert_eq!(again.to_string(), written);
        let _ = session.show(&line);
    }
});
