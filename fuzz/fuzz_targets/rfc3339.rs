//! Times: no panic; a time written out again in UTC is the same time, and later ones are
//! greater.
#![no_main]
// parses: crates/containers/src/docker/time.rs

use evictd_containers::docker::parse_rfc3339;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Some(nanos) = parse_rfc3339(text) else {
        return;
    };
    // Beyond these the time was cut to 64 bits.
    if nanos == i64::MIN || nanos == i64::MAX {
        return;
    }
    let again = written(nanos);
    assert_eq!(parse_rfc3339(&again), Some(nanos), "{again}");
    let next = parse_rfc3339(&written(nanos.saturating_add(1)));
    assert_eq!(next, Some(nanos.saturating_add(1)));
});

/// By counting days one year and one month at a time.
fn written(nanos: i64) -> String {
    let seconds = nanos.div_euclid(1_000_000_000);
    let mut days = seconds.div_euclid(86_400);
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while days < 0 {
        year -= 1;
        days += if leap(year) { 366 } else { 365 };
    }
    while days >= if leap(year) { 366 } else { 365 } {
        days -= if leap(year) { 366 } else { 365 };
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let second = seconds.rem_euclid(86_400);
    format!(
        "{year:04}-{month:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z",
        days + 1,
        second / 3600,
        second / 60 % 60,
        second % 60,
        nanos.rem_euclid(1_000_000_000)
    )
}
