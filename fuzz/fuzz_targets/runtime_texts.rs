//! What leads from a container to its cgroup, its layer, its image and its labels: no
//! panic, and no path that leads elsewhere.
#![no_main]
// parses: crates/containers/src/pods/cgroup/mod.rs#find_cgroup
// parses: crates/containers/src/pods/layer/overlays/mod.rs
// parses: crates/containers/src/cri/sandbox_image.rs#find_id
// parses: crates/node/src/image_name.rs
// parses: crates/containers/src/docker/images.rs#parse_image_labels

use std::path::Component;

use evictd_containers::cri::{Reader, find_id, parse_image, parse_list};
use evictd_containers::docker::{parse_image_labels, parse_images};
use evictd_containers::{Items, ListedImage, find_cgroup, find_layer};
use evictd_node::ImageName;
use libfuzzer_sys::fuzz_target;

fn over_cri(mut answer: &[u8]) -> Vec<ListedImage> {
    let (mut items, length) = (Items::default(), answer.len());
    let mut reader = Reader::new(&mut answer, length);
    let _ = parse_list(&mut reader, parse_image, &mut |image, part| {
        items.take(image, part)
    });
    items.finish().items
}

fuzz_target!(|input: &[u8]| {
    // The first line is the id that is looked for.
    let end = input
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(input.len());
    let (id, text) = input.split_at(end);
    let id = core::str::from_utf8(id).unwrap_or_default();
    let text = text.strip_prefix(b"\n").unwrap_or(text);
    if let Some(cgroup) = find_cgroup(text, id) {
        let is_normal = |part| matches!(part, Component::Normal(_));
        assert!(cgroup.components().all(is_normal));
        assert!(id.len() >= 12 && cgroup.as_os_str().len() >= id.len());
    }
    if let Some(layer) = find_layer(text, text, id) {
        assert!(layer.is_absolute());
    }
    let name = ImageName::of(id);
    assert!(name.is_same_as(name) && id.contains(name.last_part()));
    let listed = parse_images(text).ok().map(|listed| listed.items);
    let images = listed.unwrap_or_else(|| over_cri(text));
    for image in &images {
        assert!(find_id(&image.id, &images).is_some());
    }
    let _ = find_id(id, &images);
    if let Ok(labels) = parse_image_labels(text) {
        assert!(labels.len() <= 32);
    }
});
