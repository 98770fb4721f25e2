use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::{Plain, is_plain, write_json};

/// What must not get through, each with a letter before and behind.
const HOSTILE: &str =
    "a\u{1b}[31mb\rc\nd\u{9b}e\u{7f}f\u{85}g\u{202e}h\u{2066}i\u{61c}j\u{2028}k\tl\u{0}m";
const SHOWN: &str = "a\\u{1b}[31mb\\u{d}c\\u{a}d\\u{9b}e\\u{7f}f\\u{85}g\\u{202e}h\\u{2066}i\
                     \\u{61c}j\\u{2028}k\\u{9}l\\u{0}m";

/// Acceptance row 198.
#[test]
fn nothing_but_letters_gets_through() {
    assert_eq!(Plain(HOSTILE).to_string(), SHOWN);
    assert_eq!(Plain(SHOWN).to_string(), SHOWN);
    assert_eq!(
        Plain("größe \"Ω\" \\ 日本 🦀").to_string(),
        "größe \"Ω\" \\ 日本 🦀"
    );
}

/// Acceptance row 198.
#[test]
fn json_is_plain_before_and_after_it_is_read() {
    let document = BTreeMap::from([(HOSTILE, "\"quoted\" \\ größe"), ("b", HOSTILE)]);
    let mut out = Vec::new();
    write_json(&mut out, &document).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.chars().all(is_plain), "{text}");
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read[SHOWN], "\"quoted\" \\ größe");
    assert_eq!(read["b"], SHOWN);
}
