use alloc::string::ToString;

use crate::ParseDurationErrorKind::{Invalid, MissingUnit, Overflow, UnknownUnit};
use crate::*;

#[test]
fn durations_are_read_and_printed_as_go_does() {
    for (text, nanos, printed) in [
        ("0", 0, "0s"),
        ("-0", 0, "0s"),
        ("0h", 0, "0s"),
        ("5m", 300_000_000_000, "5m0s"),
        ("1m30s", 90_000_000_000, "1m30s"),
        ("30s1m", 90_000_000_000, "1m30s"),
        ("+1.5h", 5_400_000_000_000, "1h30m0s"),
        (".5s", 500_000_000, "500ms"),
        ("1.s", 1_000_000_000, "1s"),
        ("-1.5ms", -1_500_000, "-1.5ms"),
        ("1us", 1_000, "1\u{b5}s"),
        ("1\u{b5}s", 1_000, "1\u{b5}s"),
        ("1\u{3bc}s", 1_000, "1\u{b5}s"),
        ("1.9ns", 1, "1ns"),
        ("0.000000001h", 3_600, "3.6\u{b5}s"),
        ("0.33333333333333333333h", 1_200_000_000_000, "20m0s"),
        (
            "2562047h47m16.854775807s",
            i64::MAX,
            "2562047h47m16.854775807s",
        ),
        (
            "-9223372036854775808ns",
            i64::MIN,
            "-2562047h47m16.854775808s",
        ),
    ] {
        let parsed: GoDuration = text.parse().unwrap();
        assert_eq!(parsed.nanos(), nanos, "{text}");
        assert_eq!(parsed, GoDuration::from_nanos(nanos));
        assert_eq!(parsed.to_string(), printed, "{text}");
    }
}

#[test]
fn texts_that_are_no_duration_are_refused_with_the_place() {
    for (text, kind, position) in [
        ("", Invalid, 0),
        ("-", Invalid, 1),
        ("5", MissingUnit, 1),
        ("00", MissingUnit, 2),
        ("1m30", MissingUnit, 4),
        ("s", Invalid, 0),
        (".s", Invalid, 0),
        ("1m-5s", UnknownUnit, 1),
        ("1d", UnknownUnit, 1),
        ("1 s", UnknownUnit, 1),
        ("1S", UnknownUnit, 1),
        ("1.2.3s", MissingUnit, 3),
        ("1\u{b5}", UnknownUnit, 1),
        ("9223372036854775808ns", Overflow, 0),
        ("-9223372036854775809ns", Overflow, 1),
        ("99999999999999999999999s", Overflow, 0),
        ("1s9223372036s", Overflow, 2),
        ("2562048h", Overflow, 0),
    ] {
        let error = GoDuration::parse(text).unwrap_err();
        assert_eq!((error.kind, error.position), (kind, position), "{text}");
    }
}

#[test]
fn a_duration_becomes_one_of_core_and_comes_from_it() {
    use core::time::Duration;
    let minute = GoDuration::parse("1m").unwrap();
    assert_eq!(Duration::try_from(minute), Ok(Duration::from_secs(60)));
    assert_eq!(GoDuration::try_from(Duration::from_secs(60)), Ok(minute));
    assert!(Duration::try_from(GoDuration::from_nanos(-1)).is_err());
    assert!(GoDuration::try_from(Duration::MAX).is_err());
}
