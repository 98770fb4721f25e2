//! Any text: parsing never panics, and printing a duration and reading it again
//! gives the same one, down to the text.
#![no_main]
// parses: crates/quantity/src/duration.rs

use evictd_quantity::GoDuration;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = core::str::from_utf8(data).unwrap_or_default();
    match GoDuration::parse(text) {
        Err(error) => {
            assert!(text.get(error.position..).is_some(), "outside the text");
            assert!(error.in_go_words(text).starts_with("time: "));
            assert!(
                error
                    .to_string()
                    .ends_with(&format!("(at byte {})", error.position))
            );
        }
        Ok(duration) => roundtrip(duration),
    }
    if let Some(nanos) = data.first_chunk() {
        roundtrip(GoDuration::from_nanos(i64::from_le_bytes(*nanos)));
    }
});

fn roundtrip(duration: GoDuration) {
    let text = duration.to_string();
    let again = GoDuration::parse(&text).unwrap();
    assert_eq!(again, duration, "{text}");
    assert_eq!(text.parse(), Ok(duration));
    assert_eq!(again.to_string(), text);
}
