use super::error;
use crate::ParseErrorKind::{Form, Number, Range};
use crate::{Stall, parse_pressure};

#[test]
fn averages_are_parts_per_ten_thousand() {
    let pressure = parse_pressure(
        b"some avg10=1.50 avg60=0.07 avg300=100.00 total=18446744073709551615\n\
          full avg10=0.00 avg60=0.00 avg300=0.01 total=9\n",
    )
    .unwrap();
    let some = Stall {
        avg10_permyriad: Some(150),
        avg60_permyriad: Some(7),
        avg300_permyriad: Some(10_000),
        total_usec: Some(u64::MAX),
    };
    assert_eq!(pressure.some, Some(some));
    assert_eq!(pressure.full.unwrap().avg300_permyriad, Some(1));
}

#[test]
fn lines_and_fields_may_be_missing() {
    // cpu before 5.13 has no full line, irq has no some line.
    let cpu = parse_pressure(b"some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n").unwrap();
    assert!(cpu.some.is_some() && cpu.full.is_none());
    let irq = parse_pressure(b"full avg10=0.00 total=1 new=x\n").unwrap();
    assert_eq!(irq.some, None);
    assert_eq!(irq.full.unwrap().avg60_permyriad, None);
    let neither = parse_pressure(b"most avg10=x\n\n").unwrap();
    assert!(neither.some.is_none() && neither.full.is_none());
}

#[test]
fn bad_numbers_say_where() {
    for (text, expected) in [
        (&b"some avg10=1\n"[..], error(Form, 11)),
        (b"some avg10=1.5\n", error(Form, 11)),
        (b"some avg10=1.500\n", error(Form, 11)),
        (b"some avg10=.50\n", error(Number, 11)),
        (b"some avg10=1.-1\n", error(Form, 11)),
        (b"some avg10=42949672.96\n", error(Form, 11)),
        (b"some avg10=4294967296.00\n", error(Range, 11)),
        (b"some total=\n", error(Number, 11)),
        (b"some total\n", error(Number, 10)),
        (b"full avg10=0.00 total=-1\n", error(Number, 22)),
    ] {
        assert_eq!(parse_pressure(text), Err(expected), "{text:?}");
    }
    let largest = parse_pressure(b"some avg10=42949672.95\n").unwrap();
    assert_eq!(largest.some.unwrap().avg10_permyriad, Some(u32::MAX));
}
