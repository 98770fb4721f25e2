//! Keyed files: entries lie in the text, keys that nobody knows change
//! nothing, and a printed `memory.stat` is parsed again as it was.
#![no_main]
// parses: crates/kerntext/src/keyed.rs
// parses: crates/kerntext/src/cgroup_files.rs
// parses: crates/kerntext/src/scan.rs

use evictd_kerntext::{flat_keyed, parse_memory_stat};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    for entry in flat_keyed(text) {
        let length = entry.key().len() + entry.value().len();
        assert!(length <= text.len());
        if let Err(error) = entry.number() {
            assert!(error.position <= text.len());
        }
    }
    let longer = [text, b"\nno_such_key x\n"].concat();
    assert_eq!(parse_memory_stat(text), parse_memory_stat(&longer));

    let stat = parse_memory_stat(text);
    let mut printed = String::new();
    for (key, value) in [
        ("anon", stat.anon_bytes),
        ("file", stat.file_bytes),
        ("inactive_file", stat.inactive_file_bytes),
        ("total_rss", stat.total_rss_bytes),
        ("total_cache", stat.total_cache_bytes),
        ("total_inactive_file", stat.total_inactive_file_bytes),
        ("workingset_refault", stat.refaulted_pages),
        ("total_workingset_refault", stat.total_refaulted_pages),
    ] {
        if let Some(value) = value {
            printed.push_str(&format!("{key} {value}\n"));
        }
    }
    for key in stat.bad_fields() {
        printed.push_str(&format!("{key} x\n"));
    }
    assert_eq!(parse_memory_stat(printed.as_bytes()), stat);
});
