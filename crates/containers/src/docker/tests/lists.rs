use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::path::Path;

use evictd_node::pod::Requested;
use evictd_node::{Policy, QosClass};

use super::{id, not_found, runtime, version};
use crate::docker::fake::{Fake, json};
use crate::{
    ContainerRuntime, ContainerState, DockerRuntime, RuntimeListing, RuntimePod, WritableLayer,
};

/// An entry of the list: the digits of its id, its name, its state, its labels.
pub(super) fn entry(digit: char, name: &str, state: &str, labels: &str) -> String {
    let id = id(digit);
    format!(
        r#"{{"Id":"{id}","Names":["/{name}"],"Image":"one:1","ImageID":"sha256:3e","Created":100,
        "State":"{state}","Status":"{state} 5 minutes","Labels":{{{labels}}}}}"#
    )
}

/// What an engine answers that holds these containers, whose details are all this.
fn engine(name: &'static str, entries: &[String], detail: &'static str) -> Fake {
    let list = format!("[{}]", entries.join(","));
    Fake::new(move |call| match call {
        "GET /version" => version(name),
        "GET /containers/json?all=true" => json(200, &list),
        "GET /v4.0.0/libpod/pods/json" => {
            json(200, &PODS.replace("ID4", &id('4')).replace("ID5", &id('5')))
        }
        call if call.ends_with("/json") => json(200, &format!(r#"{{"Id":"x"{detail}}}"#)),
        _ => not_found(),
    })
}

const PODS: &str =
    r#"[{"Id":"podid","Name":"pod","InfraId":"ID4","Containers":[{"Id":"ID4"},{"Id":"ID5"}]}]"#;

pub(super) fn names(listing: &RuntimeListing) -> Vec<String> {
    let name = |pod: &RuntimePod| {
        let of = &pod.pod.metadata;
        let uid: String = of.uid.chars().take(9).collect();
        format!(
            "{}/{} {uid} runs {}",
            of.namespace,
            of.name,
            pod.running.len()
        )
    };
    listing.pods.iter().map(name).collect()
}

fn containers_of_docker() -> Vec<String> {
    let kubernetes = r#""io.kubernetes.pod.uid":"uid-1","io.kubernetes.pod.name":"web","io.kubernetes.pod.namespace":"shop""#;
    let sandbox = format!(
        r#"{kubernetes},"io.kubernetes.docker.type":"podsandbox","annotation.kubernetes.io/config.source":"file""#
    );
    let member = format!(
        r#"{kubernetes},"io.kubernetes.container.name":"nginx","io.kubernetes.sandbox.id":"{}""#,
        id('1')
    );
    let compose = r#""com.docker.compose.project":"app","com.docker.compose.service":"db""#;
    vec![
        entry('0', "alone", "running", ""),
        entry('1', "k8s_POD_web_shop_uid-1_2", "running", &sandbox),
        entry('2', "k8s_nginx_web_shop_uid-1_3", "running", &member),
        entry('3', "k8s_nginx_web_shop_uid-1_2", "exited", &member),
        entry('4', "app-db-1", "running", compose),
        entry('5', "app-web-1", "paused", compose),
        entry('6', "app-job-1", "exited", compose),
        entry('7', "new", "created", ""),
        entry('8', "odd", "thinking", ""),
    ]
}

#[test]
fn pods_of_docker() {
    let fake = engine("Engine", &containers_of_docker(), "");
    let listing = runtime(&fake).list().unwrap();
    assert_eq!(
        names(&listing),
        [
            "docker/alone 000000000 runs 1",
            "shop/web uid-1 runs 1",
            "docker/app-db-1 444444444 runs 1",
            "docker/app-web-1 555555555 runs 1",
            "docker/app-job-1 666666666 runs 0",
            "docker/new 777777777 runs 0",
            "docker/odd 888888888 runs 0",
        ]
    );
    let projects = runtime(&fake).with_projects_as_pods(true).list().unwrap();
    assert_eq!(names(&projects)[2], "docker/app app runs 2");
    assert_eq!(projects.pods.len(), 5);
    let web = &listing.pods[1];
    assert_eq!(web.sandbox.as_deref(), Some(&*id('1')));
    assert!(web.pod.is_static());
    assert_eq!(listing.sandboxes.len(), 1);
    assert_eq!(
        (listing.sandboxes[0].ready, listing.sandboxes[0].attempt),
        (true, 2)
    );
    let container = &listing.containers[1];
    assert_eq!(
        (&*container.name, container.attempt, container.pod),
        ("nginx", 3, 1)
    );
    assert_eq!(container.sandbox.as_deref(), Some(&*id('1')));
    assert_eq!(&*container.image, "sha256:3e");
    assert_eq!(container.created_nanos, 100_000_000_000);
    let states: Vec<ContainerState> = listing
        .containers
        .iter()
        .map(|container| container.state)
        .collect();
    use ContainerState::{Created, Exited, Running, Unknown};
    assert_eq!(
        states,
        [
            Running, Running, Exited, Running, Running, Exited, Created, Unknown
        ]
    );
    assert_eq!(listing.notes, [""; 0]);
}

#[test]
fn pods_of_podman() {
    let fake = engine(
        "Podman Engine",
        &[
            entry('4', "podid-infra", "running", ""),
            entry(
                '5',
                "inner",
                "running",
                r#""com.docker.compose.project":"app""#,
            ),
            entry('6', "alone", "running", ""),
        ],
        "",
    );
    let listing = runtime(&fake).list().unwrap();
    assert_eq!(
        names(&listing),
        ["podman/pod podid runs 1", "podman/alone 666666666 runs 1"]
    );
    assert_eq!(listing.pods[0].sandbox.as_deref(), Some(&*id('4')));
    assert_eq!(*listing.sandboxes[0].id, id('4'));
    assert_eq!(listing.containers[0].sandbox.as_deref(), Some(&*id('4')));
    assert_eq!(listing.containers[1].sandbox, None);
}

/// The pod that comes of one container with these labels and details.
fn single(labels: &'static str, detail: &'static str) -> (RuntimePod, Vec<String>) {
    let fake = engine("Engine", &[entry('0', "a", "running", labels)], detail);
    let mut listing = runtime(&fake).list().unwrap();
    (listing.pods.remove(0), listing.notes)
}

/// Labels and details, and the request and the class that come of them.
const CONTAINERS: &[(&str, &str, &str, i64, QosClass)] = &[
    ("nothing", "", "", 0, QosClass::BestEffort),
    (
        "a limit",
        "",
        r#","HostConfig":{"Memory":64}"#,
        0,
        QosClass::Burstable,
    ),
    (
        "a reservation",
        "",
        r#","HostConfig":{"MemoryReservation":64}"#,
        64,
        QosClass::Burstable,
    ),
    (
        "both",
        "",
        r#","HostConfig":{"Memory":128,"MemoryReservation":64}"#,
        64,
        QosClass::Burstable,
    ),
    (
        "both the same",
        "",
        r#","HostConfig":{"Memory":64,"MemoryReservation":64}"#,
        64,
        QosClass::Guaranteed,
    ),
    (
        "cpu alone",
        "",
        r#","HostConfig":{"NanoCpus":500000000}"#,
        0,
        QosClass::Burstable,
    ),
    (
        "a label",
        r#""evictd.memory-request":"1Ki""#,
        r#","HostConfig":{"MemoryReservation":64}"#,
        1024,
        QosClass::Burstable,
    ),
    (
        "a label like the limit",
        r#""evictd.memory-request":"64""#,
        r#","HostConfig":{"Memory":64}"#,
        64,
        QosClass::Guaranteed,
    ),
    (
        "kubepods",
        "",
        r#","HostConfig":{"CgroupParent":"/kubepods/besteffort/pod1","CpuShares":2}"#,
        0,
        QosClass::BestEffort,
    ),
    (
        "kubepods of systemd",
        "",
        r#","HostConfig":{"CgroupParent":"kubepods-burstable-pod1.slice"}"#,
        0,
        QosClass::Burstable,
    ),
    (
        "kubepods, guaranteed",
        "",
        r#","HostConfig":{"CgroupParent":"/kubepods/pod1","Memory":64}"#,
        0,
        QosClass::Guaranteed,
    ),
];

#[test]
fn requests_limits_and_classes() {
    for (name, labels, detail, request, class) in CONTAINERS {
        let (pod, notes) = single(labels, detail);
        assert_eq!(
            pod.pod
                .request(Requested::Memory, &Policy::default())
                .value(),
            *request,
            "{name}"
        );
        assert_eq!(pod.pod.qos_class(&Policy::default()), *class, "{name}");
        assert_eq!(notes, [""; 0], "{name}");
    }
    let (pod, _) = single(
        "",
        r#","HostConfig":{"NanoCpus":1500000000,"CpuShares":512}"#,
    );
    let resources = &pod.pod.spec.containers[0].resources;
    assert_eq!(resources.limits.cpu.as_ref().unwrap().milli_value(), 1500);
    assert_eq!(resources.requests.cpu.as_ref().unwrap().milli_value(), 500);
}

/// Acceptance row 291: a disk's limit decides no class, and as much is requested.
#[test]
fn a_disk_limit_is_a_limit_of_local_storage() {
    let (pod, notes) = single(r#""evictd.disk-limit":"2Gi""#, "");
    assert_eq!(notes, [""; 0]);
    assert_eq!(pod.pod.local_storage_limit().unwrap().value(), 2 << 30);
    let request = pod
        .pod
        .request(Requested::EphemeralStorage, &Policy::default());
    assert_eq!(request.value(), 2 << 30);
    assert_eq!(pod.pod.qos_class(&Policy::default()), QosClass::BestEffort);
    for odd in [
        r#""evictd.disk-limit":"0""#,
        r#""evictd.disk-limit":"-1""#,
        r#""evictd.disk-limit":"many""#,
    ] {
        let (pod, notes) = single(odd, "");
        assert_eq!(pod.pod.local_storage_limit(), None, "{odd}");
        assert_eq!(notes.len(), 1, "{odd}");
    }
}

#[test]
fn labels_of_evictd() {
    for (labels, priority, note) in [
        (r#""evictd.priority":"-5""#, Some(-5), ""),
        (
            r#""evictd.priority":"2147483648""#,
            None,
            "a: label evictd.priority=2147483648 is ignored: not a whole number of 32 bits",
        ),
        (
            r#""evictd.priority":"""#,
            None,
            "a: label evictd.priority= is ignored: not a whole number of 32 bits",
        ),
        (
            r#""evictd.protect":"true","evictd.priority":"7""#,
            Some(2_000_000_000),
            "",
        ),
        (r#""evictd.protect":"false""#, None, ""),
        (
            r#""evictd.protect":"yes\n""#,
            None,
            "a: label evictd.protect=yes is ignored: neither true nor false",
        ),
        (
            r#""evictd.protect":"\u001b[2J""#,
            None,
            "a: label evictd.protect=\\u{1b}[2J is ignored: neither true nor false",
        ),
        (
            r#""evictd.memory-request":"-1""#,
            None,
            "a: label evictd.memory-request=-1 is ignored: not a quantity such as 64Mi",
        ),
        (
            r#""evictd.memory-request":"64MB""#,
            None,
            "a: label evictd.memory-request=64MB is ignored: not a quantity such as 64Mi",
        ),
    ] {
        let (pod, notes) = single(labels, "");
        assert_eq!(pod.pod.spec.priority, priority, "{labels}");
        assert_eq!(
            pod.pod.is_critical(),
            priority == Some(2_000_000_000),
            "{labels}"
        );
        // So the OOM killer spares it as what the node itself needs (acceptance row 170).
        let class = pod.pod.spec.priority_class_name.as_ref();
        let expected = if labels.contains(r#""evictd.protect":"true""#) {
            "system-node-critical"
        } else {
            ""
        };
        assert_eq!(class, expected, "{labels}");
        assert_eq!(notes.join("|"), note, "{labels}");
    }
}

#[test]
fn names_with_any_bytes() {
    let labels = r#""io.kubernetes.pod.uid":"u\u0000\n","io.kubernetes.pod.name":"\u001b[31mred","io.kubernetes.pod.namespace":"\u202enur","io.kubernetes.container.name":"a\tb""#;
    let (pod, _) = single(labels, "");
    let of = &pod.pod.metadata;
    assert_eq!(
        (&*of.name, &*of.namespace, &*of.uid),
        ("\\u{1b}[31mred", "\\u{202e}nur", "u\\u{0}")
    );
    assert_eq!(pod.pod.spec.containers[0].name, "a\\u{9}b");
}

#[test]
fn what_is_known_of_a_container() {
    let fake = engine(
        "Engine",
        &[entry('0', "a", "exited", "")],
        r#","State":{"FinishedAt":"1970-01-01T00:00:07Z"},"RestartCount":4,"LogPath":"/l.log","GraphDriver":{"Data":{"UpperDir":"/u"}},"Config":{"StopTimeout":3}"#,
    );
    let listing = runtime(&fake).list().unwrap();
    let container = &listing.containers[0];
    assert_eq!(container.finished_nanos, Some(7_000_000_000));
    assert_eq!(container.attempt, 4);
    assert_eq!(container.layer, WritableLayer::Dir(Path::new("/u").into()));
    assert_eq!(container.log.as_deref(), Some(Path::new("/l.log")));
    assert_eq!(container.cgroup, None);

    let (pod, _) = single("", r#","Config":{"StopTimeout":3}"#);
    assert_eq!(pod.pod.spec.termination_grace_period_seconds, Some(3));
}

/// Acceptance row 266: the engine says which image a name means.
#[test]
fn images_that_are_mounted_are_told_by_the_ids_of_the_engine() {
    let list = format!("[{}]", entry('1', "a", "exited", ""));
    let fake = Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        "GET /images/model/json" => json(200, r#"{"Id":"sha256:3e","RepoTags":["model:latest"]}"#),
        call if call.starts_with("GET /containers/") => json(
            200,
            r#"{"Id":"x","Mounts":[{"Type":"image","Source":"model"},
            {"Type":"image","Source":"gone:1"}]}"#,
        ),
        _ => not_found(),
    });
    let listing = runtime(&fake).list().unwrap();
    let told = listing.containers[0].image_volumes.iter();
    let told: Vec<&str> = told.map(AsRef::as_ref).collect();
    assert_eq!(told, ["gone:1", "sha256:3e"]);
}

#[test]
fn the_cgroup_of_the_first_process() {
    let proc = std::env::temp_dir().join(format!("evictd-docker-proc-{}", std::process::id()));
    std::fs::create_dir_all(proc.join("277")).unwrap();
    let text = format!("4:memory:/docker/{}\n0::/\n", id('0'));
    std::fs::write(proc.join("277/cgroup"), text).unwrap();
    let fake = engine(
        "Engine",
        &[
            entry('0', "a", "running", ""),
            entry('1', "b", "running", ""),
        ],
        r#","State":{"Pid":277}"#,
    );
    let mut runtime = DockerRuntime::with(&fake.socket, &proc, Duration::from_secs(20));
    let listing = runtime.list().unwrap();
    std::fs::remove_dir_all(&proc).unwrap();
    let cgroup = Path::new("docker").join(id('0'));
    assert_eq!(listing.pods[0].cgroups, [Arc::from(&*cgroup)]);
    assert_eq!(listing.containers[0].cgroup, Some(cgroup.into()));
    // The same process id cannot be the other's.
    assert_eq!(listing.pods[1].cgroups.len(), 0);
}

#[test]
fn a_steady_listing_costs_one_call() {
    let round = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&round);
    let fake = Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => {
            let entries: Vec<String> = ('0'..='9')
                .map(|digit| entry(digit, "a", "running", ""))
                .collect();
            let list = format!("[{}]", entries.join(","));
            let status = if now.load(Ordering::Relaxed) < 2 {
                "running 5"
            } else {
                "running 6"
            };
            json(200, &list.replacen("running 5", status, 1))
        }
        _ => json(200, r#"{"Id":"x"}"#),
    });
    let mut runtime = runtime(&fake);
    let mut calls = Vec::new();
    for number in 0..4 {
        round.store(number, Ordering::Relaxed);
        assert_eq!(runtime.list().unwrap().containers.len(), 10);
        calls.push(fake.calls().len());
    }
    assert_eq!(calls, [12, 1, 2, 1]);
}

/// Acceptance row 177: what Podman has started again while its list still says that it has
/// ended, is known by its cgroup.
#[test]
fn one_that_may_be_started_again_keeps_its_cgroup() {
    let proc = std::env::temp_dir().join(format!("evictd-docker-again-{}", std::process::id()));
    std::fs::create_dir_all(proc.join("277")).unwrap();
    let text = format!("4:memory:/docker/{}\n0::/\n", id('0'));
    std::fs::write(proc.join("277/cgroup"), text).unwrap();
    for (policy, is_kept) in [("always", true), ("no", false), ("", false)] {
        let round = Arc::new(AtomicUsize::new(0));
        let now = Arc::clone(&round);
        let fake = Fake::new(move |call| {
            let has_ended = now.load(Ordering::Relaxed) > 0;
            let (state, pid) = if has_ended {
                ("exited", 0)
            } else {
                ("running", 277)
            };
            match call {
                "GET /version" => version("Engine"),
                "GET /containers/json?all=true" => {
                    json(200, &format!("[{}]", entry('0', "a", state, "")))
                }
                _ => json(
                    200,
                    &format!(
                        r#"{{"Id":"x","State":{{"Pid":{pid}}},"HostConfig":{{"RestartPolicy":{{"Name":"{policy}"}}}}}}"#
                    ),
                ),
            }
        });
        let mut runtime = DockerRuntime::with(&fake.socket, &proc, Duration::from_secs(20));
        let listing = runtime.list().unwrap();
        let spec = &listing.pods[0].pod.spec;
        assert_eq!(spec.containers[0].restart_policy.is_some(), is_kept);
        round.store(1, Ordering::Relaxed);
        for _ in 0..2 {
            let listing = runtime.list().unwrap();
            let pod = &listing.pods[0];
            let kept = usize::from(is_kept);
            assert_eq!(
                (pod.cgroups.len(), pod.running.len()),
                (kept, kept),
                "{policy}"
            );
            assert_eq!(listing.containers[0].state, ContainerState::Exited);
        }
    }
    std::fs::remove_dir_all(&proc).unwrap();
}

/// Acceptance row 165.
#[test]
fn the_log_is_where_its_driver_writes_it() {
    let own = |digit| format!("/d/containers/{}/local-logs", id(digit));
    let cases = [
        (
            r#","LogPath":"/d/c/x-json.log","HostnamePath":"/d/c/hostname","HostConfig":{"LogConfig":{"Type":"json-file"}}"#,
            Some("/d/c/x-json.log".to_owned()),
        ),
        (
            r#","LogPath":"","HostnamePath":"/d/containers/ID0/hostname","HostConfig":{"LogConfig":{"Type":"local"}}"#,
            Some(own('0')),
        ),
        // With the network of another container (`--network container:ID7`) these files are
        // the other's.
        (
            r#","LogPath":"","HostnamePath":"/d/containers/ID7/hostname","HostConfig":{"LogConfig":{"Type":"local"}}"#,
            Some(own('0')),
        ),
        (
            r#","HostnamePath":"","ResolvConfPath":"/d/containers/ID7/resolv.conf","HostConfig":{"LogConfig":{"Type":"local"}}"#,
            Some(own('0')),
        ),
        (
            r#","LogPath":"/p/ctr.log","HostnamePath":"/run/hostname","HostConfig":{"LogConfig":{"Type":"k8s-file"}}"#,
            Some("/p/ctr.log".to_owned()),
        ),
        (
            r#","LogPath":"","HostnamePath":"","HostConfig":{"LogConfig":{"Type":"local"}}"#,
            None,
        ),
        (
            r#","LogPath":"","HostnamePath":"hostname","HostConfig":{"LogConfig":{"Type":"local"}}"#,
            None,
        ),
        (
            r#","LogPath":"","HostnamePath":"/d/c/hostname","HostConfig":{"LogConfig":{"Type":"journald"}}"#,
            None,
        ),
    ];
    for (detail, expected) in cases {
        let list = format!("[{}]", entry('0', "a", "running", ""));
        let detail = detail.replace("ID0", &id('0')).replace("ID7", &id('7'));
        let told = format!(r#"{{"Id":"x"{detail}}}"#);
        let fake = Fake::new(move |call| match call {
            "GET /version" => version("Engine"),
            "GET /containers/json?all=true" => json(200, &list),
            _ => json(200, &told),
        });
        let listing = runtime(&fake).list().unwrap();
        let log = listing.containers[0].log.as_deref();
        assert_eq!(log, expected.as_deref().map(Path::new), "{detail}");
    }
}
