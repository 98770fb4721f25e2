//! The bytes of a container's log: a record that is found begins behind a line's end and has a
//! time, and a notice is just as long as what it replaces.
#![no_main]
// parses: crates/gc/src/live_logs/record.rs
// parses: crates/gc/src/live_logs/rotated.rs

use evictd_gc::{RecordFormat, is_rotated, notice, record_after, rotated_name, time_of};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, u64, &[u8])| {
    let (at_least, seconds, bytes) = input;
    let at_least = usize::from(at_least);
    for format in [RecordFormat::Json, RecordFormat::Cri] {
        let Some(begin) = record_after(format, bytes, at_least) else {
            continue;
        };
        assert!(begin >= at_least && bytes[begin - 1] == b'\n');
        let line = bytes[begin..].split(|byte| *byte == b'\n').next().unwrap();
        let time = time_of(format, line).expect("it is a record");
        let sentence = "evictd: 1Gi of this log are gone: its disk was full";
        if let Some(notice) = notice(format, sentence, time, begin) {
            assert_eq!(notice.len(), begin);
            let line = notice.strip_suffix(b"\n").unwrap();
            assert!(!line.contains(&b'\n'));
            assert_eq!(time_of(format, line), Some(time));
        }
    }
    // Years of more than four digits are not written so.
    let name = rotated_name("0.log", seconds % 253_402_300_800);
    assert!(is_rotated(b"0.log", name.as_bytes()), "{name}");
    let _ = is_rotated(b"0.log", bytes);
});
