//! Any text: parsing never panics, and printing a duration and reading it again
//! gives the same one, down to the text.
#![no_main]
// parses: crates/quantity/src/duration.rs

use evictd_quantity::GoDuration;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    match core::str::from_utf8(data).map(GoDuration::parse) {
        Err(_) => {}
        Ok(Err(error)) => assert!(error.position <= data.len()),
        Ok(Ok(duration)) => roundtrip(duration),
    }
    if let Some(nanos) = data.first_chunk() {
        roundtrip(GoDuration::from_nanos(i64::from_le_bytes(*nanos)));
    }
});

fn roundtrip(duration: GoDuration) {
    let text = duration.to_string();
    let again = GoDuration::parse(&text).unwrap();
    assert_eq!(again, duration, "{text}");
    assert_eq!(again.to_string(), text);
}
