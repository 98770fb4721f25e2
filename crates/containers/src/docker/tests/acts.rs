use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;

use super::{not_found, runtime, version};
use crate::docker::fake::{Fake, Reply, empty, json};
use crate::{ContainerRuntime, ListedImage, RuntimePod};

/// A pod of two containers, with a sandbox or without.
fn pod(sandbox: Option<&str>) -> RuntimePod {
    RuntimePod {
        running: vec!["aa".into(), "bb".into()],
        sandbox: sandbox.map(Into::into),
        ..RuntimePod::default()
    }
}

/// The calls that ending a pod makes, those made at once sorted; and what it comes to.
fn calls_of(
    pod: &RuntimePod,
    grace: Duration,
    answer: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> (Vec<String>, Option<String>) {
    of_engine("Engine", pod, grace, answer)
}

/// Ends a pod of the engine with this name.
fn of_engine(
    engine: &'static str,
    pod: &RuntimePod,
    grace: Duration,
    answer: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> (Vec<String>, Option<String>) {
    let fake = Fake::new(move |call| match call {
        "GET /version" => version(engine),
        call => answer(call),
    });
    let done = runtime(&fake).end_pod(pod, grace);
    let calls = fake.calls();
    let calls = calls.iter().filter(|call| *call != "GET /version");
    let calls = calls.map(|call| call.replace("POST /containers/", ""));
    let mut calls: Vec<String> = calls.collect();
    for pair in calls.chunks_mut(2) {
        pair.sort();
    }
    let said = done.err().map(|error| error.to_string());
    (
        calls,
        said.and_then(|said| Some(said.split_once("sock: ")?.1.to_string())),
    )
}

#[test]
fn a_pod_ends_for_good() {
    let fine = |_: &str| empty(204);
    let (calls, failed) = calls_of(&pod(None), Duration::from_millis(1500), fine);
    // No restart policy is changed (acceptance row 167).
    assert_eq!(calls, ["aa/stop?t=2", "bb/stop?t=2"]);
    assert_eq!(failed, None);

    let (calls, failed) = calls_of(&pod(Some("sand")), Duration::ZERO, fine);
    assert_eq!(
        calls,
        [
            "aa/kill",
            "bb/kill",
            "aa/stop?t=0",
            "bb/stop?t=0",
            "sand/stop?t=0"
        ]
    );
    assert_eq!(failed, None);
}

#[test]
fn what_is_gone_or_has_ended_is_no_failure() {
    let (_, failed) = calls_of(&pod(Some("sand")), Duration::ZERO, |call| {
        if call.ends_with("/kill") {
            json(500, r#"{"cause":"container state improper"}"#)
        } else if call.contains("/aa/") {
            not_found()
        } else {
            empty(304)
        }
    });
    assert_eq!(failed, None);
}

/// Podman starts a container again that had ended by itself.
#[test]
fn one_that_runs_again_is_ended_again() {
    let kills = AtomicU32::new(0);
    let (calls, failed) = of_engine("Podman Engine", &pod(None), Duration::ZERO, move |call| {
        if call.contains("/aa/kill") && kills.fetch_add(1, Ordering::Relaxed) < 3 {
            return json(500, r#"{"cause":"container state improper"}"#);
        }
        empty(if call.ends_with("/kill") { 204 } else { 304 })
    });
    let of = |wanted: &str| calls.iter().filter(|call| **call == wanted).count();
    assert_eq!((of("aa/kill"), of("bb/kill")), (4, 1));
    assert_eq!(failed, None);
}

#[test]
fn one_that_fails_does_not_spare_the_others() {
    let (calls, failed) = calls_of(
        &pod(Some("sand")),
        Duration::from_secs(1),
        |call| match call.contains("/aa/") {
            true => json(500, r#"{"message":"stuck"}"#),
            false => empty(204),
        },
    );
    // A refused one is thawed and stopped again.
    assert_eq!(
        calls,
        [
            "aa/stop?t=1",
            "bb/stop?t=1",
            "aa/stop?t=1",
            "aa/unpause",
            "sand/stop?t=0"
        ]
    );
    assert_eq!(
        failed.unwrap(),
        "POST /containers/aa/stop: refused with 500: stuck"
    );

    let (_, failed) = calls_of(&pod(None), Duration::from_secs(1), |call| {
        match call.contains("/aa/stop") {
            true => json(500, r#"{"message":"stuck"}"#),
            false => empty(204),
        }
    });
    assert_eq!(
        failed.unwrap(),
        "POST /containers/aa/stop: refused with 500: stuck"
    );
}

#[test]
fn containers_and_sandboxes_are_removed() {
    let fake = Fake::new(|call| match call {
        "GET /version" => version("Podman Engine"),
        "GET /v4.0.0/libpod/pods/json" => json(
            200,
            r#"[{"Id":"empty","InfraId":"i1","Containers":[{"Id":"i1"}]},
            {"Id":"full","InfraId":"i2","Containers":[{"Id":"i2"},{"Id":"other"}]}]"#,
        ),
        "DELETE /containers/gone?v=true" => not_found(),
        "DELETE /containers/runs?v=true" => json(409, r#"{"message":"it runs"}"#),
        _ => empty(204),
    });
    let mut runtime = runtime(&fake);
    assert_eq!(runtime.remove_container("there"), Ok(()));
    assert_eq!(runtime.remove_container("gone"), Ok(()));
    let error = runtime.remove_container("runs").unwrap_err().to_string();
    assert!(
        error.ends_with("DELETE /containers/runs: refused with 409: it runs"),
        "{error}"
    );

    fake.calls();
    assert_eq!(runtime.remove_sandbox("i1"), Ok(()));
    assert!(
        fake.calls()
            .contains(&"DELETE /v4.0.0/libpod/pods/empty".into())
    );
    let error = runtime.remove_sandbox("i2").unwrap_err().to_string();
    assert!(
        error.ends_with("container other is still in the pod"),
        "{error}"
    );
    assert_eq!(fake.calls(), ["GET /v4.0.0/libpod/pods/json"]);
    assert_eq!(runtime.remove_sandbox("none"), Ok(()));
    assert!(
        fake.calls()
            .contains(&"DELETE /containers/none?v=true".into())
    );
}

/// The removals that removing an image makes, where it has these names and a container
/// uses that one; and what it comes to.
fn removals(
    names: &'static str,
    used: &'static str,
    refused: &'static str,
) -> (Vec<String>, Option<String>) {
    let fake = Fake::new(move |call| match call {
        "GET /images/sha256:1/json" => json(200, &format!(r#"{{"Id":"sha256:1",{names}}}"#)),
        "GET /containers/json?all=true" => json(
            200,
            &format!(r#"[{{"Id":"c","Names":["/user"],"ImageID":"{used}"}}]"#),
        ),
        call if !refused.is_empty() && call.contains(refused) => {
            json(409, r#"{"message":"in use"}"#)
        }
        call if call.starts_with("DELETE ") => json(200, "[]"),
        _ => not_found(),
    });
    let done = runtime(&fake).remove_image("sha256:1");
    let removals = fake.calls().into_iter().filter_map(|call| {
        let name = call.strip_prefix("DELETE /images/")?;
        Some(name.strip_suffix("?force=false").unwrap().to_string())
    });
    let said = done.err().map(|error| error.failure.to_string());
    (removals.collect(), said)
}

#[test]
fn an_image_goes_with_all_its_names() {
    let two = r#""RepoTags":["one:1","reg.test:5000/one:2"]"#;
    assert_eq!(
        removals(two, "sha256:2", ""),
        (
            vec![
                "one:1".into(),
                "reg.test:5000/one:2".into(),
                "sha256:1".into()
            ],
            None
        )
    );
    // In use: it keeps its names.
    let (removed, said) = removals(two, "sha256:1", "");
    assert_eq!(removed, [""; 0]);
    assert_eq!(said.unwrap(), "refused with 409: container user uses it");
    // One name: the engine itself knows best.
    let one = r#""RepoTags":["one:1"]"#;
    assert_eq!(
        removals(one, "sha256:2", ""),
        (vec!["sha256:1".into()], None)
    );
    let (_, said) = removals(one, "sha256:1", "sha256:1");
    assert_eq!(said.unwrap(), "refused with 409: in use");
    // Without a name.
    let dangling = r#""RepoTags":["<none>:<none>"],"RepoDigests":null"#;
    assert_eq!(removals(dangling, "sha256:2", "").0, ["sha256:1"]);
    let digests = r#""RepoTags":null,"RepoDigests":["a@sha256:3","b@sha256:3"]"#;
    assert_eq!(
        removals(digests, "sha256:2", "images/sha256:1").0,
        ["sha256:1", "a@sha256:3", "b@sha256:3", "sha256:1"]
    );
    // A name that cannot be removed ends it.
    let (removed, said) = removals(two, "sha256:2", "one:1");
    assert_eq!(removed, ["one:1"]);
    assert_eq!(said.unwrap(), "refused with 409: in use");
}

#[test]
fn an_image_that_is_gone() {
    let fake = Fake::new(|_| not_found());
    assert_eq!(runtime(&fake).remove_image("sha256:1"), Ok(()));
    // Its description alone may be gone.
    assert_eq!(
        fake.calls(),
        [
            "GET /images/sha256:1/json",
            "DELETE /images/sha256:1?force=false"
        ]
    );
}

#[test]
fn images_versions_and_disks() {
    let root = std::env::temp_dir().join(format!("evictd-docker-root-{}", std::process::id()));
    std::fs::create_dir_all(root.join("overlay2")).unwrap();
    let info = |driver: &str| {
        format!(
            r#"{{"DockerRootDir":"{}","Driver":"{driver}","DriverStatus":[]}}"#,
            root.display()
        )
    };
    let answers = [info("overlay2"), info("devicemapper"), info("vfs")];
    let next = core::sync::atomic::AtomicUsize::new(0);
    let fake = Fake::new(move |call| match call {
        "GET /version" => json(
            200,
            r#"{"Version":"20.10","Components":[{"Name":"Engine"}],"Platform":{"Name":"balenaEngine"}}"#,
        ),
        "GET /images/json?all=false" => json(
            200,
            r#"[{"Id":"sha256:1","RepoTags":["one:1"],"RepoDigests":["one@sha256:2"],"Size":7}]"#,
        ),
        _ => json(
            200,
            &answers[next.fetch_add(1, core::sync::atomic::Ordering::Relaxed)],
        ),
    });
    let mut runtime = runtime(&fake);
    assert_eq!(runtime.version().unwrap(), "balenaEngine 20.10");
    let image = ListedImage {
        id: "sha256:1".into(),
        tags: vec!["one:1".into()],
        digests: vec!["one@sha256:2".into()],
        size_bytes: 7,
        pinned: false,
    };
    assert_eq!(runtime.images().unwrap(), [image]);
    let disks = runtime.disks().unwrap();
    assert_eq!(
        (disks.images, &*disks.driver),
        (Some(root.join("overlay2")), "overlay2")
    );
    let disks = runtime.disks().unwrap();
    assert_eq!((disks.images, &*disks.driver), (None, "devicemapper"));
    // It says so, but there is no such directory here.
    assert_eq!(runtime.disks().unwrap().images, None);
    std::fs::remove_dir_all(&root).unwrap();
}

/// Acceptance row 195.
#[test]
fn what_a_container_has_written_is_told_where_the_engine_says_it() {
    let fake = Fake::new(|call| match call {
        "GET /containers/web/json?size=true" => json(200, r#"{"Id":"web","SizeRw":12582912}"#),
        "GET /containers/old/json?size=true" => json(200, r#"{"Id":"old"}"#),
        "GET /containers/odd/json?size=true" => json(200, r#"{"Id":"odd","SizeRw":-1}"#),
        _ => not_found(),
    });
    let mut runtime = runtime(&fake);
    let said = ["web", "old", "odd", "gone"].map(|id| runtime.written_bytes(id));
    assert_eq!(said, [Some(12 << 20), None, None, None]);
}
