use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use evictd_node::Policy;

use crate::*;

const NOW: i64 = 1_795_179_906_000_000_000;

const PODS: [OwningPod<'static>; 4] = [
    OwningPod {
        uid: "kept",
        fate: Fate::Kept,
    },
    OwningPod {
        uid: "stays",
        fate: Fate::Stays,
    },
    OwningPod {
        uid: "ended",
        fate: Fate::Ended,
    },
    OwningPod {
        uid: "gone",
        fate: Fate::Gone,
    },
];

fn ago(text: &str) -> i64 {
    NOW - text.parse::<i64>().unwrap() * 1_000_000_000
}

fn pod(name: &str) -> usize {
    PODS.iter().position(|pod| pod.uid == name).unwrap_or(99)
}

/// `POD/NAME/ATTEMPT@CREATED[:FINISHED] [run|unknown] [in=SANDBOX]`, ages in
/// seconds.
fn container(text: &str) -> Container<'_> {
    let mut words = text.split(' ');
    let (path, times) = words.next().unwrap().split_once('@').unwrap();
    let parts: Vec<&str> = path.split('/').collect();
    let (created, finished) = times.split_once(':').unwrap_or((times, ""));
    let mut container = Container {
        name: parts[1],
        pod: pod(parts[0]),
        sandbox: None,
        state: ContainerState::Dead,
        created_nanos: ago(created),
        finished_nanos: (!finished.is_empty()).then(|| ago(finished)),
        attempt: parts[2].parse().unwrap(),
    };
    for word in words {
        match word.split_once('=') {
            Some((_, sandbox)) => container.sandbox = Some(sandbox),
            None if word == "run" => container.state = ContainerState::Running,
            None => container.state = ContainerState::Unknown,
        }
    }
    container
}

/// `POD/ID@CREATED [ready]`.
fn sandbox(text: &str) -> Sandbox<'_> {
    let (path, rest) = text.split_once('@').unwrap();
    let (owner, id) = path.split_once('/').unwrap();
    let (created, ready) = rest.split_once(' ').unwrap_or((rest, ""));
    Sandbox {
        id,
        pod: pod(owner),
        ready: !ready.is_empty(),
        created_nanos: ago(created),
        attempt: 0,
    }
}

fn run(switches: &Policy) -> ContainerRun<'_> {
    ContainerRun {
        all_unused: false,
        policy: ContainerPolicy::default(),
        switches,
        all_pods_known: true,
        now_nanos: NOW,
    }
}

/// What goes, in the words that it was given in.
fn planned(
    containers: &[&str],
    sandboxes: &[&str],
    log_dirs: &[&str],
    run: ContainerRun<'_>,
) -> Vec<String> {
    let all: Vec<Container<'_>> = containers.iter().map(|text| container(text)).collect();
    let boxes: Vec<Sandbox<'_>> = sandboxes.iter().map(|text| sandbox(text)).collect();
    let found = FoundContainers {
        pods: &PODS,
        containers: &all,
        sandboxes: &boxes,
        log_dirs,
    };
    let plan = plan_containers(&found, &run);
    let name = |text: &str| text.split('@').next().unwrap().to_string();
    plan.iter()
        .map(|one| match one.kind {
            Kind::Container => name(containers[one.index]),
            Kind::Sandbox => name(sandboxes[one.index]),
            Kind::PodLogs => log_dirs[one.index].to_string(),
            Kind::Image | Kind::Volume | Kind::LogFile | Kind::Volumes => panic!("{one:?}"),
        })
        .collect()
}

#[test]
fn the_newest_dead_of_each_name_stay() {
    let all = [
        "stays/a/0@500",
        "stays/a/2@300",
        "stays/a/1@400",
        "stays/a/3@200 run",
        "stays/b/0@900",
        "other/a/0@900",
    ];
    let ours = Policy::default();
    for (name, each, expected) in [
        ("one", Some(1), &["stays/a/0", "stays/a/1"][..]),
        ("two", Some(2), &["stays/a/0"]),
        (
            "none",
            Some(0),
            &[
                "stays/a/0",
                "stays/a/1",
                "stays/a/2",
                "stays/b/0",
                "other/a/0",
            ],
        ),
        ("all", None, &[]),
    ] {
        let mut run = run(&ours);
        run.policy.max_per_pod_container = each;
        assert_eq!(planned(&all, &[], &[], run), expected, "{name}");
    }
}

#[test]
fn so_many_stay_in_all_by_equal_shares_first() {
    let all = [
        "stays/a/0@500",
        "stays/a/1@400",
        "stays/a/2@300",
        "stays/b/0@900",
        "other/c/0@800",
    ];
    let ours = Policy::default();
    for (most, expected) in [
        (5, &[][..]),
        (4, &["stays/a/0", "stays/a/1"]),
        (3, &["stays/a/0", "stays/a/1"]),
        (2, &["stays/a/0", "stays/a/1", "stays/b/0"]),
        (
            0,
            &[
                "stays/a/0",
                "stays/a/1",
                "stays/b/0",
                "other/c/0",
                "stays/a/2",
            ],
        ),
    ] {
        let mut run = run(&ours);
        run.policy.max_per_pod_container = None;
        run.policy.max_containers = Some(most);
        assert_eq!(planned(&all, &[], &[], run), expected, "{most}");
    }
}

/// Decision D41.
#[test]
fn a_dead_container_ages_from_when_it_ended() {
    let all = [
        "stays/a/0@500:50",
        "stays/b/0@500:400",
        "stays/c/0@500",
        "stays/d/0@99",
    ];
    let (ours, kubelet) = (Policy::default(), Policy::kubelet());
    for (switches, expected) in [
        (&ours, &["stays/b/0", "stays/c/0"][..]),
        (&kubelet, &["stays/a/0", "stays/b/0", "stays/c/0"]),
    ] {
        let mut run = run(switches);
        run.policy.max_per_pod_container = Some(0);
        run.policy.min_age = Duration::from_secs(100);
        assert_eq!(planned(&all, &[], &[], run), expected);
    }
}

#[test]
fn pods_that_are_gone_or_ended_lose_everything_dead() {
    let all = [
        "stays/a/0@500",
        "ended/a/0@500",
        "gone/a/0@500",
        "gone/a/1@400 unknown",
        "gone/b/0@500 run",
    ];
    let logs = ["ns_name_gone", "ns_name_ended", "gone", "ns_name_other", ""];
    let ours = Policy::default();
    for (all_unused, known, expected) in [
        (
            false,
            true,
            &["gone/a/0", "gone/a/1", "ns_name_gone", "gone"][..],
        ),
        (
            true,
            true,
            &["ended/a/0", "gone/a/0", "gone/a/1", "ns_name_gone", "gone"],
        ),
        (true, false, &["gone/a/0"]),
    ] {
        let run = ContainerRun {
            all_unused,
            all_pods_known: known,
            ..run(&ours)
        };
        assert_eq!(
            planned(&all, &[], &logs, run),
            expected,
            "{all_unused} {known}"
        );
    }
}

#[test]
fn sandboxes_go_when_they_neither_run_nor_hold_anything() {
    let all = [
        "stays/a/0@500 in=s1",
        "stays/a/1@400 in=s2",
        "stays/b/0@400 run in=s3",
        "gone/a/0@500 in=g1",
        "gone/b/0@500 run in=g2",
    ];
    let boxes = [
        "stays/s0@900",
        "stays/s1@800",
        "stays/s2@700",
        "stays/s3@600",
        "stays/s4@550 ready",
        "stays/s5@500",
        "gone/g1@500",
        "gone/g2@400",
        "gone/g3@300 ready",
        "ended/e1@300",
        "ended/e2@200",
    ];
    let ours = Policy::default();
    let periodic = planned(&all, &boxes, &[], run(&ours));
    // s1 is empty once stays/a/0 is gone.
    let expected = [
        "gone/a/0",
        "stays/a/0",
        "stays/s0",
        "stays/s1",
        "ended/e1",
        "gone/g1",
    ];
    assert_eq!(periodic, expected);
    let run = ContainerRun {
        all_unused: true,
        ..run(&ours)
    };
    let all = planned(&all, &boxes, &[], run);
    assert!(all.contains(&"ended/e2".to_string()), "{all:?}");
}

#[test]
fn reasons_are_told() {
    let all = [
        "ended/a/0@900",
        "gone/a/0@900",
        "stays/a/0@900",
        "stays/a/1@800",
        "stays/b/0@800",
    ];
    let all = all.map(container);
    let sandboxes = ["stays/s0@900", "stays/s1@800"].map(sandbox);
    let found = FoundContainers {
        pods: &PODS,
        containers: &all,
        sandboxes: &sandboxes,
        log_dirs: &["ns_name_gone"],
    };
    let ours = Policy::default();
    let mut run = run(&ours);
    run.all_unused = true;
    run.policy.max_containers = Some(1);
    let plan = plan_containers(&found, &run);
    let told = plan.iter().map(|one| (one.kind, one.index, &*one.reason));
    let expected = [
        (Kind::Container, 0, "the pod has ended, and space is needed"),
        (Kind::Container, 1, "the pod is gone"),
        (
            Kind::Container,
            2,
            "older than the newest 1 dead of its name in the pod",
        ),
        (Kind::Container, 4, "older than the newest 1 dead in all"),
        (
            Kind::Sandbox,
            0,
            "not running, empty, and the pod has a newer sandbox",
        ),
        (Kind::PodLogs, 0, "the pod is gone"),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

/// Acceptance row 166.
#[test]
fn of_a_pod_that_nothing_brings_back_all_stays() {
    let ours = Policy::default();
    let mut run = run(&ours);
    run.all_unused = true;
    run.policy.max_per_pod_container = Some(0);
    run.policy.max_containers = Some(0);
    let all = ["kept/a/0@500 in=s", "kept/a/1@400", "ended/a/0@500"];
    let boxes = ["kept/s@500", "kept/t@400"];
    assert_eq!(planned(&all, &boxes, &[], run), ["ended/a/0"]);
}
