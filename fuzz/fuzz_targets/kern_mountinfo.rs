//! mountinfo and the two cgroup files of `/proc`: each line is one result, a
//! bad line touches no other, escaping again gives the same bytes.
#![no_main]
// parses: crates/kerntext/src/mountinfo.rs
// parses: crates/kerntext/src/proc_cgroups.rs

use evictd_kerntext::{Escaped, controllers, memberships, mounts};
use libfuzzer_sys::fuzz_target;

fn escape(name: Escaped<'_>) -> String {
    name.bytes().map(|byte| format!("\\{byte:03o}")).collect()
}

fuzz_target!(|text: &[u8]| {
    let lines = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    assert_eq!(mounts(text).count(), lines.clone().count());
    assert_eq!(memberships(text).count(), lines.count());
    assert!(controllers(text).flatten().all(|c| !c.name.is_empty()));
    assert!(
        memberships(text)
            .flatten()
            .all(|m| m.path.starts_with(b"/"))
    );

    let longer = [b"bad line\n", text].concat();
    let alone = mounts(text).flatten();
    assert!(alone.eq(mounts(&longer).flatten()));

    for mount in mounts(text).flatten() {
        let (root, point) = (escape(mount.root), escape(mount.mount_point));
        let again = format!("1 2 3:4 {root} {point} rw - type source rw");
        let again = mounts(again.as_bytes()).next().unwrap().unwrap();
        assert!(again.root.bytes().eq(mount.root.bytes()));
        assert!(again.mount_point.bytes().eq(mount.mount_point.bytes()));
        assert!(mount.mount_point.bytes().count() <= mount.mount_point.raw().len());
    }
});
