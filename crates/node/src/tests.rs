use alloc::string::ToString;
use core::time::Duration;

use super::*;

#[test]
fn every_signal_is_found_by_its_name_and_index() {
    for (index, signal) in Signal::ALL.into_iter().enumerate() {
        assert_eq!(Signal::from_name(signal.name()), Some(signal));
        assert_eq!(signal.index(), index);
        assert_eq!(
            signal.set().each().collect::<SmallList>(),
            SmallList(Some(signal), 1)
        );
    }
    assert_eq!(Signal::from_name("memory.Available"), None);
}

/// The first item and the count: enough to say "exactly this one" without alloc.
#[derive(Debug, PartialEq)]
struct SmallList(Option<Signal>, usize);

impl FromIterator<Signal> for SmallList {
    fn from_iter<I: IntoIterator<Item = Signal>>(signals: I) -> Self {
        signals.into_iter().fold(Self(None, 0), |list, s| {
            Self(list.0.or(Some(s)), list.1 + 1)
        })
    }
}

#[test]
fn signals_map_to_the_kubelets_resources_and_conditions() {
    use Condition::{DiskPressure, MemoryPressure, PidPressure};
    for (name, resource, condition) in [
        ("memory.available", "memory", MemoryPressure),
        ("allocatableMemory.available", "memory", MemoryPressure),
        ("nodefs.available", "ephemeral-storage", DiskPressure),
        ("nodefs.inodesFree", "inodes", DiskPressure),
        ("imagefs.available", "ephemeral-storage", DiskPressure),
        ("imagefs.inodesFree", "inodes", DiskPressure),
        ("containerfs.available", "ephemeral-storage", DiskPressure),
        ("containerfs.inodesFree", "inodes", DiskPressure),
        ("pid.available", "pids", PidPressure),
        ("swap.available", "memory", MemoryPressure),
        ("memory.stall", "memory", MemoryPressure),
    ] {
        let signal = Signal::from_name(name).unwrap();
        assert_eq!(signal.resource().name(), resource, "{name}");
        assert_eq!(signal.condition(), condition, "{name}");
    }
}

#[test]
fn condition_sets_hold_what_was_put() {
    for condition in Condition::ALL {
        assert_eq!(Condition::from_name(condition.name()), Some(condition));
        assert_eq!(Condition::ALL.get(condition.index()), Some(&condition));
        assert!(condition.set().has(condition));
        assert_eq!(condition.set().each().count(), 1);
    }
}

#[test]
fn time_saturates_in_both_directions() {
    let late = Mono::from_nanos(u64::MAX);
    assert_eq!(late + Duration::from_secs(1), late);
    assert_eq!(Mono::ZERO.since(late), Duration::ZERO);
    assert_eq!(
        Mono::from_millis(1500).since(Mono::from_millis(500)),
        Duration::from_secs(1)
    );
}

#[test]
fn readings_are_kept_by_signal() {
    let mut readings = Readings::default();
    let reading = Reading {
        available: -1,
        capacity: 10,
        sampled: None,
    };
    readings.set(Signal::PidAvailable, Some(reading));
    assert_eq!(readings.get(Signal::PidAvailable), Some(reading));
    assert_eq!(readings.get(Signal::MemoryAvailable), None);
    readings.set(Signal::PidAvailable, None);
    assert_eq!(readings, Readings::default());
}

/// What was recorded of 1.32 and 1.36, and what changed in which release between and after.
#[test]
fn each_kubelet_has_a_preset_of_its_own() {
    let mut expected = Policy::of(KubeletVersion::V1_37);
    for version in KubeletVersion::ALL.into_iter().rev() {
        if version == KubeletVersion::V1_36 {
            expected.empty_pod_resources_decide_qos = true;
            expected.sidecar_storage_limits_are_not_enforced = true;
        } else if version == KubeletVersion::V1_34 {
            expected.image_volumes_are_not_in_use = true;
            expected.image_gc_error_tells_amounts_only = true;
        } else if version == KubeletVersion::V1_33 {
            expected.sidecars_do_not_add_up = true;
            expected.pod_resources_are_ignored = true;
        } else if version == KubeletVersion::V1_3 {
            expected.ranking = Ranking::Qos;
        }
        assert_eq!(Policy::of(version), expected, "{}", version.name());
    }
    assert_eq!(Policy::kubelet(), Policy::of(KubeletVersion::V1_36));
    let ours = Policy::default();
    assert!(expected.missing_stats_rank_first && !ours.missing_stats_rank_first);
}

#[test]
fn a_patch_release_is_taken_for_its_minor() {
    for (name, version) in [
        ("kubelet", Some(KubeletVersion::V1_36)),
        ("kubelet-1.32", Some(KubeletVersion::V1_32)),
        ("kubelet-1.33.0", Some(KubeletVersion::V1_33)),
        ("kubelet-1.34.2", Some(KubeletVersion::V1_34)),
        ("kubelet-v1.34.2", Some(KubeletVersion::V1_34)),
        ("v1.35.10", Some(KubeletVersion::V1_35)),
        ("v1.36.3+k3s1", Some(KubeletVersion::V1_36)),
        ("1.37.0-rc.1", Some(KubeletVersion::V1_37)),
        ("kubelet-1.3", Some(KubeletVersion::V1_3)),
        ("v1.3.10", Some(KubeletVersion::V1_3)),
        ("kubelet-1.345", None),
        ("kubelet-1.34.", None),
        ("kubelet-1.34.x", None),
        ("kubelet-1.34.2.1", None),
        ("kubelet-1.31.4", None),
        ("kubelet-2.34", None),
        ("kubelet-", None),
        ("", None),
    ] {
        assert_eq!(KubeletVersion::from_name(name), version, "{name}");
    }
}

#[test]
fn qos_classes_go_in_eviction_order() {
    assert!(QosClass::BestEffort < QosClass::Burstable);
    assert!(QosClass::Burstable < QosClass::Guaranteed);
    assert_eq!(
        QosClass::from_name("Guaranteed"),
        Some(QosClass::Guaranteed)
    );
}

#[test]
fn times_are_written_as_iso_8601() {
    for (seconds, text) in [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (1_795_179_906, "2026-11-20T13:05:06Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
    ] {
        assert_eq!(Utc(seconds).to_string(), text);
    }
}

#[test]
fn amounts_keep_three_digits_and_never_exaggerate() {
    for (signal, value, text) in [
        (Signal::MemoryAvailable, 0, "0"),
        (Signal::MemoryAvailable, 1023, "1023"),
        (Signal::MemoryAvailable, 1024, "1Ki"),
        (Signal::MemoryAvailable, 1536, "1.5Ki"),
        (Signal::MemoryAvailable, (1 << 30) - 1, "1023Mi"),
        (Signal::NodefsAvailable, -(3 << 29), "-1.5Gi"),
        (Signal::NodefsInodesFree, 5_249_999, "5.2M"),
        (Signal::PidAvailable, 812, "812"),
        (Signal::PidAvailable, i64::MIN, "-9.2E"),
    ] {
        assert_eq!(Amount::of(signal, value).to_string(), text);
    }
}
