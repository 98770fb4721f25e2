//! Names that look like another pod's. A pod may name cgroups below its own as it likes.

use alloc::sync::Arc;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use evictd_node::pod::Pod;
use evictd_stats::{Hierarchies, Hierarchy, Version};

use super::{CgroupConfig, CgroupRuntime};
use crate::Listing;
use crate::testkit::Fixture;

const PROCS: &str = "999999999\n";
const UID: &str = "0f7c1f0e-1111-2222-3333-444455556666";

/// The critical pod that others pose as.
fn critical() -> Arc<Pod> {
    let mut pod = Pod::default();
    pod.metadata.namespace = "default".into();
    pod.metadata.name = "db".into();
    pod.metadata.uid = UID.into();
    pod.spec.priority = Some(2_000_001_000);
    pod.into()
}

fn list(names: &[&[u8]]) -> Listing {
    let fixture = Fixture::new();
    for name in names {
        let cgroup = fixture.path().join(OsStr::from_bytes(name));
        fs::create_dir_all(&cgroup).unwrap();
        fs::write(cgroup.join("cgroup.procs"), PROCS).unwrap();
    }
    let mut config = CgroupConfig::new(Hierarchies {
        memory: Some(Hierarchy {
            version: Version::V2,
            mount_point: fixture.path().to_path_buf(),
        }),
        ..Hierarchies::default()
    });
    config.pod_cgroup_roots = vec![PathBuf::from("pods")];
    let mut runtime = CgroupRuntime::new(config).unwrap();
    runtime.list_pods(&[critical()], &[])
}

#[test]
fn a_name_that_looks_like_a_critical_pods_is_another() {
    for name in [
        "pods/default_db\n",
        "pods/default_db ",
        "pods/ default_db",
        "pods/default_db\u{200b}",
        "pods/\u{202e}bd_tluafed",
        "pods/default_d\u{431}",
        "pods/DEFAULT_DB",
        "pods/default_db\u{1b}[2K",
        "pods/other_db",
        "kubepods/poddefault_db",
        "kubepods/pod0f7c1f0e-1111-2222-3333-444455556666\r",
        "kubepods/pod0f7c1f0e-1111-2222-3333-44445555666",
        "kubepods/pod0F7C1F0E-1111-2222-3333-444455556666",
        "kubepods.slice/kubepods-pod0f7c1f0e_1111_2222_3333_444455556666 .slice",
    ] {
        let listing = list(&[name.as_bytes()]);
        assert_eq!(listing.pods.len(), 1, "{name:?}: {listing:?}");
        let found = &listing.pods[0];
        assert!(
            !found.pod.is_critical() && found.manifest.is_none(),
            "{name:?}"
        );
        assert_ne!(found.pod.metadata.uid, UID, "{name:?}");
    }
    for name in [&b"pods/default_db\xff"[..], b"pods/\xffdefault_db"] {
        assert!(list(&[name]).pods[0].manifest.is_none());
    }
    // It is known by these.
    for name in [
        "pods/default_db",
        "pods/0f7c1f0e-1111-2222-3333-444455556666",
    ] {
        assert!(list(&[name.as_bytes()]).pods[0].pod.is_critical(), "{name}");
    }
}

#[test]
fn a_cgroup_that_a_pod_made_is_a_part_of_it_whatever_its_name() {
    let own = "kubepods/burstable/podhog";
    let inner = [
        format!("pod{UID}"),
        format!("kubepods/pod{UID}"),
        "kubepods.slice/kubepods-pod1.slice".to_owned(),
        "pods/default_db".to_owned(),
        format!("docker-{}.scope", "a".repeat(64)),
    ];
    let mut names = vec![own.to_owned(), "pods/web".to_owned()];
    names.extend(inner.iter().map(|inner| format!("{own}/{inner}")));
    names.extend(inner.iter().map(|inner| format!("pods/web/{inner}")));
    let names: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
    let listing = list(&names);
    let found: Vec<_> = listing
        .pods
        .iter()
        .map(|of| of.cgroup.display().to_string())
        .collect();
    assert_eq!(found, [own, "pods/web"]);
    assert!(
        listing
            .pods
            .iter()
            .all(|of| !of.pod.is_critical() && of.manifest.is_none())
    );
}
