//! What a pod requests and of which class it is, by evictd and by the kubelets.

use crate::{KubeletVersion, QosClass};

use super::*;

const V1_32: Policy = Policy::of(KubeletVersion::V1_32);
const V1_36: Policy = Policy::of(KubeletVersion::V1_36);

/// Each container's request of local storage, and whether it is a sidecar.
fn disks(containers: &[(&str, bool)]) -> Vec<Container> {
    let one = |(text, sidecar): &(&str, bool)| disk(text, "", *sidecar);
    containers.iter().map(one).collect()
}

/// Sidecars run beside the others since 1.36; before, the largest alone counted.
#[test]
fn sidecars_add_up_to_what_a_pod_requests() {
    let (sidecar, init) = (true, false);
    for (name, regular, steps, overhead, newer, older) in [
        ("none", &[][..], &[][..], "", "0", "0"),
        (
            "sum",
            &["1Gi", "1Gi"],
            &[("1Gi", sidecar)],
            "",
            "3Gi",
            "2Gi",
        ),
        (
            "a large init container",
            &["1Gi"],
            &[("3Gi", init)],
            "",
            "3Gi",
            "3Gi",
        ),
        (
            "beside the sidecars before it",
            &["1Gi"],
            &[("1Gi", sidecar), ("3Gi", init), ("1Gi", sidecar)],
            "",
            "4Gi",
            "3Gi",
        ),
        (
            "a sidecar alone",
            &[""],
            &[("512Mi", sidecar)],
            "",
            "512Mi",
            "512Mi",
        ),
        ("overhead", &["1Gi"], &[], "1Gi", "2Gi", "2Gi"),
        ("overhead of nothing", &["0"], &[], "1Gi", "0", "0"),
    ] {
        let regular: Vec<_> = regular.iter().map(|text| (*text, false)).collect();
        let mut pod = pod(disks(&regular), disks(steps));
        pod.spec.overhead = Some(Box::new(ResourceList {
            ephemeral_storage: quantity(overhead).map(Box::new),
            ..ResourceList::default()
        }));
        for (policy, expected) in [(Policy::default(), newer), (V1_36, newer), (V1_32, older)] {
            let request = pod.request(Requested::EphemeralStorage, &policy);
            assert_eq!(request.canonical(), expected, "{name}, {policy:?}");
            assert!(pod.request(Requested::Memory, &policy).is_zero(), "{name}");
        }
    }
}

/// Of 1Gi each, and 1 cpu; with resources of its own.
fn whole(requests: ResourceList, limits: ResourceList) -> Pod {
    let mut one = container(["1", "1Gi", "", ""]);
    one.resources.requests.ephemeral_storage = quantity("1Gi").map(Box::new);
    let mut pod = pod(Vec::from([one]), Vec::new());
    pod.spec.resources = Some(Box::new(Resources { requests, limits }));
    pod
}

/// Where the pod as a whole requests something its containers are not looked at, but for
/// local storage, which it cannot name and which the kubelet forgets.
#[test]
fn what_the_pod_requests_as_a_whole_counts() {
    let huge_pages = ResourceList {
        huge_pages: true,
        ..ResourceList::default()
    };
    let storage = disk("9Gi", "", false).resources.requests;
    let none = ResourceList::default;
    for (name, requests, limits, [cpu, memory, kept, kubelets]) in [
        ("memory", list("", "3Gi"), none(), ["0", "3Gi", "1Gi", "0"]),
        ("cpu alone", list("2", ""), none(), ["2", "0", "1Gi", "0"]),
        (
            "a limit alone",
            none(),
            list("", "3Gi"),
            ["0", "0", "1Gi", "0"],
        ),
        (
            "huge pages alone",
            huge_pages,
            none(),
            ["0", "0", "1Gi", "0"],
        ),
        ("nothing", none(), none(), ["1", "1Gi", "1Gi", "1Gi"]),
        (
            "what it cannot",
            storage,
            none(),
            ["1", "1Gi", "1Gi", "1Gi"],
        ),
    ] {
        let pod = whole(requests, limits);
        let all = |policy: &Policy| {
            let all = [
                Requested::Cpu,
                Requested::Memory,
                Requested::EphemeralStorage,
            ];
            all.map(|what| pod.request(what, policy).canonical())
        };
        assert_eq!(all(&Policy::default()), [cpu, memory, kept], "{name}");
        assert_eq!(all(&V1_36), [cpu, memory, kubelets], "{name}");
        assert_eq!(all(&V1_32), ["1", "1Gi", "1Gi"], "{name}");
    }
}

/// One that names nothing decides nothing, as in 1.37.
#[test]
fn the_resources_of_the_whole_decide_its_class() {
    let full = || list("1", "1Gi");
    let none = ResourceList::default;
    for (name, requests, limits, [ours, newer]) in [
        ("both", full(), full(), [Guaranteed; 2]),
        ("requests", full(), none(), [Burstable; 2]),
        ("more than limits", full(), list("1", "2Gi"), [Burstable; 2]),
        ("zeros", list("0", "0"), none(), [BestEffort; 2]),
        ("nothing", none(), none(), [Burstable, BestEffort]),
    ] {
        let pod = whole(requests, limits);
        let classes: Vec<QosClass> = [Policy::default(), V1_36, V1_32]
            .iter()
            .map(|policy| pod.qos_class(policy))
            .collect();
        assert_eq!(classes, [ours, newer, Burstable], "{name}");
    }
}
