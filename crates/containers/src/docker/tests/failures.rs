//! Lists where something is odd or missing.

use core::time::Duration;
use std::path::Path;

use super::lists::{entry, names};
use super::{id, not_found, runtime, version};
use crate::docker::fake::{Fake, Reply, json};
use crate::{ContainerRuntime, DockerRuntime};

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
    let note = format!(
        "GET /containers/{}/json: refused with 500: bad\\u{{a}}state",
        id('1')
    );
    let odd = format!(
        "GET /containers/{}/json: not an answer of this API",
        id('3')
    );
    assert_eq!(listing.notes[0], note);
    assert!(listing.notes[1].starts_with(&odd), "{:?}", listing.notes);
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
fn never_a_partial_list() {
    let second = "GET /containers/1";
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
        (second, failed(second, || Reply::Hang)),
        (second, failed(second, || Reply::Cut(Vec::new()))),
    ] {
        assert!(said.starts_with(call), "{said}");
        assert!(!said.contains('\n'), "{said}");
    }
    let stalls = || Reply::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]".to_vec());
    let said = failed("GET /containers/json", stalls);
    assert_eq!(said, "GET /containers/json: no answer within 1000 ms");
    let odd = || Reply::Trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_vec());
    let said = failed("GET /containers/json", odd);
    assert!(said.contains("expected a sequence"), "{said}");
    let hangs = failed("GET /containers/json", || Reply::Hang);
    assert_eq!(hangs, "GET /containers/json: no answer within 1000 ms");
}
