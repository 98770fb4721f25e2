use super::error;
use crate::ParseErrorKind::{Missing, Number};
use crate::parse_zram_pool;

#[test]
fn a_zram_device_takes_its_pool() {
    let text =
        b"67108864 66723840 67584000        0 67584000      123        0        0        0\n";
    assert_eq!(parse_zram_pool(text), Ok(67_584_000));
    assert_eq!(parse_zram_pool(b"-1 x 3\n"), Ok(3), "others decide nothing");
    for (text, expected) in [
        (&b""[..], error(Missing, 0)),
        (b"1 2\n", error(Missing, 4)),
        (b"1 2 x\n", error(Number, 4)),
    ] {
        assert_eq!(parse_zram_pool(text), Err(expected), "{text:?}");
    }
}
