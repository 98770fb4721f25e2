use super::error;
use crate::ParseErrorKind::{Number, Range};
use crate::{Limit, parse_limit, parse_u64};

#[test]
fn single_values() {
    for (text, expected) in [
        (&b"0\n"[..], Ok(0)),
        (b"4096", Ok(4096)),
        (b"18446744073709551615\n", Ok(u64::MAX)),
        (b"18446744073709551616\n", Err(error(Range, 0))),
        (b"", Err(error(Number, 0))),
        (b"\n", Err(error(Number, 0))),
        (b"-1\n", Err(error(Number, 0))),
        (b"+1\n", Err(error(Number, 0))),
        (b"max\n", Err(error(Number, 0))),
        (b"12 13\n", Err(error(Number, 0))),
        (b"\xff\n", Err(error(Number, 0))),
    ] {
        assert_eq!(parse_u64(text), expected, "{text:?}");
    }
}

#[test]
fn limits() {
    for (text, expected) in [
        (&b"max\n"[..], Ok(Limit::Max)),
        (b"max", Ok(Limit::Max)),
        (b"0\n", Ok(Limit::Value(0))),
        (b"104857600\n", Ok(Limit::Value(104_857_600))),
        // v1 without a limit, with pages of 4 KiB and of 64 KiB.
        (b"9223372036854771712\n", Ok(Limit::Max)),
        (b"9223372036854710272\n", Ok(Limit::Max)),
        (b"4611686018427387903\n", Ok(Limit::Value((1 << 62) - 1))),
        (b"4611686018427387904\n", Ok(Limit::Max)),
        (b"maximum\n", Err(error(Number, 0))),
        (b"", Err(error(Number, 0))),
        (b"-1\n", Err(error(Number, 0))),
    ] {
        assert_eq!(parse_limit(text), expected, "{text:?}");
    }
    assert!(Limit::Value(u64::MAX) < Limit::Max);
    assert_eq!(Limit::Value(3).value(), Some(3));
    assert_eq!(Limit::Max.value(), None);
}
