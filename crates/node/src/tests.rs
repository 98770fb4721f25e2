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

#[test]
fn each_kubelet_has_a_preset_of_its_own() {
    let [older, newer] = [KubeletVersion::V1_32, KubeletVersion::V1_36].map(Policy::of);
    let changed = Policy {
        sidecars_do_not_add_up: true,
        pod_resources_are_ignored: true,
        image_gc_error_tells_amounts_only: true,
        ..newer
    };
    assert_eq!(older, changed, "since 1.32 nothing else has changed");
    assert_eq!(Policy::kubelet(), newer);
    let ours = Policy::default();
    assert!(newer.missing_stats_rank_first && !ours.missing_stats_rank_first);
    for (name, version) in [
        ("kubelet", Some(KubeletVersion::V1_36)),
        ("kubelet-1.32", Some(KubeletVersion::V1_32)),
        ("kubelet-1.3", None),
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
