use alloc::string::ToString;
use core::time::Duration;

use evictd_node::pod::{Pod, Toleration};
use evictd_node::{Condition, ConditionSet, Mono, Policy};

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

fn seconds(s: u64) -> Mono {
    Mono::from_millis(s * 1000)
}

#[test]
fn a_condition_is_held_for_the_whole_transition_period() {
    let memory = ConditionSet::MEMORY_PRESSURE;
    let none = ConditionSet::empty();
    let mut pressure = Pressure::default();
    for (at, observed, reported) in [
        (0, none, none),
        (1, memory, memory),
        (2, none, memory),
        (60, none, memory),
        (61, none, none),
    ] {
        let now = seconds(at);
        assert_eq!(
            pressure.observe(now, observed, MINUTE, &Policy::default()),
            reported,
            "{at} s"
        );
    }
    assert_eq!(
        pressure.last_observed(Condition::MemoryPressure),
        Some(seconds(1))
    );
}

#[test]
fn oscillation_never_lets_go_of_it() {
    let mut pressure = Pressure::default();
    for at in 0..100 {
        let observed = if at % 2 == 0 {
            ConditionSet::DISK_PRESSURE
        } else {
            ConditionSet::empty()
        };
        let reported = pressure.observe(seconds(at * 30), observed, MINUTE, &Policy::kubelet());
        assert_eq!(reported, ConditionSet::DISK_PRESSURE, "round {at}");
    }
}

#[test]
fn a_transition_period_of_zero_hides_it_only_from_the_kubelet() {
    let memory = ConditionSet::MEMORY_PRESSURE;
    for (policy, reported) in [
        (Policy::default(), memory),
        (Policy::kubelet(), ConditionSet::empty()),
    ] {
        let mut pressure = Pressure::default();
        assert_eq!(
            pressure.observe(seconds(1), memory, Duration::ZERO, &policy),
            reported
        );
    }
}

#[test]
fn the_next_change_is_the_first_end_of_a_period() {
    let mut pressure = Pressure::default();
    assert_eq!(pressure.next_change(seconds(0), MINUTE), None);
    pressure.restore(Condition::DiskPressure, seconds(5));
    pressure.restore(Condition::PidPressure, seconds(3));
    assert_eq!(pressure.next_change(seconds(10), MINUTE), Some(seconds(63)));
    assert_eq!(pressure.next_change(seconds(63), MINUTE), Some(seconds(65)));
    assert_eq!(pressure.next_change(seconds(70), MINUTE), None);
}

#[test]
fn a_status_change_is_one_event() {
    let mut condition = NodeCondition::unknown(Condition::PidPressure);
    assert_eq!(condition.update(1, false), Some("NodeHasSufficientPID"));
    assert_eq!(condition.update(2, false), None);
    assert_eq!(condition.update(3, true), Some("NodeHasInsufficientPID"));
    assert_eq!(condition.reason, "KubeletHasInsufficientPID");
    assert_eq!(
        (condition.last_transition, condition.last_heartbeat),
        (Some(3), Some(3))
    );
}

#[test]
fn admission_under_pressure() {
    use Condition::{DiskPressure, MemoryPressure, PidPressure};
    let toleration = |key: &str, operator: &str, value: &str, effect: &str| Toleration {
        key: key.to_string(),
        operator: operator.to_string(),
        value: value.to_string(),
        effect: effect.to_string(),
    };
    let taint = "node.kubernetes.io/memory-pressure";
    let plain = Pod::default();
    let mut tolerant = Pod::default();
    tolerant.spec.tolerations = [toleration(taint, "Exists", "", "NoSchedule")].into();
    let mut other_value = Pod::default();
    other_value.spec.tolerations = [toleration(taint, "Equal", "x", "")].into();
    let mut critical = Pod::default();
    critical.spec.priority = Some(2_000_000_000);
    for (name, conditions, pod, admitted) in [
        ("nothing wrong", &[][..], &plain, true),
        ("BestEffort", &[MemoryPressure], &plain, false),
        ("tolerant", &[MemoryPressure], &tolerant, true),
        (
            "toleration of another value",
            &[MemoryPressure],
            &other_value,
            false,
        ),
        (
            "tolerant, but disk too",
            &[MemoryPressure, DiskPressure],
            &tolerant,
            false,
        ),
        ("process ids", &[PidPressure], &tolerant, false),
        ("critical", &[DiskPressure, PidPressure], &critical, true),
    ] {
        assert_eq!(
            admit(conditions, pod, &Policy::default()).is_ok(),
            admitted,
            "{name}"
        );
    }
    let rejection = admit(&[MemoryPressure, DiskPressure], &plain, &Policy::default()).unwrap_err();
    assert_eq!(
        rejection.to_string(),
        "The node had condition: [MemoryPressure DiskPressure]. "
    );
}
