use core::time::Duration;
use std::path::Path;

use super::lists::{entry, names};
use super::{id, not_found, runtime, version};
use crate::docker::fake::{Fake, Reply, json};
use crate::docker::labels::{follow_kubepods, leave_kubepods, pod_of_kubepods};
use crate::pods::{Found, POD_NAME, POD_UID};
use crate::{ContainerRuntime, DockerRuntime, RuntimeListing};

/// An engine with these containers, and what it answers about their image.
fn engine(entries: &[String], image: (u16, &'static str)) -> Fake {
    let list = format!("[{}]", entries.join(","));
    Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        "GET /images/sha256%3A3e/json" | "GET /images/sha256:3e/json" => json(image.0, image.1),
        call if call.ends_with("/json") => json(200, r#"{"Id":"x"}"#),
        _ => not_found(),
    })
}

fn priorities(listing: &RuntimeListing) -> Vec<Option<i32>> {
    let pods = listing.pods.iter();
    pods.map(|pod| pod.pod.spec.priority).collect()
}

const IMAGE: &str = r#"{"Id":"sha256:3e","Config":{"Labels":{
    "evictd.protect":"true","evictd.priority":"7","io.kubernetes.pod.uid":"of-image",
    "annotation.evictd.priority":"8","com.docker.compose.project":"of-image","maintainer":"x"}}}"#;

/// Acceptance row 169.
#[test]
fn a_label_that_the_image_carries_counts_for_nothing() {
    let inherited = r#""evictd.protect":"true","evictd.priority":"7","io.kubernetes.pod.uid":"of-image",
        "annotation.evictd.priority":"8","com.docker.compose.project":"of-image""#;
    let own = r#""evictd.priority":"9","evictd.protect":"true""#;
    let entries = [
        entry('0', "hog", "running", inherited),
        entry('1', "two", "running", inherited),
        entry('2', "own", "running", own),
    ];
    let fake = engine(&entries, (200, IMAGE));
    let mut runtime = runtime(&fake);
    let listing = runtime.list().unwrap();
    // Two pods and not one project, and no priority but the one that the operator set.
    let expected = ["hog", "two", "own"].map(|name| format!("docker/{name}"));
    let names = names(&listing);
    assert!(
        names
            .iter()
            .zip(&expected)
            .all(|(name, of)| name.starts_with(of)),
        "{names:?}"
    );
    assert_eq!(priorities(&listing), [None, None, Some(9)]);
    assert!(!listing.pods.iter().any(|pod| pod.is_replaced));
    assert_eq!(
        listing.notes[0],
        "hog: label evictd.priority=7 is ignored: its image carries it; docker run --label sets one"
    );
    // An image is asked for once.
    let asked = |calls: Vec<String>| {
        calls
            .iter()
            .filter(|call| call.contains("/images/"))
            .count()
    };
    assert_eq!(asked(fake.calls()), 1);
    runtime.list().unwrap();
    assert_eq!(asked(fake.calls()), 0);
}

#[test]
fn labels_count_where_the_image_does_not_carry_them() {
    let entries = [entry('0', "db", "running", r#""evictd.protect":"true""#)];
    let told = [
        (200, r#"{"Id":"sha256:3e","Config":{"Labels":null}}"#),
        (200, r#"{"Id":"sha256:3e"}"#),
        (404, r#"{"message":"no such image"}"#),
        (500, r#"{"message":"not now"}"#),
    ];
    for image in told {
        let fake = engine(&entries, image);
        let listing = runtime(&fake).list().unwrap();
        assert_eq!(priorities(&listing), [Some(2_000_000_000)], "{image:?}");
        // Acceptance row 376: as its operator wrote it.
        let by = listing.pods.first().and_then(|of| of.pod.protection());
        assert_eq!(by, Some("evictd.protect=true"));
    }
}

/// One image hangs. The list is there all the same, and the others are known; of what is not,
/// only what cannot harm counts.
#[test]
fn labels_of_images_are_asked_for_within_a_time_limit() {
    let inherited =
        r#""evictd.protect":"true","io.kubernetes.pod.uid":"u-1","com.docker.compose.project":"p""#;
    let of = |digit: char, image: &str| {
        let id = format!("sha256:{image}");
        entry(digit, "web", "running", inherited).replace("sha256:3e", &id)
    };
    let entries = [of('0', "11"), of('1', "22"), of('2', "33")];
    let list = format!("[{}]", entries.join(","));
    let labels = format!(r#"{{"Id":"x","Config":{{"Labels":{{{inherited}}}}}}}"#);
    let fake = Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        "GET /images/sha256:11/json" => Reply::Hang,
        call if call.starts_with("GET /images/") => json(200, &labels),
        call if call.ends_with("/json") => json(200, r#"{"Id":"x"}"#),
        _ => not_found(),
    });
    let mut runtime = runtime(&fake);
    let asked = || {
        let calls = fake.calls().into_iter();
        calls.filter(|call| call.contains("/images/")).count()
    };
    // The one that hangs comes first, and takes but half of the time.
    let first = runtime.list().unwrap();
    assert_eq!(asked(), 3);
    assert_eq!(priorities(&first), [Some(2_000_000_000), None, None]);
    assert!(!first.pods.iter().any(|pod| pod.is_replaced));
    let note = "web: label evictd.protect=true counts, though the engine does not tell whether \
                it is the image's";
    assert_eq!(first.notes[0], note);
    // Then it rests.
    let second = runtime.list().unwrap();
    assert_eq!(asked(), 0);
    assert_eq!(second, first);
    assert_eq!(second.pods.len(), 3);
}

/// Acceptance row 169.
#[test]
fn no_label_takes_a_container_out_of_its_pod_of_kubepods() {
    let cases = [
        ("kubepods/burstable/podu-1/ID", "u-1", "u-1"),
        ("kubepods/burstable/podu-1/ID", "another", "u-1"),
        ("kubepods/podu-1/ID", "", "u-1"),
        (
            "kubepods.slice/kubepods-podu_1.slice/docker-ID.scope",
            "u_1",
            "u_1",
        ),
        (
            "kubepods.slice/kubepods-podu_1.slice/docker-ID.scope",
            "another",
            "u-1",
        ),
        ("docker/ID", "another", "another"),
        ("docker/ID", "", ""),
    ];
    for (cgroup, label, expected) in cases {
        let mut found = Found::default();
        found.labels.insert(POD_UID.into(), label.into());
        follow_kubepods(&mut found, Some(Path::new(cgroup)));
        assert_eq!(
            found.label(POD_UID).unwrap_or_default(),
            expected,
            "{cgroup} {label}"
        );
    }
}

/// Acceptance row 169: the pod would be ended with it, and be as protected as it.
#[test]
fn no_label_makes_a_container_elsewhere_part_of_a_pod_of_kubepods() {
    let there = [
        "kubepods/podu-1/a",
        "kubepods.slice/kubepods-podu_2.slice/b",
    ];
    let pods: Vec<_> = there
        .iter()
        .filter_map(|there| pod_of_kubepods(Path::new(there)))
        .collect();
    assert_eq!(pods.len(), 2);
    let cases = [
        (Some("docker/ID"), "u-1", ""),
        (Some("docker/ID"), "u-2", ""),
        // Of a pod that kubepods does not hold, as without a kubelet.
        (Some("docker/ID"), "u-3", "u-3"),
        (Some("kubepods/podu-1/ID"), "u-1", "u-1"),
        // One that has ended.
        (None, "u-1", "u-1"),
    ];
    for (cgroup, label, expected) in cases {
        let mut found = Found::default();
        found.labels.insert(POD_UID.into(), label.into());
        found.labels.insert(POD_NAME.into(), "name".into());
        leave_kubepods(&mut found, cgroup.map(Path::new), &pods);
        let told = found.label(POD_UID).unwrap_or_default();
        assert_eq!(told, expected, "{cgroup:?} {label}");
        assert_eq!(found.label(POD_NAME).is_some(), !expected.is_empty());
    }
}

/// Acceptance row 169, as an engine lists it.
#[test]
fn of_one_engine_too_each_container_counts_where_it_is() {
    let uid = r#""io.kubernetes.pod.uid":"u-1","io.kubernetes.pod.name":"web""#;
    let claims = format!(r#"{uid},"evictd.protect":"true""#);
    let list = format!(
        "[{},{}]",
        entry('0', "real", "running", uid),
        entry('1', "claims", "running", &claims)
    );
    let fake = Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        call if call.contains(&id('0')) => json(200, r#"{"Id":"x","State":{"Pid":270}}"#),
        call if call.contains(&id('1')) => json(200, r#"{"Id":"x","State":{"Pid":271}}"#),
        _ => not_found(),
    });
    let proc = fake.socket.parent().unwrap().join("proc");
    for (pid, cgroup) in [
        ("270", format!("kubepods/podu-1/{}", id('0'))),
        ("271", format!("docker/{}", id('1'))),
    ] {
        std::fs::create_dir_all(proc.join(pid)).unwrap();
        std::fs::write(proc.join(pid).join("cgroup"), format!("0::/{cgroup}\n")).unwrap();
    }
    let limit = Duration::from_secs(20);
    let listing = DockerRuntime::with(&fake.socket, &proc, limit)
        .list()
        .unwrap();
    let uids: Vec<&str> = listing
        .pods
        .iter()
        .map(|pod| &*pod.pod.metadata.uid)
        .collect();
    assert_eq!(uids, ["u-1", &*id('1')]);
    assert_eq!(priorities(&listing), [None, Some(2_000_000_000)]);
    assert_eq!(listing.pods[0].cgroups.len(), 1);
}
