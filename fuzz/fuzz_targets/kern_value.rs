//! Single values and limits: both parsers agree, and what is printed is parsed
//! again as it was.
#![no_main]
// parses: crates/kerntext/src/value.rs
// parses: crates/kerntext/src/pressure.rs
// parses: crates/kerntext/src/zram.rs

use evictd_kerntext::{
    Limit, parse_full_stall, parse_limit, parse_some_stall, parse_u64, parse_zram_pool,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let value = parse_u64(text);
    match (value, parse_limit(text)) {
        (Ok(value), Ok(limit @ Limit::Value(_))) => {
            let limit = limit.value().unwrap_or_default();
            assert!(value == limit && limit < Limit::UNLIMITED_FROM);
        }
        (Ok(value), Ok(Limit::Max)) => assert!(value >= Limit::UNLIMITED_FROM),
        (Err(_), Ok(limit)) => {
            assert_eq!((limit, limit.value()), (Limit::Max, None));
            assert_eq!(text.trim_ascii_end(), b"max");
        }
        (Err(one), Err(other)) => assert_eq!(one, other),
        (Ok(_), Err(_)) => panic!("a number must be a limit"),
    }
    for (kind, parse) in [
        ("full", parse_full_stall as fn(&[u8]) -> _),
        ("some", parse_some_stall),
    ] {
        match parse(text) {
            Ok(stall) => {
                let printed = format!("{kind} total={}\n", stall.as_micros());
                assert_eq!(parse(printed.as_bytes()), Ok(stall));
            }
            Err(error) => assert!(error.position <= text.len()),
        }
    }
    match parse_zram_pool(text) {
        Ok(pool) => assert_eq!(parse_zram_pool(format!("0 0 {pool}").as_bytes()), Ok(pool)),
        Err(error) => assert!(error.position <= text.len()),
    }
    if let Ok(value) = value {
        assert_eq!(parse_u64(format!("{value}\n").as_bytes()), Ok(value));
    }
});
