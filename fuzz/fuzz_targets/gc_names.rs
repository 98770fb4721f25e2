//! Names of log directories and files: what is taken for a pod's or a log's is
//! spelled that way and no other, and can never lead elsewhere.
#![no_main]
// parses: crates/gc/src/names.rs

use evictd_gc::{is_uid, parse_log_file, parse_pod_logs_name};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Some(name) = parse_pod_logs_name(text) {
        let again = format!("{}_{}_{}", name.namespace, name.name, name.uid);
        assert_eq!(again.as_bytes(), text);
        assert!(is_uid(name.uid.as_bytes()));
        assert!(!text.contains(&b'/') && !text.starts_with(b"."));
    }
    if is_uid(text) {
        assert!(!text.is_empty() && !text.contains(&b'/') && !text.starts_with(b"."));
    }
    if let Some(number) = parse_log_file(text) {
        assert!(text.starts_with(format!("{number}.log").as_bytes()));
        assert!(!text.contains(&b'/'));
    }
});
