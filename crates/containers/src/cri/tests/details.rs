//! Images and layers of what is listed, and long lists.

use super::listing::list;
use super::{Bench, DB, EXITED, IMAGE, Node, RUNNING, WEB, container, image, sandbox, status};
use crate::cri::Writer;
use crate::cri::fake::Reply;
use crate::{ContainerRuntime, WritableLayer};

#[test]
fn images_of_containers() {
    let hex = IMAGE.strip_prefix("sha256:").unwrap();
    let named = |field: u32, text: &str| {
        let mut container = Writer::default();
        container.text(1, "c").number(6, EXITED).text(field, text);
        container
    };
    let mut digest = image(IMAGE, &["a:1"]);
    digest.text(3, "a@sha256:9");
    let mut spec = Writer::default();
    spec.text(1, "a:1");
    let mut by_name = Writer::default();
    by_name.text(1, "c").number(6, EXITED).message(4, &spec);
    let cases = [
        ("image_id", named(10, IMAGE), IMAGE, false),
        ("image_ref", named(5, IMAGE), IMAGE, false),
        ("digest", named(5, "a@sha256:9"), IMAGE, true),
        ("bare", named(5, hex), IMAGE, true),
        ("name", by_name, IMAGE, true),
        ("gone", named(5, "b@sha256:8"), "b@sha256:8", true),
        ("nothing", named(9, ""), "", true),
    ];
    for (name, container, expected, asks) in cases {
        let mut bench = Bench::new(
            &format!("image-{name}"),
            Node {
                containers: vec![container],
                images: vec![digest.clone()],
                statuses: vec![("c", status(EXITED, 0))],
                ..Node::default()
            },
        );
        assert_eq!(
            list(&mut bench).containers[0].image.as_ref(),
            expected,
            "{name}"
        );
        let calls = bench.fake.take_calls();
        assert_eq!(calls.contains(&"ListImages".to_owned()), asks, "{name}");
        list(&mut bench);
        assert_eq!(bench.fake.take_calls().len(), 2, "{name}: known by then");
    }
}

/// A container that mounts images: mounts without one stand between them.
fn mounting(state: u64, images: &[&str]) -> Reply {
    let (mut response, mut status) = (Writer::default(), Writer::default());
    status.number(3, state);
    for image in images {
        let (mut bind, mut volume, mut spec) =
            (Writer::default(), Writer::default(), Writer::default());
        bind.text(1, "/etc/hosts").text(2, "/run/hosts");
        spec.text(1, image);
        volume.text(1, "/models").number(3, 1).message(9, &spec);
        status.message(14, &bind).message(14, &volume);
    }
    response.message(1, &status);
    Reply::Message(response.into_bytes())
}

/// Acceptance row 266: as the kubelet tells them, by their ids, and as others may.
#[test]
fn images_that_are_mounted_are_told_by_their_ids() {
    let mut found = Writer::default();
    found.message(1, &image(IMAGE, &[]));
    let found = Reply::Message(found.into_bytes());
    let none = Reply::Message(Vec::new());
    let cases = [
        ("ids", vec![IMAGE], None, vec![IMAGE]),
        ("none", vec![], None, vec![]),
        ("empty", vec![""], None, vec![]),
        ("name", vec!["model:1"], Some(found), vec![IMAGE]),
        (
            "unknown",
            vec![IMAGE, "b:2"],
            Some(none),
            vec![IMAGE, "b:2"],
        ),
        (
            "refused",
            vec!["b:3"],
            Some(Reply::Status(3, "no name")),
            vec!["b:3"],
        ),
    ];
    for (name, mounted, asked, expected) in cases {
        let asks = asked.is_some();
        let mut bench = Bench::new(
            &format!("mounted-{name}"),
            Node {
                containers: vec![container(WEB, "s", EXITED)],
                statuses: vec![(WEB, mounting(EXITED, &mounted))],
                instead: asked
                    .map(|reply| ("ImageStatus", reply))
                    .into_iter()
                    .collect(),
                ..Node::default()
            },
        );
        let listing = list(&mut bench);
        let told = listing.containers[0].image_volumes.iter();
        assert_eq!(
            told.map(AsRef::as_ref).collect::<Vec<&str>>(),
            expected,
            "{name}"
        );
        let calls = bench.fake.take_calls();
        assert_eq!(calls.contains(&"ImageStatus".to_owned()), asks, "{name}");
        assert_eq!(list(&mut bench).containers, listing.containers, "{name}");
        assert_eq!(bench.fake.take_calls().len(), 2, "{name}: known by then");
    }
}

/// No more are read than a container may have; the container is known all the same.
#[test]
fn a_container_that_mounts_many_images_is_known_all_the_same() {
    let mounted = vec![IMAGE; 2000];
    let mut bench = Bench::new(
        "mounted-many",
        Node {
            containers: vec![container(WEB, "s", EXITED)],
            statuses: vec![(WEB, mounting(EXITED, &mounted))],
            ..Node::default()
        },
    );
    let listing = list(&mut bench);
    assert_eq!(listing.containers[0].image_volumes.len(), 128);
    assert_eq!(listing.notes, [""; 0]);
}

#[test]
fn layers() {
    let stats = |id: &str, bytes: u64| {
        let (mut stats, mut who, mut layer, mut used) = (
            Writer::default(),
            Writer::default(),
            Writer::default(),
            Writer::default(),
        );
        who.text(1, id);
        used.number(1, bytes);
        layer.message(3, &used);
        stats.message(1, &who).message(4, &layer);
        stats
    };
    let mut bench = Bench::new(
        "layers",
        Node {
            containers: vec![container(WEB, "s", EXITED), container(DB, "s", EXITED)],
            statuses: vec![(WEB, status(EXITED, 0)), (DB, status(EXITED, 0))],
            stats: vec![stats("other", 1), stats(DB, 4096)],
            ..Node::default()
        },
    );
    let mut listing = list(&mut bench);
    bench.runtime.measure_layers(&mut listing).unwrap();
    let used = WritableLayer::Used {
        bytes: 4096,
        inodes: None,
    };
    let layers: Vec<_> = listing
        .containers
        .iter()
        .map(|one| one.layer.clone())
        .collect();
    assert_eq!(layers, [WritableLayer::Unknown, used]);
}

#[test]
fn four_thousand_containers() {
    let ids: Vec<&'static str> = (0..4_000)
        .map(|index| &*format!("{index:064}").leak())
        .collect();
    let mut bench = Bench::new(
        "thousands",
        Node {
            sandboxes: ids[..100].iter().map(|id| sandbox(id, id, 1)).collect(),
            containers: ids
                .iter()
                .map(|id| container(id, ids[7], RUNNING))
                .collect(),
            instead: vec![("ContainerStatus", status(EXITED, 0))],
            ..Node::default()
        },
    );
    for _ in 0..2 {
        let listing = list(&mut bench);
        assert_eq!((listing.pods.len(), listing.containers.len()), (100, 4_000));
        assert!(listing.containers.iter().all(|one| one.pod == 7));
    }
}
