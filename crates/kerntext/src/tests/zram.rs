use super::error;
use crate::ParseErrorKind::{Missing, Number};
use crate::parse_zram_pool;

#[test]
fn a_zram_device_takes_its_pool() {
    let text =
        b"67108864 66723840 67584000        0 67584000      123        0        0        0\n";
    assert_eq!(parse_zram_pool(text), Ok(67_584_000));
    for (text, expected) in [
        (&b""[..], error(Missing, 0)),
        (b"1 2\n", error(Missing, 4)),
        (b"1 2 x\n", error(Number, 4)),
        (b"-1 2 3\n", error(Number, 0)),
    ] {
        assert_eq!(parse_zram_pool(text), Err(expected), "{text:?}");
    }
}
