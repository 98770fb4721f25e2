//! Acceptance row 196: no text makes the reader of manifests take much memory.
#![cfg(feature = "yaml")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;

use evictd_manifest::{MAX_BYTES, parse_pods};

/// The most memory that this process ever had, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_ascii_whitespace().nth(1));
    number.unwrap().parse().unwrap()
}

/// As much of a piece as a manifest may have.
fn filled(before: &str, piece: &str) -> Vec<u8> {
    let count = (MAX_BYTES - before.len()) / piece.len();
    format!("{before}{}", piece.repeat(count)).into_bytes()
}

/// One test in this file: the peak is the whole process's.
#[test]
fn a_manifest_of_any_content_costs_little_memory() {
    let texts = [
        filled("[", ":,"),
        filled("", "[:,"),
        filled("[", "\"\""),
        filled("[", "&a"),
        filled("[", "!a "),
        filled("[", "*a"),
        filled("[", "a #\n"),
        filled("[", "? "),
        filled("", "- a:\n"),
        filled("", "- {a: }\n"),
        filled("[", "{a: },"),
        filled("[", "{\"a\":1},"),
        filled("", "{}"),
        filled("", "---\n- {a: 1}\n"),
        filled("a: &a [x, y]\nb:\n", "- *a\n"),
        filled("\"", "\\u0001"),
        filled(
            "kind: List\nitems:\n",
            "- {kind: Pod, metadata: {name: a}}\n",
        ),
        filled(
            "kind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n",
            "  - {}\n",
        ),
        filled(
            "kind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n",
            "  - name: a\n",
        ),
    ];
    let before = peak();
    for text in &texts {
        drop(parse_pods(text));
        let added = peak() - before;
        let begin = String::from_utf8_lossy(&text[..text.len().min(80)]);
        println!("{added} KiB after {begin:?}");
    }
    let added = peak() - before;
    assert!(added < 10 << 10, "{added} KiB");
}
