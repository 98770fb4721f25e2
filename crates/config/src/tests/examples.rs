//! The examples of the documents that node-pressure eviction comes from, as flags.

use super::*;

/// The hard thresholds that these texts of one flag come to.
fn hard_thresholds(texts: &[&str]) -> Vec<String> {
    let given: Vec<(&str, &str)> = texts.iter().map(|text| (HARD, *text)).collect();
    let resolved = resolved(&[&given[..], &[(ENFORCE, "none")]].concat());
    let thresholds = resolved.evict.thresholds.iter();
    thresholds.map(ToString::to_string).collect()
}

/// Acceptance row 34: an amount or a share; of two the later counts.
#[test]
fn a_signal_has_one_hard_threshold() {
    for (text, expected) in [
        (
            "memory.available<1Gi,memory.available<10%",
            "memory.available<10%",
        ),
        (
            "memory.available<10%,memory.available<1Gi",
            "memory.available<1Gi",
        ),
    ] {
        assert_eq!(hard_thresholds(&[text]), [expected], "{text}");
    }
}

/// Acceptance rows 37 and 38: one text with commas, or one threshold at a time, as OKD's
/// lists hand them on.
#[test]
fn a_list_may_come_in_one_text_or_in_several() {
    let expected = [
        "memory.available<100Mi",
        "nodefs.available<10%",
        "nodefs.inodesFree<5%",
        "imagefs.available<15%",
        "imagefs.inodesFree<10%",
    ];
    assert_eq!(hard_thresholds(&expected), expected);
    assert_eq!(hard_thresholds(&[&expected.join(",")]), expected);
}

/// Acceptance row 85, decision D14: a plain duration, no pairs.
#[test]
fn the_transition_period_is_one_duration() {
    let given = resolved(&[(TRANSITION, "5m")]);
    assert_eq!(given.evict.transition_period.as_secs(), 300);
    let error = resolve(&typed(&[(TRANSITION, "memory.available=5m")])).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("invalid duration"), "{text}");
}

/// Acceptance row 43: each soft threshold needs its own.
#[test]
fn a_soft_threshold_without_grace_ends_the_start() {
    for graces in [&[][..], &[(GRACE, "nodefs.available=1m")]] {
        let given = [&[(SOFT, "memory.available<1.5Gi")][..], graces].concat();
        let error = resolve(&typed(&given)).unwrap_err().to_string();
        let expected =
            "grace period must be specified for the soft eviction threshold memory.available";
        assert!(error.contains(expected), "{error}");
    }
}

/// Acceptance rows 51, 52, 149 and 151: what is kept for the system is taken and shown,
/// and changes no threshold.
#[test]
fn reserves_change_no_threshold() {
    let plain = resolved(&[]);
    for (text, memory) in [("memory=1.5Gi", 3 << 29), ("memory=2Gi", 2 << 30)] {
        let given = resolved(&[("system-reserved", text), ("kube-reserved", "memory=1Gi")]);
        let reserved = given.node_allocatable.system_reserved.get("memory");
        assert_eq!(reserved.map(|amount| amount.value()), Some(memory));
        assert_eq!(given.evict.thresholds, plain.evict.thresholds);
    }
}

/// Acceptance rows 53 to 57 aside, the flags that the documents call deprecated still
/// have an effect: rows 58 and 59, decision D12.
#[test]
fn flags_from_before_eviction_are_translated() {
    let old = resolved(&[(LOW_DISK, "500"), (OLD_TRANSITION, "2m"), (ENFORCE, "none")]);
    let nodefs = old
        .evict
        .thresholds
        .iter()
        .find(|t| t.signal == evictd_node::Signal::NodefsAvailable);
    assert_eq!(
        nodefs.map(ToString::to_string).as_deref(),
        Some("nodefs.available<500Mi")
    );
    assert_eq!(old.evict.transition_period.as_secs(), 120);
    assert_eq!(old.warnings.len(), 3, "{:?}", old.warnings);
}
