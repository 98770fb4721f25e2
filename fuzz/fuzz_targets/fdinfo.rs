//! The kernel's text about an open file: no panic, and a mount that is found is in it.
#![no_main]
// parses: crates/cgroup/src/leftovers/root.rs#find_mount_id
// parses: crates/kerntext/src/open_file.rs

use evictd_cgroup::find_mount_id;
use evictd_kerntext::parse_open_file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Ok(file) = parse_open_file(text) {
        let again = format!("flags:\t0{:o}\n", file.flags);
        assert_eq!(parse_open_file(again.as_bytes()).unwrap(), file);
        assert_eq!(file.is_writable(), matches!(file.flags % 4, 1 | 2));
        assert_eq!(file.appends(), file.flags / 1024 % 2 == 1);
    }
    if let Some(id) = find_mount_id(text) {
        assert!(text.windows(7).any(|part| part == b"mnt_id:"));
        let before = format!("mnt_id:\t{id}\n").into_bytes();
        assert_eq!(find_mount_id(&[&before, text].concat()), Some(id));
    }
});
