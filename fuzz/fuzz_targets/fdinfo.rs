//! The kernel's text about an open file: no panic, and a mount that is found is in it.
#![no_main]
// parses: crates/cgroup/src/leftovers/root.rs#find_mount_id

use evictd_cgroup::find_mount_id;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Some(id) = find_mount_id(text) {
        let text = core::str::from_utf8(text).unwrap();
        assert!(text.contains("mnt_id:"));
        assert_eq!(
            find_mount_id(format!("mnt_id:\t{id}\n{text}").as_bytes()),
            Some(id)
        );
    }
});
