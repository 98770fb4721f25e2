//! Images, layers and the runtime itself.

use super::{BAD, Hundred, bytes, ids, poisons, replaced};
use crate::cri::Writer;
use crate::cri::fake::Reply;
use crate::cri::tests::listing::list;
use crate::{ContainerRuntime, WritableLayer};

/// readers: parse_image -> one_bad_image_of_a_hundred_costs_itself
#[test]
fn one_bad_image_of_a_hundred_costs_itself() {
    let mut hundred = Hundred::new("images");
    let items = hundred.bench.node().images.clone();
    let images = |hundred: &mut Hundred, name: &str| {
        let images = hundred.bench.runtime.images();
        let mut images = images.unwrap_or_else(|error| panic!("{name}: {error}"));
        let of_others: Vec<&str> = ids('i')
            .into_iter()
            .filter(|id| *id != ids('i')[BAD])
            .collect();
        images.retain(|image| of_others.contains(&&*image.id));
        images
    };
    let right = images(&mut hundred, "right");
    assert_eq!(right.len(), 99);
    for (name, poison) in poisons(&bytes(&items[BAD]), 8) {
        hundred.instead("ListImages", replaced(&items, &poison));
        assert!(images(&mut hundred, &name) == right, "{name}");
    }
}

/// A name that cannot be read may be one that is to stay.
#[test]
fn an_image_with_names_that_cannot_be_read_stays() {
    let mut hundred = Hundred::new("names");
    let items = hundred.bench.node().images.clone();
    for (name, poison) in poisons(&bytes(&items[BAD]), 3) {
        if !name.contains("field 2") && !name.contains("field 3") {
            continue;
        }
        hundred.instead("ListImages", replaced(&items, &poison));
        let images = hundred.bench.runtime.images().unwrap();
        let bad = images.iter().find(|image| image.id == ids('i')[BAD]);
        let Some(bad) = bad else {
            let breaks_off = name.contains("a group") || name.contains("cut off within, then");
            assert!(breaks_off, "{name}: its id is there");
            continue;
        };
        let is_said = !list(&mut hundred.bench).notes.is_empty();
        assert_eq!(bad.pinned, is_said, "{name}");
        let is_lost = name.contains("UTF-8") || name.contains("too long");
        assert!(bad.pinned || !is_lost, "{name}");
    }
}

/// readers: parse_layer -> one_bad_measure_of_a_hundred_costs_itself
#[test]
fn one_bad_measure_of_a_hundred_costs_itself() {
    let mut hundred = Hundred::new("stats");
    let stats = |id: &&str| {
        let [mut stats, mut who, mut layer, mut used] = [(); 4].map(|()| Writer::default());
        who.text(1, id);
        used.number(1, 4096);
        layer.message(3, &used);
        stats.message(1, &who).message(4, &layer);
        stats
    };
    let items: Vec<Writer> = hundred.containers.iter().map(stats).collect();
    let listing = list(&mut hundred.bench);
    for (name, poison) in poisons(&bytes(&items[BAD]), 5) {
        hundred.instead("ListContainerStats", replaced(&items, &poison));
        let mut measured = listing.clone();
        let done = hundred.bench.runtime.measure_layers(&mut measured);
        done.unwrap_or_else(|error| panic!("{name}: {error}"));
        let used = WritableLayer::Used {
            bytes: 4096,
            inodes: None,
        };
        let known = measured.containers.iter().filter(|one| one.layer == used);
        assert!(known.count() >= 99, "{name}");
    }
}

/// Where an answer is about one thing, a bad field of it costs that field.
///
/// readers: parse_disks, parse_version -> a_bad_field_about_the_runtime_costs_that_field
#[test]
fn a_bad_field_about_the_runtime_costs_that_field() {
    let mut hundred = Hundred::new("about");
    let mut version = Writer::default();
    version
        .text(1, "0.1.0")
        .text(3, "1.6")
        .text(2, "containerd");
    for (name, poison) in poisons(&bytes(&version), 4) {
        hundred.instead("Version", Reply::Message(poison));
        let said = hundred.bench.runtime.version();
        let said = said.unwrap_or_else(|error| panic!("{name}: {error}"));
        let breaks_off = ["field 3", "a group", "cut off", "nothing"];
        if !breaks_off.iter().any(|it| name.contains(it)) {
            assert!(said.ends_with("1.6"), "{name}: {said}");
        }
    }
    let usage = |path: &str| {
        let (mut usage, mut mount) = (Writer::default(), Writer::default());
        mount.text(1, path);
        usage.number(1, 1).message(2, &mount);
        usage
    };
    for (name, poison) in poisons(&bytes(&usage("/bad")), 4) {
        let mut info = Writer::default();
        info.bytes(2, &poison);
        for _ in 0..99 {
            info.message(1, &usage("/var/lib/overlay-images"));
        }
        hundred.instead("ImageFsInfo", Reply::Message(info.into_bytes()));
        let disks = hundred.bench.runtime.disks();
        let disks = disks.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(disks.driver, "overlay", "{name}");
    }
}

/// The configuration and what is told of a sandbox say which image stays.
#[test]
fn a_bad_word_about_the_sandboxes_image_costs_itself() {
    let mut hundred = Hundred::new("config");
    let mut right = Writer::default();
    right.pair(
        2,
        "config",
        &format!("{{\"sandboxImage\":\"{}\"}}", ids('i')[7]),
    );
    for method in ["Status", "PodSandboxStatus"] {
        for (name, poison) in poisons(&bytes(&right), 3) {
            hundred.instead(method, Reply::Message(poison));
            let images = hundred.bench.runtime.images();
            let images = images.unwrap_or_else(|error| panic!("{method}: {name}: {error}"));
            assert_eq!(images.len(), 100, "{method}: {name}");
        }
    }
}
