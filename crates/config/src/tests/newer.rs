//! What separates one kubelet from another.

use evictd_node::{KubeletVersion, Policy};

use super::file::HEADER;
use super::*;

/// The settings by a file with these lines below the header.
fn by(compat: &str, lines: &str) -> Result<Resolved, Box<ConfigError>> {
    let mut typed = typed(&[(COMPAT, compat)]);
    typed.add_file("node.yaml", format!("{HEADER}{lines}").as_bytes())?;
    resolve(&typed)
}

#[test]
fn each_kubelet_has_its_preset() {
    for (name, policy) in [
        ("evictd", Policy::default()),
        ("kubelet", Policy::of(KubeletVersion::V1_36)),
        ("kubelet-1.36", Policy::of(KubeletVersion::V1_36)),
        ("kubelet-1.32", Policy::of(KubeletVersion::V1_32)),
    ] {
        let settings = resolved(&[(COMPAT, name)]);
        assert_eq!(settings.evict.policy, policy, "{name}");
        assert_eq!(settings.hugepage_aware, name == "evictd", "{name}");
    }
    let unknown = resolve(&typed(&[(COMPAT, "kubelet-1.31")])).unwrap_err();
    assert_eq!(
        unknown.hint,
        "did you mean kubelet-1.36? values are evictd, kubelet, kubelet-1.36, kubelet-1.32"
    );
}

/// An error since 1.36; before, the kubelet took it and it acted as none.
#[test]
fn a_negative_minimum_age_of_images_is_refused() {
    let given = |compat| [(COMPAT, compat), ("minimum-image-ttl-duration", "-1ns")];
    for compat in ["evictd", "kubelet-1.36"] {
        let error = resolve(&typed(&given(compat))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--minimum-image-ttl-duration: imageMinimumGCAge -1ns must not be negative, in \
             \"-1ns\" at byte 0; write 0s or more"
        );
    }
    let older = resolved(&given("kubelet-1.32"));
    assert_eq!(
        older.warnings[0].to_string(),
        "--minimum-image-ttl-duration: -1ns is negative and counts as 0s"
    );
}

/// Settings that evictd has no use for: a file with which that kubelet would not start.
#[test]
fn what_a_kubelet_would_not_start_with_is_refused_where_it_is_asked_for() {
    for (lines, problem) in [
        (
            "containerLogMaxFiles: 1",
            "line 3: containerLogMaxFiles: containerLogMaxFiles must be greater than 1, in \"1\"; \
             leave it out: evictd does not use it",
        ),
        (
            "memoryReservationPolicy: Tiered",
            "line 3: memoryReservationPolicy: option \"Tiered\" specified for \
             memoryReservationPolicy. Valid options are \"None\" or \"TieredReservation\", in \
             \"Tiered\"; leave it out: evictd does not use it",
        ),
        (
            "memoryReservationPolicy: TieredReservation",
            "line 3: memoryReservationPolicy: memoryReservationPolicy \"TieredReservation\" \
             requires MemoryQoS feature gate to be enabled, in \"TieredReservation\"; leave it \
             out: evictd does not use it",
        ),
        (
            "featureGates: {KubeletPSI: false}",
            "line 3: featureGates[KubeletPSI]: cannot set feature gate KubeletPSI to false, \
             feature is locked to true; leave the gate out",
        ),
        (
            "featureGates: {PodLevelResources: false}",
            "line 3: featureGates[PodLevelResources]: InPlacePodLevelResourcesVerticalScaling is \
             enabled, but depends on features that are disabled: [PodLevelResources]; leave the \
             gate out",
        ),
    ] {
        let error = by("kubelet-1.36", lines).unwrap_err();
        assert_eq!(error.to_string(), format!("node.yaml: {problem}"));
        for other in ["evictd", "kubelet-1.32"] {
            assert!(by(other, lines).is_ok(), "{other}: {lines}");
        }
    }
    let right = "containerLogMaxFiles: 2\nmemoryReservationPolicy: TieredReservation\n\
                 failCgroupV1: true\nfeatureGates: {MemoryQoS: true, KubeletPSI: true}\n";
    assert!(by("kubelet-1.36", right).is_ok());
}

#[test]
fn the_gate_of_resources_of_the_whole_pod_is_obeyed() {
    let off = "featureGates: {PodLevelResources: false, \
               InPlacePodLevelResourcesVerticalScaling: false}";
    for compat in ["evictd", "kubelet-1.36"] {
        let ignored = |lines| {
            by(compat, lines)
                .unwrap()
                .evict
                .policy
                .pod_resources_are_ignored
        };
        assert!(ignored(off) && !ignored(""), "{compat}");
    }
}

/// Acceptance row 208: the kubelet's way, unless the flag says otherwise.
#[test]
fn static_pods_are_critical_where_it_is_asked_for() {
    const STATIC: &str = "static-pods-are-critical";
    for (given, expected) in [
        (&[][..], false),
        (&[(STATIC, "true")], true),
        (&[(COMPAT, "kubelet")], true),
        (&[(COMPAT, "kubelet-1.32")], true),
        (&[(COMPAT, "kubelet"), (STATIC, "false")], false),
    ] {
        let policy = resolved(given).evict.policy;
        assert_eq!(policy.manifest_pods_are_static, expected, "{given:?}");
    }
}
