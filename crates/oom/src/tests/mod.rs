extern crate alloc;

use alloc::borrow::ToOwned;
use alloc::string::ToString;
use alloc::vec::Vec;

use evictd_node::Policy;
use evictd_node::pod::{Container, Pod, Resources};
use evictd_quantity::{Format, Quantity};

use super::*;

mod kernel;

/// Of 1000 bytes of memory, so that a byte is a thousandth.
const CAPACITY: u64 = 1000;

fn bytes(count: i64) -> Quantity {
    Quantity::from_int(count, Format::BinarySi)
}

fn container(name: &str, memory_request: i64) -> Container {
    let mut container = Container {
        name: name.to_owned(),
        ..Default::default()
    };
    container.resources.requests.memory = Some(bytes(memory_request).into());
    container
}

/// A Burstable pod, whatever it requests.
fn pod(regular: &[i64], sidecar: Option<i64>) -> Pod {
    let mut pod = Pod::default();
    pod.spec.containers = regular
        .iter()
        .map(|request| container("c", *request))
        .collect();
    pod.spec.init_containers = sidecar
        .into_iter()
        .map(|request| container("s", request))
        .collect();
    for init in &mut pod.spec.init_containers {
        init.restart_policy = Some("Always".into());
    }
    pod.spec.containers[0].resources.requests.cpu = Some(alloc::boxed::Box::new(bytes(1)));
    pod
}

fn score(pod: &Pod, name: &str, init: bool, guaranteed: i16, whole: bool) -> i16 {
    let container = ContainerRef::find(pod, name, init).unwrap();
    let mut scale = scale();
    scale.guaranteed = GuaranteedScore::new(guaranteed).unwrap();
    scale.policy.pod_resources_are_ignored = !whole;
    score_adj(pod, container, &scale)
}

#[test]
fn burstable_containers_share_by_request() {
    for (name, request, kubelet, older) in [
        ("nothing", 0, 999, 999),
        ("a thousandth", 1, 999, 999),
        ("half", 500, 500, 500),
        ("nearly all", 997, 3, 3),
        ("more", 998, 3, 2),
        ("all", 1000, 3, 2),
        ("more than there is", i64::MAX, 3, 2),
    ] {
        let pod = pod(&[request], None);
        assert_eq!(score(&pod, "c", false, -997, false), kubelet, "{name}");
        assert_eq!(
            score(&pod, "c", false, -998, false),
            older,
            "{name}, before v1.14"
        );
    }
}

#[test]
fn the_share_is_cut_towards_zero() {
    let pod = pod(&[1], None);
    let container = ContainerRef::find(&pod, "c", false).unwrap();
    for (capacity, expected) in [(1001, 999), (501, 999), (499, 998), (1, 3), (0, 3)] {
        let memory_capacity_bytes = capacity;
        let scale = Scale {
            memory_capacity_bytes,
            ..scale()
        };
        let ours = score_adj(&pod, container, &scale);
        assert_eq!(ours, expected, "{capacity}");
    }
}

#[test]
fn the_classes_stand_at_the_ends() {
    let mut best_effort = pod(&[0], None);
    best_effort.spec.containers[0].resources.requests.cpu = None;
    assert_eq!(score(&best_effort, "c", false, -997, false), 1000);

    let mut guaranteed = pod(&[5], None);
    let resources = &mut guaranteed.spec.containers[0].resources;
    resources.limits = resources.requests.clone();
    assert_eq!(score(&guaranteed, "c", false, -997, false), -997);
    assert_eq!(score(&guaranteed, "c", false, -998, false), -998);
}

#[test]
fn node_critical_needs_the_class_and_the_priority() {
    for (class, priority, expected) in [
        ("system-node-critical", 2_000_001_000, -997),
        ("system-node-critical", 0, 500),
        ("system-cluster-critical", 2_000_000_000, 500),
    ] {
        let mut pod = pod(&[500], None);
        pod.spec.priority_class_name = class.into();
        pod.spec.priority = Some(priority);
        assert_eq!(
            score(&pod, "c", false, -997, false),
            expected,
            "{class} {priority}"
        );
    }
}

#[test]
fn a_sidecar_goes_no_earlier_than_the_smallest_regular_container() {
    for (regular, sidecar, expected) in [
        (&[300, 200][..], 100, 800),
        (&[300, 200], 250, 750),
        (&[0, 200], 0, 999),
    ] {
        let pod = pod(regular, Some(sidecar));
        assert_eq!(
            score(&pod, "s", true, -997, false),
            expected,
            "{regular:?} {sidecar}"
        );
    }
    let mut plain = pod(&[300], Some(100));
    plain.spec.init_containers[0].restart_policy = None;
    assert_eq!(score(&plain, "s", true, -997, false), 900, "no sidecar");
}

#[test]
fn what_only_the_whole_pod_requests_is_shared_out() {
    let mut pod = pod(&[100, 100], Some(100));
    let mut resources = Resources::default();
    resources.requests.memory = Some(bytes(600).into());
    pod.spec.resources = Some(resources.into());
    assert_eq!(score(&pod, "c", false, -997, false), 900);
    assert_eq!(score(&pod, "c", false, -997, true), 800);
    assert_eq!(score(&pod, "s", true, -997, true), 800);
}

#[test]
fn the_guaranteed_score_has_bounds() {
    let verdicts: Vec<bool> = [-1000, -999, -998, -1, 0, 1000]
        .map(|score| GuaranteedScore::new(score).is_ok())
        .into();
    assert_eq!(verdicts, [false, true, true, true, false, false]);
    let error = GuaranteedScore::new(-1000).unwrap_err();
    assert_eq!(error.to_string(), "-1000 is not between -999 and -1");
}

fn scale() -> Scale {
    Scale {
        memory_capacity_bytes: CAPACITY,
        guaranteed: GuaranteedScore::KUBELET,
        policy: Policy::default(),
    }
}

/// Decision D51 and row 132: by container where it can be told, else the lowest.
#[test]
fn processes_get_the_score_of_their_container() {
    let mut two = pod(&[100, 300], None);
    two.spec.containers[0].name = "web".to_owned();
    two.spec.containers[1].name = "db".to_owned();
    let mut sidecar = two.clone();
    sidecar.spec.init_containers = pod(&[0], Some(900)).spec.init_containers;
    let mut init = sidecar.clone();
    init.spec.init_containers[0].restart_policy = None;
    for (name, pod, child, score, container) in [
        ("one", &pod(&[400], None), None, 600, Some("c")),
        (
            "one, elsewhere",
            &pod(&[400], None),
            Some("x"),
            600,
            Some("c"),
        ),
        ("two, told apart", &two, Some("web"), 900, Some("web")),
        ("two, told apart", &two, Some("db"), 700, Some("db")),
        ("two, unknown", &two, Some("1f2e"), 700, None),
        ("two, in the pod's own", &two, None, 700, None),
        ("a sidecar is lowest", &sidecar, None, 100, None),
        ("a sidecar by name", &sidecar, Some("s"), 100, Some("s")),
        ("an init container ends", &init, None, 700, None),
        (
            "an init container by name",
            &init,
            Some("s"),
            100,
            Some("s"),
        ),
        ("no container at all", &Pod::default(), None, 1000, None),
    ] {
        let member = member_score(pod, child, &scale());
        assert_eq!(
            (member.score, member.container),
            (score, container),
            "{name}"
        );
    }
}

#[test]
fn what_the_kernel_would_refuse_is_cut() {
    let odd = pod(&[-500], None);
    assert_eq!(score(&odd, "c", false, -997, false), 1500);
    assert_eq!(member_score(&odd, None, &scale()).score, 1000);
}

#[test]
fn reasons_are_sentences() {
    let critical = {
        let mut pod = pod(&[500], None);
        pod.spec.priority_class_name = "system-node-critical".into();
        pod.spec.priority = Some(2_000_001_000);
        pod
    };
    for (pod, expected) in [
        (&critical, "system-node-critical: as Guaranteed"),
        (
            &Pod::default(),
            "BestEffort: no request, no limit; killed first",
        ),
        (
            &pod(&[250], None),
            "Burstable: requests 250 of 1000 bytes of memory, 250 thousandths",
        ),
    ] {
        let reason = member_score(pod, None, &scale()).reason;
        assert_eq!(reason.to_string(), expected);
    }
}
