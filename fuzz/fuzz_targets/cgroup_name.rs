//! Names of cgroups: no panic; a root stays below the hierarchy's mount point
//! and is the same when read again; a kubepods uid is whole, and spelled by
//! either driver it is found again.
#![no_main]
// parses: crates/node/src/kubepods.rs
// parses: crates/cgroup/src/cgroup/root.rs

use std::os::unix::ffi::OsStrExt;
use std::path::Component;

use evictd_cgroup::parse_pod_cgroup_root;
use evictd_node::kubepods::{KubepodsName, compare_uids, is_uid, parse_kubepods_name};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    match parse_pod_cgroup_root(input) {
        Ok(root) => {
            assert!(root.components().count() > 0);
            let normal = |part| matches!(part, Component::Normal(_));
            assert!(root.components().all(normal));
            let again = parse_pod_cgroup_root(root.as_os_str().as_bytes());
            assert_eq!(again, Ok(root));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let (name, uid, systemd) = match parse_kubepods_name(input) {
        Some(name @ KubepodsName::Pod { uid, systemd }) => (name, uid, systemd),
        Some(name @ KubepodsName::Class(_)) => return assert_eq!(name.uid(), None),
        None => return,
    };
    assert!(!uid.is_empty());
    let plain = name.uid().unwrap_or_default();
    assert!(!(systemd && plain.contains('_')));
    assert!(is_uid(uid, &plain, systemd) && compare_uids(uid, &plain).is_eq());
    assert!(!is_uid(uid, &format!("{plain}x"), systemd) && !is_uid(uid, "", systemd));
    assert_eq!(
        input.ends_with(b".slice"),
        systemd || uid.ends_with(".slice")
    );
    let again = format!("pod{plain}");
    let again = parse_kubepods_name(again.as_bytes()).and_then(KubepodsName::uid);
    assert_eq!(again, Some(plain));
    let unit = format!("kubepods-besteffort-pod{}.slice", uid.replace('-', "_"));
    let spelled = parse_kubepods_name(unit.as_bytes()).and_then(KubepodsName::uid);
    assert_eq!(spelled, Some(uid.replace('_', "-")));
});
