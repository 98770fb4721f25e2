//! Sandboxes, containers and what is asked of one alone.

use super::{BAD, Hundred, bytes, others, poisons, replaced};
use crate::ContainerRuntime;
use crate::cri::Writer;
use crate::cri::fake::Reply;
use crate::cri::tests::listing::list;
use crate::cri::tests::{Bench, IMAGE, Node, RUNNING, container, image, status};

#[test]
fn one_bad_sandbox_or_container_of_a_hundred_costs_itself() {
    for method in ["ListPodSandbox", "ListContainers"] {
        let mut hundred = Hundred::new(method);
        let bad = hundred.containers[BAD];
        let right = others(&list(&mut hundred.bench), bad);
        assert_eq!(right.len(), 99);
        let items = match method {
            "ListPodSandbox" => hundred.bench.node().sandboxes.clone(),
            _ => hundred.bench.node().containers.clone(),
        };
        for (name, poison) in poisons(&bytes(&items[BAD]), 10) {
            hundred.instead(method, replaced(&items, &poison));
            let listing = hundred.bench.runtime.list();
            let listing = listing.unwrap_or_else(|error| panic!("{method}: {name}: {error}"));
            assert!(others(&listing, bad) == right, "{method}: {name}");
            if ["nothing", "field 1: not UTF-8", "field 1: too long"].contains(&&*name) {
                let said = format!("{method}: 1 without a readable id passed over");
                assert!(
                    listing.notes[0].contains(&said),
                    "{name}: {:?}",
                    listing.notes
                );
            }
        }
        assert!(hundred.sandboxes.len() == 100);
    }
}

#[test]
fn one_bad_status_of_a_hundred_costs_itself() {
    let mut hundred = Hundred::new("status");
    let bad = hundred.containers[BAD];
    let right = others(&list(&mut hundred.bench), bad);
    let Reply::Message(good) = status(RUNNING, 60) else {
        panic!("a message");
    };
    // Of the response two fields, and of the status within it all.
    let mut all = Vec::new();
    for (name, poison) in poisons(&good, 2) {
        all.push((name, poison));
    }
    let mut within = Writer::default();
    within.number(3, RUNNING).text(15, "/log");
    for (name, poison) in poisons(&bytes(&within), 17) {
        let mut response = Writer::default();
        response.bytes(1, &poison).pair(2, "info", "{\"pid\":60}");
        all.push((format!("status: {name}"), response.into_bytes()));
    }
    for json in [
        "{\"pid\":-1}",
        "{\"pid\":18446744073709551615}",
        "{\"pid\":",
        "\u{1}",
        "[[[[",
    ] {
        let mut response = Writer::default();
        response.message(1, &within).pair(2, "info", json);
        all.push((format!("info: {json}"), response.into_bytes()));
    }
    for (name, poison) in all {
        // Asked again, as it is another container's state each time.
        for state in [2, RUNNING] {
            hundred.bench.node().containers[BAD] = container(bad, hundred.sandboxes[BAD], state);
            hundred.bench.node().statuses[BAD].1 = Reply::Message(poison.clone());
            let listing = hundred.bench.runtime.list();
            let listing = listing.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(others(&listing, bad) == right, "{name}");
            let known = listing.containers.iter().find(|one| &*one.id == bad);
            assert!(known.is_some(), "{name}: it is in the list all the same");
        }
    }
}

/// A dead mount or a missing plugin: the runtime never answers for one container.
#[test]
fn one_hanging_container_of_a_hundred_costs_itself() {
    let mut hundred = Hundred::new("hanging");
    let bad = hundred.containers[BAD];
    let right = others(&list(&mut hundred.bench), bad);
    let mut hundred = Hundred::new("hanging-anew");
    for reply in [Reply::Nothing, Reply::Bytes(Vec::new())] {
        hundred.bench.node().statuses[BAD].1 = reply;
        let listing = list(&mut hundred.bench);
        assert!(others(&listing, bad) == right);
        let known = listing.containers.iter().find(|one| &*one.id == bad);
        let known = known.expect("it is in the list all the same");
        assert_eq!(&*listing.pods[known.pod].running, [bad.into()]);
        assert_eq!(listing.notes.len(), 1, "{:?}", listing.notes);
        assert!(listing.notes[0].contains(bad) && listing.notes[0].contains("no answer"));
    }
    // Once it answers it is known.
    hundred.bench.node().statuses[BAD].1 = status(RUNNING, u32::try_from(BAD + 10).unwrap());
    let listing = list(&mut hundred.bench);
    assert!(listing.notes.is_empty(), "{:?}", listing.notes);
    let known = listing.containers.iter().find(|one| &*one.id == bad);
    assert!(known.unwrap().cgroup.is_some());
}

/// However many hang, those that do not are asked.
#[test]
fn hanging_containers_are_asked_last() {
    let mut hundred = Hundred::new("hang");
    for at in 0..8 {
        hundred.bench.node().statuses[at].1 = Reply::Nothing;
    }
    let known = |hundred: &mut Hundred| {
        let listing = list(&mut hundred.bench);
        assert_eq!((listing.pods.len(), listing.containers.len()), (100, 100));
        let known = listing.containers.iter().filter(|one| one.cgroup.is_some());
        known.count()
    };
    assert!((0..5).any(|_| known(&mut hundred) == 92));
}

#[test]
fn a_bad_answer_about_an_image_volume_costs_that_volume() {
    let mut poisons = poisons(&bytes(&image(IMAGE, &["a:1"])), 8);
    poisons.push(("hanging".into(), Vec::new()));
    let mut hundred = Hundred::new("volume");
    let bad = hundred.containers[BAD];
    let [mut response, mut told, mut mount, mut spec] = [(); 4].map(|()| Writer::default());
    spec.text(1, "model:1");
    mount.text(1, "/models").number(3, 1).message(9, &spec);
    told.number(3, RUNNING).message(14, &mount);
    response.message(1, &told).pair(2, "info", "{\"pid\":60}");
    hundred.bench.node().statuses[BAD].1 = Reply::Message(response.into_bytes());
    for (name, poison) in poisons {
        let mut answer = Writer::default();
        answer.bytes(1, &poison);
        let answer = match &*name {
            "hanging" => Reply::Nothing,
            _ => Reply::Message(answer.into_bytes()),
        };
        hundred.instead("ImageStatus", answer);
        // In another state it is asked again.
        for state in [2, RUNNING] {
            let sandbox = hundred.sandboxes[BAD];
            hundred.bench.node().containers[BAD] = container(bad, sandbox, state);
            let listing = hundred.bench.runtime.list();
            let listing = listing.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(others(&listing, bad).len(), 99, "{name}");
            let known = listing.containers.iter().find(|one| &*one.id == bad);
            assert!(known.unwrap().cgroup.is_some(), "{name}");
        }
    }
}

/// Acceptance row 196.
#[test]
fn of_what_has_ended_the_oldest_is_kept_and_of_what_runs_all() {
    let mut bench = Bench::new("dead", Node::default());
    let id = |at: u64| &*format!("{at:064}").leak();
    let dead = |at: u64| {
        let mut one = container(id(at), "", 2);
        one.number(7, 1_000_000 - at)
            .text(10, &format!("sha256:{at:064}"));
        one
    };
    let running = id(9_999);
    bench.node().containers = (0..5_000).map(dead).collect();
    bench
        .node()
        .containers
        .push(container(running, "", RUNNING));
    bench.node().instead = vec![("ContainerStatus", status(2, 0))];
    let listing = list(&mut bench);
    assert_eq!(listing.containers.len(), 4_097);
    let is_kept = |at: u64| listing.containers.iter().any(|one| &*one.id == id(at));
    assert!(is_kept(4_999) && is_kept(5_000 - 4_096) && is_kept(9_999));
    assert!(!is_kept(0) && !is_kept(903));
    assert_eq!(
        listing.notes,
        ["at least 900 containers that have ended are left out; the oldest are listed"]
    );
    // Their texts count too.
    for one in &mut bench.node().containers {
        one.pair(9, "evictd.protect", &"x".repeat(900));
    }
    let fewer = list(&mut bench);
    assert!((1_000..3_000).contains(&fewer.containers.len()));
    let is_kept = |at: u64| fewer.containers.iter().any(|one| &*one.id == id(at));
    assert!(is_kept(4_999) && is_kept(9_999) && !is_kept(904));
    // An image that one of them was made from stays.
    let image = |at: u64| format!("sha256:{at:064}");
    let error = bench.runtime.remove_image(&image(3)).unwrap_err();
    assert_eq!(error.code(), Some(9));
    bench.runtime.remove_image(&image(10_000)).unwrap();
}
