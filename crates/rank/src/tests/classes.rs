//! What the order makes of the quality-of-service classes, in both forms.

use evictd_node::QosClass;

use super::*;

/// A pod of that class, with this much on the disk, and as many files.
fn disk_pod(class: QosClass, priority: i32, used: u64) -> (Pod, Option<PodUsage>) {
    let (mut pod, _) = memory_pod("p", priority, Some("1Mi"), None);
    pod.status.qos_class = Some(class);
    let container = ContainerUsage {
        logs_bytes: Some(used),
        logs_inodes: Some(used),
        ..ContainerUsage::default()
    };
    let usage = PodUsage {
        containers: [container].into(),
        ..PodUsage::default()
    };
    (pod, Some(usage))
}

fn before_1_9() -> Policy {
    Policy {
        ranking: Ranking::Qos,
        ..Policy::default()
    }
}

/// Acceptance rows 94 and 96: who keeps to the request goes only after all those that
/// do not, whatever the priorities.
#[test]
fn guaranteed_and_modest_pods_go_last() {
    let (mut guaranteed, usage) = memory_pod("guaranteed", -100, Some("500Mi"), Some(500));
    guaranteed.status.qos_class = Some(QosClass::Guaranteed);
    let pods = [
        (guaranteed, usage),
        memory_pod(
            "burstable, below its request",
            -50,
            Some("900Mi"),
            Some(899),
        ),
        memory_pod("burstable, above it", 1000, Some("1Mi"), Some(2)),
        memory_pod("best effort", 500, None, Some(1)),
    ];
    assert_eq!(
        order(Signal::MemoryAvailable, &pods, &Policy::default()),
        [3, 2, 0, 1]
    );
}

/// Acceptance rows 95, 101 and 102, decision D16: when daemons took the memory and all
/// pods keep to their requests, one goes all the same: of the lowest priority, then the
/// one that leaves least of its request.
#[test]
fn when_all_keep_to_their_requests_priority_decides() {
    let mut pods = [
        memory_pod("important", 1000, Some("900Mi"), Some(900)),
        memory_pod("much of its request left", 0, Some("900Mi"), Some(100)),
        memory_pod("little of its request left", 0, Some("200Mi"), Some(150)),
    ];
    for (pod, _) in &mut pods {
        pod.status.qos_class = Some(QosClass::Guaranteed);
    }
    assert_eq!(
        order(Signal::MemoryAvailable, &pods, &Policy::default()),
        [2, 1, 0]
    );
}

/// Acceptance rows 104 to 106: class by class, in each the one that holds most of the
/// starved disk, in bytes or in inodes; requests and priorities play no part.
#[test]
fn the_old_order_of_disk_goes_by_class_then_by_use() {
    let pods = [
        disk_pod(QosClass::Guaranteed, -10, 9000),
        disk_pod(QosClass::Burstable, -5, 10),
        disk_pod(QosClass::Burstable, 5, 500),
        disk_pod(QosClass::BestEffort, 2000, 1),
        disk_pod(QosClass::BestEffort, 3000, 2),
    ];
    for signal in [Signal::NodefsAvailable, Signal::NodefsInodesFree] {
        assert_eq!(
            order(signal, &pods, &before_1_9()),
            [4, 3, 2, 1, 0],
            "{signal}"
        );
    }
}

/// Acceptance rows 92 and 103: inodes know no request either, so that today's order
/// goes by priority.
#[test]
fn inodes_go_by_priority_then_by_count() {
    let pods = [
        disk_pod(QosClass::BestEffort, 10, 9000),
        disk_pod(QosClass::Guaranteed, 0, 5),
        disk_pod(QosClass::Burstable, 0, 50),
    ];
    assert_eq!(
        order(Signal::NodefsInodesFree, &pods, &Policy::default()),
        [2, 1, 0]
    );
}
