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
        ("kubelet-1.37", Policy::of(KubeletVersion::V1_37)),
        ("kubelet-1.36", Policy::of(KubeletVersion::V1_36)),
        ("kubelet-1.35", Policy::of(KubeletVersion::V1_35)),
        ("kubelet-1.34", Policy::of(KubeletVersion::V1_34)),
        ("kubelet-1.33", Policy::of(KubeletVersion::V1_33)),
        ("kubelet-1.32", Policy::of(KubeletVersion::V1_32)),
        ("kubelet-1.3", Policy::of(KubeletVersion::V1_3)),
    ] {
        let settings = resolved(&[(COMPAT, name)]);
        assert_eq!(settings.evict.policy, policy, "{name}");
        let is_aware = matches!(name, "evictd" | "kubelet-1.37");
        assert_eq!(settings.memory.hugepage_aware, is_aware, "{name}");
        let by_default = Compat::WORDS.contains(&name);
        assert!(by_default, "{name} is no hint");
    }
}

/// Acceptance row 268: as `kubelet --version` writes it, too.
#[test]
fn a_patch_release_has_the_preset_of_its_minor() {
    for name in ["kubelet-1.34.2", "v1.34.2", "1.34.9"] {
        let settings = resolved(&[(COMPAT, name)]);
        assert_eq!(settings.evict.policy, Policy::of(KubeletVersion::V1_34));
        let shown = settings.settings.iter().find(|one| one.name == COMPAT);
        assert_eq!(shown.unwrap().value, name);
    }
    assert!(resolve(&typed(&[(COMPAT, "kubelet-1.34.x")])).is_err());
}

/// Acceptance row 267: off until 1.34, on since 1.35, which the gate says otherwise.
#[test]
fn the_gate_of_image_volumes_is_obeyed() {
    for (compat, gate, counts) in [
        ("evictd", "", true),
        ("evictd", "featureGates: {ImageVolume: false}", true),
        ("kubelet-1.34", "", false),
        ("kubelet-1.34", "featureGates: {ImageVolume: true}", true),
        ("kubelet-1.35", "", true),
        ("kubelet-1.35", "featureGates: {ImageVolume: false}", false),
    ] {
        let policy = by(compat, gate).unwrap().evict.policy;
        assert_eq!(
            !policy.image_volumes_are_not_in_use, counts,
            "{compat} {gate}"
        );
    }
    let locked = by("kubelet-1.36", "featureGates: {ImageVolume: false}").unwrap_err();
    assert_eq!(
        locked.to_string(),
        "node.yaml: line 3: featureGates[ImageVolume]: cannot set feature gate ImageVolume to \
         false, feature is locked to true; leave the gate out"
    );
}

/// Acceptance row 269: kubelets pass over what they do not know, with a warning.
#[test]
fn fields_of_a_newer_kubelet_are_passed_over_with_a_warning() {
    let warnings = |compat, lines| {
        let warnings = by(compat, lines).unwrap().warnings;
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let newer = "wardenOfTheNode: {level: 9}\nzonedReclaim: true\n\"odd\\u001b[31m\": 1\n";
    for compat in ["evictd", "kubelet-1.32", "kubelet-1.37"] {
        let told = warnings(compat, newer);
        assert_eq!(
            told,
            [
                "passed over, as unknown to the kubelet: odd\\u{1b}[31m, wardenOfTheNode, zonedReclaim"
            ],
            "{compat}"
        );
    }
    // A typing error, which a kubelet passes over all the same.
    let mistyped = "evictionHrad: {memory.available: 1Gi}\n";
    let error = by("evictd", mistyped).unwrap_err().to_string();
    assert!(error.contains("did you mean evictionHard?"), "{error}");
    let told = warnings("kubelet", mistyped);
    assert_eq!(
        told,
        ["passed over, as unknown to the kubelet: evictionHrad"]
    );
    let mut dropped_in = typed(&[(COMPAT, "kubelet")]);
    let file = format!("{HEADER}{mistyped}");
    dropped_in.add_files([("a", file.as_bytes())]).unwrap();
}

/// Of two fields it is known since when there are: 1.33 and 1.36.
#[test]
fn what_a_kubelet_does_not_know_yet_changes_nothing() {
    let merging = "mergeDefaultEvictionSettings: true\nevictionHard: {memory.available: 1Gi}\n";
    for (compat, count) in [("kubelet-1.32", 2), ("kubelet-1.33", 6), ("evictd", 7)] {
        let resolved = by(compat, merging).unwrap();
        assert_eq!(resolved.evict.thresholds.len(), count, "{compat}");
    }
    assert!(by("kubelet-1.35", "memoryReservationPolicy: Tiered").is_ok());
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
             requires MemoryQoS feature gate to be enabled, in \"TieredReservation\"; leave \
             it out: evictd does not use it",
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
        assert!(by("kubelet-1.32", lines).is_ok(), "{lines}");
        // Without a kubelet's ways what evictd has no use for is passed over.
        assert!(by("evictd", lines).is_ok(), "{lines}");
    }
    let right = "containerLogMaxFiles: 2\nmemoryReservationPolicy: TieredReservation\n\
                 failCgroupV1: true\nfeatureGates: {MemoryQoS: true, KubeletPSI: true}\n";
    assert!(by("kubelet-1.36", right).is_ok());
}

/// Acceptance row 268.
#[test]
fn each_kubelet_refuses_what_its_release_does() {
    for (lines, since) in [
        ("containerLogMaxFiles: 1", 33),
        ("featureGates: {ImageMaximumGCAge: false}", 35),
        (
            "featureGates: {AllowOverwriteTerminationGracePeriodSeconds: true}",
            35,
        ),
        ("featureGates: {KubeletPSI: false}", 36),
        ("featureGates: {PodLevelResources: false}", 36),
        ("memoryReservationPolicy: Tiered", 36),
        ("imageMinimumGCAge: -1s", 36),
    ] {
        for version in KubeletVersion::ALL {
            let starts = by(version.name(), lines).is_ok();
            assert_eq!(
                starts,
                version.minor() < since,
                "{}: {lines}",
                version.name()
            );
        }
    }
    // The gate that it needs is on by default since 1.37.
    let tiered = "memoryReservationPolicy: TieredReservation";
    assert!(by("kubelet-1.37", tiered).is_ok());
    let off = format!("{tiered}\nfeatureGates: {{MemoryQoS: false}}");
    assert!(by("kubelet-1.37", &off).is_err());
}

/// Acceptance row 440: evictd has no such mechanism; a kubelet's file that asks for it is taken.
#[test]
fn tiered_reservation_in_a_kubelets_file_warns_that_it_is_not_set() {
    let lines = |compat, lines: &str| {
        let warnings = by(compat, lines).unwrap().warnings;
        let mut lines: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        lines.retain(|line| line.contains("memoryReservationPolicy"));
        lines
    };
    let tiered = "memoryReservationPolicy: TieredReservation";
    let gate = "featureGates: {MemoryQoS: true}";
    let not_set = "memoryReservationPolicy: TieredReservation: evictd sets no memory.min or \
                   memory.low of pods, as it evicts before what they request needs protection";
    for compat in ["evictd", "kubelet-1.36", "kubelet-1.37"] {
        assert_eq!(
            lines(compat, &format!("{tiered}\n{gate}")),
            [not_set],
            "{compat}"
        );
    }
    assert_eq!(
        lines("kubelet-1.35", tiered),
        ["passed over, as unknown to the kubelet: memoryReservationPolicy"]
    );
    for none in ["None", "''"] {
        assert_eq!(
            lines("evictd", &format!("memoryReservationPolicy: {none}")),
            ["passed over, as evictd has no use for it: memoryReservationPolicy"]
        );
    }
    assert_eq!(lines("evictd", "memoryReservationPolicy: null"), [""; 0]);
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
