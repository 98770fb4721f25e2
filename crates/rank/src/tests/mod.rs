use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use evictd_node::pod::usage::{ContainerUsage, MountUsage, PodUsage, VolumeUsage};
use evictd_node::pod::{Container, Pod, ResourceList, Resources, Volume, VolumeSource};
use evictd_node::{Layout, Policy, Ranking, Signal};
use evictd_quantity::Quantity;

use super::*;

mod classes;
mod random;
mod stall;

const MI: u64 = 1 << 20;

/// A pod that requests and uses so many Mi of memory; no request is none at all.
fn memory_pod(
    name: &str,
    priority: i32,
    request: Option<&str>,
    used: Option<u64>,
) -> (Pod, Option<PodUsage>) {
    let requests = ResourceList {
        memory: request.map(|text| Quantity::parse(text).unwrap().into()),
        ..ResourceList::default()
    };
    let container = Container {
        name: "main".to_string(),
        resources: Resources {
            requests,
            ..Resources::default()
        },
        ..Container::default()
    };
    let mut pod = Pod::default();
    pod.metadata.name = name.to_string();
    pod.spec.priority = Some(priority);
    pod.spec.containers.push(container);
    let usage = used.map(|mi| PodUsage {
        memory_working_set_bytes: Some(mi * MI),
        ..PodUsage::default()
    });
    (pod, usage)
}

fn order(signal: Signal, pods: &[(Pod, Option<PodUsage>)], policy: &Policy) -> Vec<usize> {
    let candidates: Vec<Candidate> = pods
        .iter()
        .map(|(pod, usage)| Candidate::new(pod, usage.as_ref()))
        .collect();
    let order = rank(signal, Layout::OneFilesystem, &candidates, policy);
    order.iter().map(|place| place.candidate).collect()
}

/// Acceptance rows 91 to 95.
#[test]
fn above_request_goes_before_priority_goes_before_how_much() {
    let pods = [
        memory_pod("below, low priority", -10, Some("500Mi"), Some(400)),
        memory_pod("above by little", 0, Some("100Mi"), Some(150)),
        memory_pod("above by much", 0, Some("100Mi"), Some(300)),
        memory_pod("above, high priority", 1000, None, Some(900)),
        memory_pod("below by little", 0, Some("500Mi"), Some(499)),
    ];
    let expected = [2, 1, 3, 0, 4];
    assert_eq!(
        order(Signal::MemoryAvailable, &pods, &Policy::default()),
        expected
    );
    assert_eq!(
        order(Signal::MemoryAvailable, &pods, &Policy::kubelet()),
        expected
    );
}

#[test]
fn a_use_equal_to_the_request_does_not_exceed_it() {
    let pods = [
        memory_pod("equal", 0, Some("100Mi"), Some(100)),
        memory_pod(
            "a fraction of a byte above",
            0,
            Some("104857599999m"),
            Some(100),
        ),
    ];
    assert_eq!(
        order(Signal::MemoryAvailable, &pods, &Policy::default()),
        [1, 0]
    );
}

/// Decision D59.
#[test]
fn unknown_usage_is_no_death_sentence() {
    let pods = [
        memory_pod("within", 0, Some("100Mi"), Some(50)),
        memory_pod("unknown", 0, Some("100Mi"), None),
        memory_pod("above", 0, Some("100Mi"), Some(200)),
    ];
    assert_eq!(
        order(Signal::MemoryAvailable, &pods, &Policy::default()),
        [2, 1, 0]
    );
    assert_eq!(
        order(Signal::MemoryAvailable, &pods, &Policy::kubelet()),
        [1, 2, 0]
    );
}

/// Acceptance rows 98 to 101: classes first, whatever the priorities.
#[test]
fn the_old_order_goes_class_by_class() {
    let (mut guaranteed, usage) = memory_pod("guaranteed", -100, Some("100Mi"), Some(100));
    guaranteed.status.qos_class = Some(evictd_node::QosClass::Guaranteed);
    let pods = [
        (guaranteed, usage),
        memory_pod("burstable within, large", 0, Some("900Mi"), Some(800)),
        memory_pod("burstable within, small", 0, Some("900Mi"), Some(10)),
        memory_pod("burstable above", 0, Some("10Mi"), Some(20)),
        memory_pod("best effort, small", 1000, None, Some(1)),
        memory_pod("best effort, large", 2000, None, Some(2)),
    ];
    let policy = Policy {
        ranking: Ranking::Qos,
        ..Policy::default()
    };
    assert_eq!(
        order(Signal::MemoryAvailable, &pods, &policy),
        [5, 4, 3, 1, 2, 0]
    );
}

/// Decision D17: what a pod has in swap counts beside its memory, and a pod whose swap is
/// unknown counts with its memory.
#[test]
fn swap_ranks_by_memory_and_swap() {
    let with = |memory, swap: Option<u64>| {
        let (pod, usage) = memory_pod("p", 0, Some("100Mi"), Some(memory));
        let swap_bytes = swap.map(|mi| mi * MI);
        (
            pod,
            usage.map(|usage| PodUsage {
                swap_bytes,
                ..usage
            }),
        )
    };
    let pods = [
        with(300, None),
        with(50, Some(400)),
        with(200, Some(50)),
        with(90, Some(5)),
    ];
    let policy = Policy::default();
    assert_eq!(order(Signal::SwapAvailable, &pods, &policy), [1, 0, 2, 3]);
    assert_eq!(order(Signal::MemoryAvailable, &pods, &policy), [0, 2, 3, 1]);
}

/// Acceptance row 103: process ids know no request.
#[test]
fn process_ids_go_by_priority_then_by_count() {
    let with = |priority, processes: Option<u64>| {
        let (pod, _) = memory_pod("p", priority, Some("1Mi"), None);
        (
            pod,
            Some(PodUsage {
                process_count: processes,
                ..PodUsage::default()
            }),
        )
    };
    let pods = [
        with(0, Some(10)),
        with(0, Some(500)),
        with(-1, Some(1)),
        with(0, None),
    ];
    assert_eq!(
        order(Signal::PidAvailable, &pods, &Policy::default()),
        [2, 1, 0, 3]
    );
}

/// Acceptance row 253.
#[test]
fn what_is_mounted_counts_on_the_filesystem_where_it_lies() {
    let mount = |used, beside_layers| MountUsage {
        path: "/somewhere".to_string(),
        used_bytes: Some(used),
        inodes_used: Some(used / 100),
        beside_layers,
    };
    let usage = PodUsage {
        mounts: [mount(1000, false), mount(50_000, true)].into(),
        ..PodUsage::default()
    };
    let pod = Pod::default();
    for (signal, layout, expected) in [
        (Signal::NodefsAvailable, Layout::OneFilesystem, 51_000),
        (Signal::NodefsInodesFree, Layout::OneFilesystem, 510),
        (Signal::NodefsAvailable, Layout::DedicatedImagefs, 1000),
        (Signal::ImagefsAvailable, Layout::DedicatedImagefs, 50_000),
        (Signal::ImagefsInodesFree, Layout::DedicatedImagefs, 500),
        (Signal::ImagefsAvailable, Layout::SplitImagefs, 0),
    ] {
        let measured = measured(signal, layout, &pod, &usage);
        assert_eq!(measured, Some(expected), "{signal}, {layout}");
    }
}

/// Acceptance rows 107 to 109.
#[test]
fn disk_counts_what_lies_on_the_filesystem_that_is_short() {
    let container = ContainerUsage {
        name: "main".to_string(),
        rootfs_bytes: Some(100),
        rootfs_inodes: Some(7),
        logs_bytes: Some(10),
        logs_inodes: Some(2),
        ..ContainerUsage::default()
    };
    let volume = |name: &str, used| VolumeUsage {
        name: name.to_string(),
        used_bytes: Some(used),
        inodes_used: Some(1),
    };
    let usage = PodUsage {
        containers: [container].into(),
        volumes: [volume("scratch", 1000), volume("claim", 50_000)].into(),
        ..PodUsage::default()
    };
    let mut pod = Pod::default();
    let scratch = VolumeSource::EmptyDir {
        medium: evictd_node::pod::Medium::default(),
        size_limit: None,
    };
    for (name, source) in [("scratch", scratch), ("claim", VolumeSource::Other)] {
        pod.spec.volumes.push(Volume {
            name: name.to_string(),
            source,
        });
    }
    for (signal, layout, expected) in [
        (Signal::NodefsAvailable, Layout::OneFilesystem, 1110),
        (Signal::ImagefsAvailable, Layout::OneFilesystem, 1110),
        (Signal::NodefsInodesFree, Layout::OneFilesystem, 10),
        (Signal::NodefsAvailable, Layout::DedicatedImagefs, 1010),
        (Signal::ImagefsAvailable, Layout::DedicatedImagefs, 100),
        (Signal::ContainerfsInodesFree, Layout::DedicatedImagefs, 7),
        (Signal::NodefsAvailable, Layout::SplitImagefs, 1110),
        (Signal::ContainerfsAvailable, Layout::SplitImagefs, 1110),
        (Signal::ImagefsAvailable, Layout::SplitImagefs, 0),
    ] {
        assert_eq!(
            measured(signal, layout, &pod, &usage),
            Some(expected),
            "{signal}, {layout}"
        );
    }
}

/// Acceptance row 165: one that fills the imagefs by its log is evicted for the imagefs.
#[test]
fn a_log_beside_its_layer_counts_where_the_layer_does() {
    let used = |signal, layout, logs_beside_layer| {
        let container = ContainerUsage {
            rootfs_bytes: Some(2),
            logs_bytes: Some(30),
            logs_beside_layer,
            ..ContainerUsage::default()
        };
        let usage = PodUsage {
            containers: [container].into(),
            ..PodUsage::default()
        };
        measured(signal, layout, &Pod::default(), &usage)
    };
    let (nodefs, imagefs) = (Signal::NodefsAvailable, Signal::ImagefsAvailable);
    let dedicated = Layout::DedicatedImagefs;
    assert_eq!(used(imagefs, dedicated, true), Some(32));
    assert_eq!(used(nodefs, dedicated, true), None);
    assert_eq!(used(imagefs, dedicated, false), Some(2));
    assert_eq!(used(nodefs, dedicated, false), Some(30));
    let one = Layout::OneFilesystem;
    assert_eq!(used(nodefs, one, true), Some(32));
    assert_eq!(used(nodefs, one, false), Some(32));
}

/// Acceptance row 245: a container that starts while its runtime is slow puts nobody before
/// it.
#[test]
fn what_no_runtime_has_described_yet_puts_no_other_before_it() {
    let undescribed = |name, used| {
        let (pod, usage) = memory_pod(name, 0, None, Some(used));
        let usage = usage.map(|usage| PodUsage {
            undescribed: true,
            ..usage
        });
        (pod, usage)
    };
    let pods = [
        undescribed("small", 20),
        undescribed("hog", 900),
        memory_pod("modest", 7, Some("100Mi"), Some(40)),
        memory_pod("small too", 0, None, Some(20)),
    ];
    let qos = Policy {
        ranking: Ranking::Qos,
        ..Policy::default()
    };
    for policy in [Policy::default(), qos] {
        let order = order(Signal::MemoryAvailable, &pods, &policy);
        assert_eq!(
            order,
            [1, 3, 0, 2],
            "the described first of two that are alike"
        );
    }
}

/// Decision D4: the kubelet subtracts bytes from inodes.
#[test]
fn inodes_are_not_diminished_by_bytes() {
    let with = |request: &str, inodes| {
        let (mut pod, _) = memory_pod("p", 0, None, None);
        let container = pod.spec.containers.first_mut().unwrap();
        container.resources.requests.ephemeral_storage =
            Quantity::parse(request).ok().map(alloc::boxed::Box::new);
        let logs = ContainerUsage {
            logs_inodes: Some(inodes),
            ..ContainerUsage::default()
        };
        (
            pod,
            Some(PodUsage {
                containers: [logs].into(),
                ..PodUsage::default()
            }),
        )
    };
    let pods = [with("0", 10), with("1Gi", 90)];
    assert_eq!(
        order(Signal::NodefsInodesFree, &pods, &Policy::default()),
        [1, 0]
    );
    assert_eq!(
        order(Signal::NodefsInodesFree, &pods, &Policy::kubelet()),
        [0, 1]
    );
}

#[test]
fn each_place_says_why() {
    let pods = [
        memory_pod("a", 5, Some("100Mi"), Some(300)),
        memory_pod("b", 0, Some("100Mi"), Some(40)),
        memory_pod("c", 0, None, None),
    ];
    let candidates: Vec<Candidate> = pods
        .iter()
        .map(|(pod, usage)| Candidate::new(pod, usage.as_ref()))
        .collect();
    let order = rank(
        Signal::MemoryAvailable,
        Layout::OneFilesystem,
        &candidates,
        &Policy::default(),
    );
    let reasons: Vec<_> = order.iter().map(|place| place.to_string()).collect();
    assert_eq!(
        reasons,
        [
            "uses 300Mi, 200Mi above its request, priority 5, Burstable",
            "its usage is unknown, priority 0, BestEffort",
            "uses 40Mi, 60Mi below its request, priority 0, Burstable",
        ]
    );
}

/// Acceptance rows 171 and 173: a number that was not read is not 0, and what was read in
/// part is a lower bound.
#[test]
fn what_was_not_read_is_unknown_and_what_was_read_in_part_is_at_least_that() {
    let (pod, _) = memory_pod("p", 0, Some("100Mi"), None);
    let layer = |bytes: Option<u64>, disk_in_part| PodUsage {
        disk_in_part,
        containers: [ContainerUsage {
            rootfs_bytes: bytes,
            ..ContainerUsage::default()
        }]
        .into(),
        ..PodUsage::default()
    };
    let text = |signal, usage: &PodUsage, policy: &Policy| {
        let usage = Some(usage);
        let candidates = [Candidate::new(&pod, usage)];
        rank(signal, Layout::OneFilesystem, &candidates, policy)[0].to_string()
    };
    let (ours, kubelet) = (Policy::default(), Policy::kubelet());
    let (memory, disk) = (Signal::MemoryAvailable, Signal::NodefsAvailable);
    for (signal, usage, policy, expected) in [
        (memory, layer(Some(MI), false), ours, "its usage is unknown"),
        (
            memory,
            layer(None, false),
            kubelet,
            "uses 0, 100Mi below its request",
        ),
        (disk, layer(None, false), ours, "its usage is unknown"),
        (
            disk,
            layer(None, false),
            kubelet,
            "uses 0, 0 below its request",
        ),
        (
            disk,
            layer(Some(MI), false),
            ours,
            "uses 1Mi, 1Mi above its request",
        ),
        (
            disk,
            layer(Some(MI), true),
            ours,
            "uses at least 1Mi, 1Mi above its request",
        ),
        (disk, layer(Some(0), true), ours, "uses at least 0"),
    ] {
        let expected = format!("{expected}, priority 0, Burstable");
        assert_eq!(text(signal, &usage, &policy), expected, "{signal}");
    }
}

/// The rule that is told is the one that the order goes by.
#[test]
fn the_rule_between_two_pods_is_told() {
    let rule_of = |first: (i32, &str, u64), second: (i32, &str, u64), policy: &Policy| {
        let pods = [first, second].map(|(priority, request, used)| {
            let (pod, usage) = memory_pod("pod", priority, Some(request), Some(used));
            Candidate::new(&pod, usage.as_ref())
        });
        let layout = Layout::OneFilesystem;
        let order = rank(Signal::MemoryAvailable, layout, &pods, policy);
        let [first, second] = &order[..] else {
            panic!("two pods");
        };
        (
            first.candidate,
            rule((first, second), layout, &pods, policy),
        )
    };
    let ours = Policy::default();
    let old = Policy {
        ranking: Ranking::Qos,
        ..Policy::default()
    };
    for (first, second, policy, expected) in [
        (
            (0, "300Mi", 200),
            (9, "10Mi", 20),
            ours,
            (1, Rule::AboveRequest),
        ),
        (
            (9, "10Mi", 200),
            (0, "10Mi", 20),
            ours,
            (1, Rule::LowerPriority),
        ),
        (
            (0, "10Mi", 20),
            (0, "10Mi", 200),
            ours,
            (1, Rule::FurtherAbove),
        ),
        ((0, "10Mi", 20), (0, "10Mi", 20), ours, (0, Rule::Listed)),
        (
            (0, "10Mi", 20),
            (0, "10Mi", 200),
            old,
            (1, Rule::FurtherAbove),
        ),
    ] {
        assert_eq!(rule_of(first, second, &policy), expected);
    }
}
