//! Lists where something is odd or missing.

use alloc::sync::Arc;
use core::time::Duration;
use std::fs;
use std::path::Path;

use super::lists::{entry, names};
use super::{id, not_found, runtime, version};
use crate::docker::fake::{Fake, Reply, json};
use crate::{ContainerRuntime, DockerRuntime, RuntimePod};

#[test]
fn a_container_that_vanishes_and_one_that_cannot_be_looked_at() {
    let list = [
        entry('0', "a", "running", ""),
        entry('1', "b", "running", ""),
        entry('2', "c", "running", ""),
        entry('3', "d", "running", ""),
    ];
    let list = format!("[{}]", list.join(","));
    let fake = Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        call if call.contains(&id('0')) => not_found(),
        call if call.contains(&id('1')) => json(500, r#"{"message":"bad\nstate"}"#),
        call if call.contains(&id('3')) => json(200, r#"{"Id":"x","State":7}"#),
        _ => json(200, r#"{"Id":"x"}"#),
    });
    let listing = runtime(&fake).list().unwrap();
    assert_eq!(
        names(&listing),
        [
            "docker/b 111111111 runs 1",
            "docker/c 222222222 runs 1",
            "docker/d 333333333 runs 1"
        ]
    );
    let refused = format!(
        "container b: GET /containers/{}/json: refused with 500: bad\\u{{a}}state",
        id('1')
    );
    let odd = "container d: State cannot be read and does not count";
    assert_eq!(listing.notes, [&*refused, odd]);
}

/// What a list comes to when one of the calls for it is answered so.
fn failed(call: &'static str, reply: impl Fn() -> Reply + Send + Sync + 'static) -> String {
    let silent = matches!(reply(), Reply::Hang | Reply::Stall(_));
    let limit = Duration::from_millis(if silent { 1000 } else { 20_000 });
    let list = format!(
        "[{},{}]",
        entry('0', "a", "running", ""),
        entry('1', "b", "running", "")
    );
    let fake = Fake::new(move |called| {
        if called.starts_with(call) {
            return reply();
        }
        match called {
            "GET /version" => version("Podman Engine"),
            "GET /containers/json?all=true" => json(200, &list),
            "GET /v4.0.0/libpod/pods/json" => json(200, "[]"),
            _ => json(200, r#"{"Id":"x"}"#),
        }
    });
    let mut runtime = DockerRuntime::with(&fake.socket, Path::new("/proc"), limit);
    let said = runtime.list().unwrap_err().to_string();
    let endpoint = format!("unix://{}: ", fake.socket.display());
    said.strip_prefix(&endpoint).unwrap().to_string()
}

#[test]
fn a_list_that_fails_is_none() {
    let half = || Reply::Cut(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]".to_vec());
    for (call, said) in [
        (
            "GET /version",
            failed("GET /version", || json(500, r#"{"message":"no"}"#)),
        ),
        (
            "GET /containers/json",
            failed("GET /containers/json", || json(200, r#"[{"Id":"a"},"#)),
        ),
        ("GET /containers/json", failed("GET /containers/json", half)),
        (
            "GET /containers/json",
            failed("GET /containers/json", || json(500, "broken")),
        ),
        (
            "GET /v4.0.0/libpod/pods/json",
            failed("GET /v4", || json(404, "Not Found")),
        ),
    ] {
        assert!(said.starts_with(call), "{said}");
        assert!(!said.contains('\n'), "{said}");
    }
    let stalls = || Reply::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]".to_vec());
    let said = failed("GET /containers/json", stalls);
    assert_eq!(said, "GET /containers/json: no answer within 1000 ms");
    let odd = || Reply::Trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_vec());
    let said = failed("GET /containers/json", odd);
    assert!(said.ends_with("no list"), "{said}");
    let hangs = failed("GET /containers/json", || Reply::Hang);
    assert_eq!(hangs, "GET /containers/json: no answer within 1000 ms");
}

/// The state of a node of whose containers one hangs, and the engine that says it.
struct Hanging {
    fake: Fake,
    runtime: DockerRuntime,
}

impl Hanging {
    /// Each container runs in a cgroup of its own; inspecting the first is answered so.
    fn new(count: usize, first: impl Fn() -> Reply + Send + Sync + 'static) -> Self {
        let digits = "0123456789abcdef".chars().take(count);
        let entries = digits.map(|digit| entry(digit, &format!("c{digit}"), "running", ""));
        let list = format!("[{}]", entries.collect::<Vec<_>>().join(","));
        let fake = Fake::new(move |call| match call {
            "GET /version" => version("Engine"),
            "GET /containers/json?all=true" => json(200, &list),
            call if call.contains(&id('0')) => first(),
            call => {
                let digit = call.chars().nth("GET /containers/".len()).unwrap();
                let pid = 100 + digit.to_digit(16).unwrap();
                let memory = r#""HostConfig":{"Memory":64}"#;
                json(
                    200,
                    &format!(r#"{{"Id":"x","State":{{"Pid":{pid}}},{memory}}}"#),
                )
            }
        });
        let proc = fake.socket.parent().unwrap().join("proc");
        for (pid, digit) in (100..).zip("0123456789abcdef".chars().take(count)) {
            let process = proc.join(pid.to_string());
            fs::create_dir_all(&process).unwrap();
            let cgroup = format!("0::/system.slice/docker-{}.scope\n", id(digit));
            fs::write(process.join("cgroup"), cgroup).unwrap();
        }
        let limit = Duration::from_secs(20);
        let runtime = DockerRuntime::with(&fake.socket, &proc, limit);
        Self { fake, runtime }
    }

    /// How often containers were inspected since the last time.
    fn inspected(&self) -> usize {
        let calls = self.fake.calls().into_iter();
        calls.filter(|call| call.ends_with("/json")).count()
    }
}

/// The disk of one is a dead mount, or the engine fails over it.
#[test]
fn a_container_whose_inspect_fails_is_listed_by_its_cgroup() {
    let breaks: [fn() -> Reply; 4] = [
        || Reply::Hang,
        || Reply::Cut(Vec::new()),
        || Reply::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_vec()),
        || json(500, r#"{"message":"no"}"#),
    ];
    for first in breaks {
        let mut node = Hanging::new(16, first);
        let listing = node.runtime.list().unwrap();
        let pods: Vec<_> = listing.pods.iter().map(|pod| &pod.cgroups[..]).collect();
        let expected = "0123456789abcdef".chars().map(|digit| {
            let scope = format!("system.slice/docker-{}.scope", id(digit));
            vec![Arc::from(Path::new(&scope))]
        });
        assert_eq!(pods, expected.collect::<Vec<_>>());
        assert!(listing.pods.iter().all(|pod| pod.running.len() == 1));
        let note = format!("container c0: GET /containers/{}/json: ", id('0'));
        assert_eq!(listing.notes.len(), 1, "{:?}", listing.notes);
        assert!(listing.notes[0].starts_with(&note), "{:?}", listing.notes);
        let has_limit = |pod: &&RuntimePod| {
            let limits = &pod.pod.spec.containers[0].resources.limits;
            limits.memory.is_some()
        };
        assert_eq!(listing.pods.iter().filter(has_limit).count(), 15);
    }
}

/// Those that are asked for after it are described in the same list.
#[test]
fn one_of_a_hundred_whose_inspect_hangs_costs_no_other() {
    let number = |at: usize| format!("{at:064}");
    let one = |at| entry('0', "c", "running", "").replace(&id('0'), &number(at));
    let entries: Vec<String> = (0..100).map(one).collect();
    let list = format!("[{}]", entries.join(","));
    let fake = Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        call if call.contains(&number(7)) => Reply::Hang,
        _ => json(200, r#"{"Id":"x","HostConfig":{"Memory":64}}"#),
    });
    let listing = runtime(&fake).list().unwrap();
    let described = listing.pods.iter().filter(|pod| {
        let limits = &pod.pod.spec.containers[0].resources.limits;
        limits.memory.is_some()
    });
    assert_eq!((listing.pods.len(), described.count()), (100, 99));
}

/// It is asked for again after a rest, and what stays the same is said in the same words.
#[test]
fn a_container_whose_inspect_hangs_rests() {
    let mut node = Hanging::new(2, || Reply::Hang);
    let first = node.runtime.list().unwrap();
    assert_eq!(node.inspected(), 2);
    for _ in 0..3 {
        assert_eq!(node.runtime.list().unwrap(), first);
    }
    assert_eq!(node.inspected(), 0);
}

/// An image volume's image that the engine does not tell.
#[test]
fn an_image_that_hangs_costs_a_container_nothing_else() {
    let list = format!("[{}]", entry('0', "a", "running", ""));
    let fake = Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        "GET /images/model/json" => Reply::Hang,
        _ => json(
            200,
            r#"{"Id":"x","Mounts":[{"Type":"image","Source":"model"}],"HostConfig":{"Memory":64}}"#,
        ),
    });
    let mut runtime = runtime(&fake);
    for _ in 0..2 {
        let listing = runtime.list().unwrap();
        assert_eq!(&*listing.containers[0].image_volumes, ["model".into()]);
        let limits = &listing.pods[0].pod.spec.containers[0].resources.limits;
        assert!(limits.memory.is_some());
        let note = "container a: GET /images/model/json: no answer in time";
        assert_eq!(listing.notes, [note]);
    }
    let asked = fake.calls().into_iter();
    let asked = asked.filter(|call| call.contains("/images/")).count();
    assert_eq!(asked, 1);
}
