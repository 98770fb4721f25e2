//! Sandboxes, containers and what is asked of one alone.

use alloc::collections::BTreeSet;
use std::path::Path;

use evictd_node::{Policy, QosClass};

use super::{BAD, Hundred, bytes, others, poisons, replaced};
use crate::cri::Writer;
use crate::cri::fake::Reply;
use crate::cri::tests::listing::list;
use crate::cri::tests::{Bench, EXITED, IMAGE, Node, RUNNING, container, image, status};
use crate::{ContainerRuntime, RuntimeListing};

/// readers: parse_list, parse_sandbox, parse_container -> one_bad_sandbox_or_container_of_a_hundred_costs_itself
#[test]
fn one_bad_sandbox_or_container_of_a_hundred_costs_itself() {
    for (method, kind) in [
        ("ListPodSandbox", "sandbox"),
        ("ListContainers", "container"),
    ] {
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
                let said = format!("{kind} without a readable id: 1 passed over");
                assert_eq!(listing.notes, [said], "{name}");
            }
        }
        assert!(hundred.sandboxes.len() == 100);
    }
}

/// readers: parse_status -> one_bad_status_of_a_hundred_costs_itself
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
            hundred.bench.runtime.known.end_rests();
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
        let call = "/runtime.v1.RuntimeService/ContainerStatus";
        let note = format!("container {bad}: {call}: no answer in time");
        assert_eq!(listing.notes, [note]);
        // It is known by its cgroup.
        let sandbox = hundred.sandboxes[BAD];
        let cgroup = format!("kubepods/burstable/pod{sandbox}/{bad}");
        assert_eq!(known.cgroup.as_deref(), Some(Path::new(&cgroup)));
        let pod = &listing.pods[known.pod].pod;
        assert_eq!(pod.qos_class(&Policy::default()), QosClass::Burstable);
        assert_eq!(known.log, None);
    }
    // It rests, and is asked again then.
    let _ = hundred.bench.fake.take_calls();
    hundred.bench.node().statuses[BAD].1 = status(RUNNING, u32::try_from(BAD + 10).unwrap());
    list(&mut hundred.bench);
    assert_eq!(
        hundred.bench.fake.take_calls(),
        ["ListPodSandbox", "ListContainers"]
    );
    hundred.bench.runtime.known.end_rests();
    let listing = list(&mut hundred.bench);
    assert!(listing.notes.is_empty(), "{:?}", listing.notes);
    let known = listing.containers.iter().find(|one| &*one.id == bad);
    assert!(known.unwrap().log.is_some());
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
        assert!(listing.containers.iter().all(|one| one.cgroup.is_some()));
        let described = listing.containers.iter().filter(|one| one.log.is_some());
        described.count()
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

/// A container that ended long ago, and longer ago than one of a lower number.
fn dead(at: u64) -> Writer {
    let mut one = container(&format!("{at:064}"), "", EXITED);
    one.number(7, 1_000_000 - at).text(10, &image_of(at));
    one
}

fn image_of(at: u64) -> String {
    format!("sha256:{at:064}")
}

/// Which of them are listed.
fn listed(listing: &RuntimeListing) -> BTreeSet<u64> {
    let ids = listing.containers.iter().map(|one| one.id.parse().unwrap());
    ids.collect()
}

/// Acceptance row 196.
#[test]
fn of_what_has_ended_the_oldest_is_kept_and_of_what_runs_all() {
    let running = container(&format!("{:064}", 9_999), "", RUNNING);
    let mut bench = Bench::new("dead", Node::default());
    bench.node().containers = (0..5_000).map(dead).chain([running]).collect();
    bench.node().instead = vec![("ContainerStatus", status(EXITED, 0))];
    let all = list(&mut bench);
    // As many again, as each is of another image.
    let (first, second) = (5_000 - 1_024, 5_000 - 2_048);
    let expected: BTreeSet<u64> = (second..5_000).chain([9_999]).collect();
    assert_eq!(listed(&all), expected);
    let note = "of the containers that do not run only the oldest are listed, 1024 at most";
    assert!(all.notes.contains(&note.to_owned()), "{:?}", all.notes);
    // Of one image the oldest are.
    for one in &mut bench.node().containers {
        one.text(10, IMAGE);
    }
    let expected: BTreeSet<u64> = (first..5_000).chain([9_999]).collect();
    assert_eq!(listed(&list(&mut bench)), expected);
}

/// However much each of them says, they take bounded memory.
#[test]
fn the_texts_of_dead_containers_are_bounded() {
    let mut bench = Bench::new("dead-texts", Node::default());
    let wordy = |at: u64| {
        let mut one = dead(at);
        for key in ["protect", "priority", "disk-limit", "memory-request"] {
            one.pair(9, &format!("evictd.{key}"), &"x".repeat(1_000));
        }
        if at > 0 {
            one.text(10, IMAGE);
        }
        one
    };
    bench.node().containers = (0..1_000).map(wordy).collect();
    bench.node().instead = vec![("ContainerStatus", status(EXITED, 0))];
    // 2 MiB of them, the oldest, and the one of another image.
    let listed = listed(&list(&mut bench));
    assert!((400..600).contains(&listed.len()), "{}", listed.len());
    assert!((600..1_000).chain([0]).all(|at| listed.contains(&at)));
}

/// CRI removes an image whatever uses it, and not all that does may be listed.
#[test]
fn an_image_that_any_container_was_made_from_stays() {
    let named = "docker.io/library/old:1";
    let mut by_name = Writer::default();
    by_name.text(1, "by-name").number(6, EXITED).text(5, named);
    let mut bench = Bench::new("user", Node::default());
    bench.node().containers = (0..5_000).map(dead).chain([by_name]).collect();
    bench.node().images = vec![
        image(&image_of(7_001), &[named]),
        image(&image_of(7_002), &["docker.io/library/new:1"]),
    ];
    for at in [0, 2_000, 4_999, 7_001] {
        let error = bench.runtime.remove_image(&image_of(at)).unwrap_err();
        assert_eq!(error.code(), Some(9), "{at}");
    }
    bench.runtime.remove_image(&image_of(7_002)).unwrap();
    assert_eq!(bench.acts().len(), 1);
    // Where it is not known what uses it.
    bench.node().instead = vec![("ListContainers", Reply::Status(14, "away"))];
    bench.runtime.remove_image(&image_of(7_002)).unwrap_err();
}
