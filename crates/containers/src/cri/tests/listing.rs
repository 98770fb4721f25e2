use alloc::sync::Arc;
use std::path::Path;

use crate::cri::Writer;
use crate::cri::fake::Reply;
use evictd_node::pod::Requested;
use evictd_node::{Policy, QosClass};

use super::{Bench, DB, EXITED, IMAGE, Node, RUNNING, WEB, container, sandbox, status, status_of};
use crate::{ContainerRuntime, ContainerState, Failure, RuntimeListing};

pub(super) fn list(bench: &mut Bench) -> RuntimeListing {
    bench.runtime.list().unwrap()
}

fn paths(paths: &[&str]) -> Vec<Arc<Path>> {
    paths.iter().map(|path| Path::new(path).into()).collect()
}

/// A pod with a container that runs and one that has ended.
fn web(name: &str) -> Bench {
    let mut web = sandbox("s", "u-1", 5);
    web.pair(5, "app", "web").pair(5, "evictd.priority", "1");
    web.pair(6, "evictd.priority", "9").pair(6, "note", "n");
    let mut linux = Writer::default();
    linux
        .number(1, 100_000)
        .number(2, 50_000)
        .number(3, 512)
        .number(4, 1 << 20);
    let mut one = container(WEB, "s", RUNNING);
    one.pair(9, "io.kubernetes.pod.terminationGracePeriod", "30");
    one.pair(8, "evictd.memory-request", "64Ki");
    let bench = Bench::new(
        name,
        Node {
            sandboxes: vec![web],
            containers: vec![one, container("old", "s", EXITED)],
            statuses: vec![
                (WEB, status_of(RUNNING, 7, &linux)),
                ("old", status(EXITED, 0)),
            ],
            ..Node::default()
        },
    );
    bench.process(7, &format!("kubepods/burstable/podu-1/{WEB}"));
    bench
}

#[test]
fn a_pod() {
    let listing = list(&mut web("pod"));
    let [pod] = &*listing.pods else {
        panic!("{listing:?}");
    };
    let metadata = &pod.pod.metadata;
    assert_eq!(
        (metadata.name.as_str(), metadata.namespace.as_str()),
        ("pod-u-1", "shop")
    );
    assert_eq!(
        (
            metadata.uid.as_str(),
            metadata.labels.len(),
            metadata.annotations.len(),
        ),
        ("u-1", 0, 0)
    );
    assert_eq!(
        (
            pod.pod.spec.priority,
            pod.pod.spec.termination_grace_period_seconds
        ),
        (Some(9), Some(30))
    );
    assert_eq!(pod.pod.qos_class(&Policy::default()), QosClass::Burstable);
    assert_eq!(
        pod.pod
            .request(Requested::Memory, &Policy::default())
            .value(),
        65_536
    );
    let limits = &pod.pod.spec.containers[0].resources.limits;
    assert_eq!(limits.memory.as_ref().unwrap().to_string(), "1Mi");
    assert_eq!(limits.cpu.as_ref().unwrap().to_string(), "500m");
    assert_eq!(
        (&*pod.running, pod.sandbox.as_deref()),
        ([WEB.into()].as_slice(), Some("s"))
    );
    assert_eq!(pod.cgroups, paths(&["kubepods/burstable/podu-1"]));
    assert!(listing.notes.is_empty());
}

#[test]
fn its_containers() {
    let listing = list(&mut web("containers"));
    let [one, old] = &*listing.containers else {
        panic!("{listing:?}");
    };
    assert_eq!(
        (one.name.as_str(), one.attempt, one.created_nanos),
        ("main", 2, 70)
    );
    assert_eq!(
        (one.state, old.state),
        (ContainerState::Running, ContainerState::Exited)
    );
    assert_eq!((one.finished_nanos, old.finished_nanos), (None, Some(99)));
    assert_eq!(
        (&*one.image, one.log.as_deref()),
        (IMAGE, Some(Path::new("/log")))
    );
    assert_eq!(
        one.cgroup.as_slice(),
        paths(&[&format!("kubepods/burstable/podu-1/{WEB}")])
    );
    assert_eq!((old.sandbox.as_deref(), &old.cgroup), (Some("s"), &None));
    assert!(listing.notes.is_empty());
}

/// When nothing has changed there are two calls; what changed costs one more.
#[test]
fn steady() {
    let mut bench = Bench::new(
        "steady",
        Node {
            sandboxes: vec![sandbox("s", "u", 5)],
            containers: vec![container(WEB, "s", RUNNING), container("old", "s", EXITED)],
            statuses: vec![(WEB, status(RUNNING, 7)), ("old", status(EXITED, 0))],
            ..Node::default()
        },
    );
    bench.process(7, &format!("k8s.io/{WEB}"));
    let lists = ["ListPodSandbox", "ListContainers"];
    let first = list(&mut bench);
    assert_eq!(bench.fake.take_calls()[2..], ["ContainerStatus"; 2]);
    assert_eq!(list(&mut bench), first);
    assert_eq!(bench.fake.take_calls(), lists);
    bench.node().containers[0] = container(WEB, "s", EXITED);
    bench.node().statuses[0].1 = status(EXITED, 0);
    let ended = list(&mut bench);
    assert_eq!(bench.fake.take_calls()[2..], ["ContainerStatus"]);
    assert_eq!(ended.containers[0].finished_nanos, Some(99));
    assert!(ended.pods[0].running.is_empty() && ended.pods[0].cgroups.is_empty());
    // One whose cgroup cannot be found is asked again.
    bench.node().containers[0] = container(WEB, "s", RUNNING);
    bench.node().statuses[0].1 = status(RUNNING, 8);
    assert_eq!(list(&mut bench).containers[0].cgroup, None);
    bench.process(8, &format!("k8s.io/{WEB}"));
    assert_eq!(
        list(&mut bench).pods[0].cgroups,
        paths(&[&format!("k8s.io/{WEB}")])
    );
}

/// Whatever is odd about one container, it is in the list.
#[test]
fn odd_containers() {
    let node = |reply: Option<Reply>| Node {
        sandboxes: vec![sandbox("s", "u", 5)],
        containers: vec![container(WEB, "s", RUNNING), container(DB, "s", EXITED)],
        statuses: [(DB, Some(status(EXITED, 0))), (WEB, reply)]
            .into_iter()
            .filter_map(|(id, reply)| Some((id, reply?)))
            .collect(),
        ..Node::default()
    };
    let mut gone = Bench::new("gone", node(None));
    let listing = list(&mut gone);
    assert_eq!(listing.containers.len(), 1, "vanished in between");
    assert!(listing.notes.is_empty());

    let mut refused = Bench::new("refused", node(Some(Reply::Status(13, "no%20idea"))));
    let listing = list(&mut refused);
    assert_eq!(
        (listing.containers.len(), &*listing.pods[0].running),
        (2, [WEB.into()].as_slice())
    );
    let note = format!(
        "container {WEB}: /runtime.v1.RuntimeService/ContainerStatus: refused with 13: no idea"
    );
    assert_eq!(listing.notes, [note]);

    let mut odd = Bench::new("odd", node(Some(Reply::Message(vec![0x0a, 9]))));
    let listing = list(&mut odd);
    assert_eq!((listing.containers.len(), listing.notes.len()), (2, 1));
    let note = format!("container {WEB}: a part (cut off) cannot be read and does not count");
    assert_eq!(listing.notes, [note]);

    let mut cut = Bench::new("cut", node(Some(Reply::Last(Vec::new()))));
    let listing = list(&mut cut);
    assert_eq!((listing.containers.len(), listing.notes.len()), (2, 1));
    assert!(listing.notes[0].contains("/runtime.v1.RuntimeService/ContainerStatus"));
    for method in ["ListPodSandbox", "ListContainers"] {
        let mut bench = Bench::new("part", node(Some(status(RUNNING, 7))));
        bench
            .node()
            .instead
            .push((method, Reply::Status(14, "away")));
        let error = bench.runtime.list().unwrap_err();
        assert!(matches!(error.failure, Failure::Refused { code: 14, .. }));
    }
}

/// Where one cgroup holds a whole pod, and where not.
#[test]
fn cgroups_of_pods() {
    let uid = "0d7c-5a3a";
    let cases: [(&str, [&str; 2], &[&str]); 7] = [
        (
            "cgroupfs",
            ["kubepods/pod0d7c-5a3a/WEB", "kubepods/pod0d7c-5a3a/DB"],
            &["kubepods/pod0d7c-5a3a"],
        ),
        (
            "systemd",
            [
                "k.slice/kubepods-burstable-pod0d7c_5a3a.slice/cri-containerd-WEB.scope",
                "k.slice/kubepods-burstable-pod0d7c_5a3a.slice/cri-containerd-DB.scope",
            ],
            &["k.slice/kubepods-burstable-pod0d7c_5a3a.slice"],
        ),
        (
            "crio",
            [
                "kubepods/pod0d7c-5a3a/crio-WEB",
                "kubepods/pod0d7c-5a3a/crio-DB",
            ],
            &["kubepods/pod0d7c-5a3a"],
        ),
        (
            "no parent",
            ["k8s.io/WEB", "k8s.io/DB"],
            &["k8s.io/WEB", "k8s.io/DB"],
        ),
        (
            "another's",
            ["kubepods/pod9/WEB", "kubepods/pod9/DB"],
            &["kubepods/pod9/WEB", "kubepods/pod9/DB"],
        ),
        (
            "apart",
            ["kubepods/pod0d7c-5a3a/WEB", "k8s.io/DB"],
            &["kubepods/pod0d7c-5a3a/WEB", "k8s.io/DB"],
        ),
        ("not theirs", ["system.slice/x", "kubepods/../DB"], &[]),
    ];
    for (name, cgroups, expected) in cases {
        let real = |text: &str| text.replace("WEB", WEB).replace("DB", DB);
        let mut bench = Bench::new(
            name,
            Node {
                sandboxes: vec![sandbox("s", uid, 5)],
                containers: vec![container(WEB, "s", RUNNING), container(DB, "s", RUNNING)],
                statuses: vec![(WEB, status(RUNNING, 7)), (DB, status(RUNNING, 8))],
                ..Node::default()
            },
        );
        bench
            .process(7, &real(cgroups[0]))
            .process(8, &real(cgroups[1]));
        let expected: Vec<String> = expected.iter().map(|path| real(path)).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        let listing = list(&mut bench);
        assert_eq!(listing.pods[0].cgroups, paths(&expected), "{name}");
        assert_eq!(listing.pods[0].running.len(), 2);
    }
}

#[test]
fn pods_of_sandboxes() {
    let mut old = sandbox("old", "u", 9);
    old.number(3, 1)
        .pair(6, "kubernetes.io/config.source", "old");
    let mut new = sandbox("new", "u", 5);
    new.pair(6, "kubernetes.io/config.source", "new")
        .pair(6, "evictd.protect", "true");
    new.pair(6, "evictd.memory-request", "lots");
    let mut orphan = container(DB, "lost", EXITED);
    orphan
        .pair(8, "io.kubernetes.pod.uid", "o")
        .pair(8, "io.kubernetes.pod.name", "orphan");
    let mut bench = Bench::new(
        "sandboxes",
        Node {
            sandboxes: vec![new, old, sandbox("bare", "", 1)],
            containers: vec![orphan, container("c", "nowhere", EXITED)],
            statuses: vec![(DB, status(EXITED, 0)), ("c", status(EXITED, 0))],
            ..Node::default()
        },
    );
    let listing = list(&mut bench);
    let names: Vec<_> = listing
        .pods
        .iter()
        .map(|pod| {
            (
                pod.pod.metadata.uid.as_str(),
                pod.pod.metadata.name.as_str(),
                pod.sandbox.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            ("u", "pod-u", Some("new")),
            ("bare", "pod-", Some("bare")),
            ("o", "orphan", None),
            ("nowhere", "main", None),
        ]
    );
    let pod = &listing.pods[0].pod;
    assert_eq!(
        pod.metadata
            .annotations
            .get("kubernetes.io/config.source")
            .map(String::as_str),
        Some("new")
    );
    assert!(pod.is_critical());
    assert_eq!(pod.qos_class(&Policy::default()), QosClass::BestEffort);
    let standing: Vec<_> = listing
        .sandboxes
        .iter()
        .map(|it| (it.pod, it.ready))
        .collect();
    assert_eq!(standing, [(0, true), (0, false), (1, true)]);
    assert_eq!(listing.notes.len(), 1, "{:?}", listing.notes);
    assert!(listing.notes[0].contains("evictd.memory-request=lots is ignored"));
}

#[test]
fn a_pods_request_is_its_first_containers() {
    let mut pod = sandbox("s", "u", 5);
    pod.pair(6, "evictd.memory-request", "1Gi");
    let node = |own: bool| {
        let mut second = container(DB, "s", RUNNING);
        if own {
            second.pair(9, "evictd.memory-request", "2Gi");
        }
        Node {
            sandboxes: vec![pod.clone()],
            containers: vec![container(WEB, "s", RUNNING), second],
            statuses: vec![(WEB, status(RUNNING, 0)), (DB, status(RUNNING, 0))],
            ..Node::default()
        }
    };
    for (own, gib) in [(false, 1), (true, 2)] {
        let listing = list(&mut Bench::new("request", node(own)));
        let request = listing.pods[0]
            .pod
            .request(Requested::Memory, &Policy::default())
            .value();
        assert_eq!(request, gib << 30);
        assert_eq!(
            listing.pods[0].pod.qos_class(&Policy::default()),
            QosClass::Burstable
        );
    }
}
