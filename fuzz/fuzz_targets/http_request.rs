//! HTTP requests at the local socket: no panic; what is decided by the first bytes
//! stays decided whatever follows; a path begins with `/`, is plain and was sent, behind
//! no more than empty lines, which a server passes over (RFC 9112, section 2.2).
#![no_main]
// parses: crates/client/src/request/mod.rs

use evictd_client::{MOST_BYTES, Parsed, parse_request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let whole = parse_request(text);
    let mut decided = None;
    for length in 0..=text.len().min(MOST_BYTES + 8) {
        let parsed = parse_request(&text[..length]);
        match decided {
            None if parsed != Parsed::Incomplete => decided = Some(parsed),
            None => assert!(length < MOST_BYTES),
            Some(before) => assert_eq!(parsed, before),
        }
    }
    assert_eq!(decided.unwrap_or(Parsed::Incomplete), whole);
    let (method, path) = match whole {
        Parsed::Get(path) => ("GET", Some(path)),
        Parsed::Post(path) => ("POST", Some(path)),
        Parsed::Incomplete | Parsed::OtherMethod | Parsed::Malformed(_) => ("", None),
    };
    if let Some(path) = path {
        assert!(path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic()));
        let blanks = text.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let line = &text[blanks.count()..];
        let rest = line.strip_prefix(format!("{method} {path}").as_bytes());
        assert!(rest.is_some_and(|rest| rest.starts_with(b" ") || rest.starts_with(b"?")));
        assert!(!path.contains('?'));
    }
});
