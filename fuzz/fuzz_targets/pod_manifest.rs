//! Pod manifests: no panic, the same answer twice, pods that are whole, and the
//! same pods from the same document as JSON.
#![no_main]
// parses: crates/manifest/src/parse/mod.rs
// parses: crates/manifest/src/defaults.rs

use evictd_fuzz::in_bounded_memory;
use evictd_node::pod::{Pod, Requested};
use evictd_node::{KubeletVersion, Policy};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let result = in_bounded_memory(|| evictd_manifest::parse_pods(input));
    assert_eq!(result, evictd_manifest::parse_pods(input));
    match &result {
        Ok(pods) => {
            assert!(!pods.is_empty());
            pods.iter().for_each(check);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let mut documents = evictd_manifest::yaml::parse_documents(input).unwrap_or_default();
    let (Some(document), true) = (documents.pop(), documents.is_empty()) else {
        return;
    };
    let json = document.to_string();
    // Fractions may change their last bits on the way through text.
    if evictd_manifest::yaml::parse_documents(json.as_bytes()) == Ok(vec![document]) {
        let same = evictd_manifest::parse_pods(json.as_bytes());
        assert_eq!(result.ok(), same.ok());
    }
});

/// What must hold of every pod.
fn check(pod: &Pod) {
    let metadata = &pod.metadata;
    assert!(!metadata.name.is_empty() && !metadata.namespace.is_empty());
    assert!(!metadata.uid.is_empty() && !metadata.uid.starts_with('.'));
    assert!(!metadata.uid.contains(['/', '\n', '\0']));
    let copy = pod.clone();
    for policy in [
        Policy::default(),
        Policy::of(KubeletVersion::V1_32),
        Policy::of(KubeletVersion::V1_36),
    ] {
        assert_eq!(pod.qos_class(&policy), copy.qos_class(&policy));
        assert_eq!(
            pod.computed_qos_class(&policy),
            copy.computed_qos_class(&policy)
        );
        for what in [
            Requested::Cpu,
            Requested::Memory,
            Requested::EphemeralStorage,
            Requested::Inodes,
        ] {
            assert_eq!(pod.request(what, &policy), copy.request(what, &policy));
        }
    }
    assert_eq!(pod.local_storage_limit(), copy.local_storage_limit());
    assert!(pod.spec.termination_grace_period_seconds.is_some());
    assert_eq!(
        pod.is_critical(),
        pod.is_static() || pod.is_mirror() || pod.priority() >= 2_000_000_000
    );
}
