use core::time::Duration;

use crate::{ParseErrorKind, parse_full_stall, parse_some_stall};

#[test]
fn the_time_in_which_all_waited_is_found() {
    let text = b"some avg10=0.10 avg60=0.02 avg300=0.00 total=38190\n\
        full avg10=0.00 avg60=0.00 avg300=0.00 total=21702\n";
    assert_eq!(parse_full_stall(text), Ok(Duration::from_micros(21_702)));
    assert_eq!(parse_some_stall(text), Ok(Duration::from_micros(38_190)));
}

#[test]
fn what_is_not_there_is_an_error() {
    use ParseErrorKind::{Missing, Number};
    for (text, kind, position) in [
        (&b""[..], Missing, 0),
        (b"some avg10=0.00 total=1\n", Missing, 0),
        (b"some total=1\nfull avg10=0.00\n", Missing, 13),
        (b"full total=-1\n", Number, 11),
        (b" \n", Missing, 0),
    ] {
        let error = parse_full_stall(text).unwrap_err();
        assert_eq!((error.kind, error.position), (kind, position), "{text:?}");
    }
}
