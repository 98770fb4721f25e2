//! JSON of the Docker Engine API: no panic; a list has an end or is an error of one line
//! without control characters; everything listed has an id; no answer takes much memory.
#![no_main]
// options: -max_len=262144
// parses: crates/containers/src/docker/about.rs
// parses: crates/containers/src/docker/answer.rs
// parses: crates/containers/src/docker/cache_usage.rs
// parses: crates/containers/src/docker/details.rs
// parses: crates/containers/src/docker/images.rs
// parses: crates/containers/src/docker/listed.rs
// parses: crates/containers/src/docker/log_config.rs
// parses: crates/containers/src/docker/message.rs
// parses: crates/containers/src/docker/mounts.rs
// parses: crates/containers/src/docker/podman.rs
// parses: crates/containers/src/docker/volumes.rs
// parses: crates/containers/src/text.rs

use evictd_containers::Failure;
use evictd_containers::docker::{
    parse_containers, parse_details, parse_image, parse_image_labels, parse_images, parse_info,
    parse_message, parse_pods, parse_pruned, parse_size, parse_usage, parse_uses, parse_version,
    parse_volumes,
};
use evictd_fuzz::in_bounded_memory;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Some(containers) = checked(|| parse_containers(text)) {
        plain(&containers.notes);
        assert!(
            containers
                .items
                .iter()
                .all(|found| !found.container.id.is_empty())
        );
        // Less of it is none of it, but for blanks at the end.
        let shorter = text.trim_ascii_end();
        let cut = shorter.len().saturating_sub(1);
        assert!(parse_containers(&shorter[..cut]).is_err());
    }
    if let Some(user) = checked(|| parse_uses(text, "b")).flatten() {
        assert!(!user.is_empty());
    }
    if let Some(images) = checked(|| parse_images(text)) {
        plain(&images.notes);
        let images = images.items;
        assert!(images.iter().all(|image| !image.id.is_empty()));
        let mut names = images.iter().flat_map(|image| &image.tags);
        assert!(names.all(|name| !name.starts_with("<none>")));
    }
    if let Some(detail) = checked(|| parse_details(text, "a")) {
        plain(detail.fault.as_deref());
        assert!(detail.finished_nanos.is_none_or(|nanos| nanos > 0));
    }
    if let Some(volumes) = checked(|| parse_volumes(text)) {
        plain(&volumes.notes);
        let mut anonymous = volumes.items.iter().filter(|volume| volume.is_anonymous);
        assert!(anonymous.all(|volume| volume.name.len() == 64));
    }
    if let Some(version) = checked(|| parse_version(text)) {
        assert!(!version.version.is_empty());
        assert!(version.names("") || !version.names("podman"));
        let (major, minor) = version.api();
        assert!((major, minor) == (0, 0) || text.contains(&b'.') || text.contains(&b'\\'));
    }
    if let Some(info) = checked(|| parse_info(text)) {
        let words = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
        assert!(!info.is_in_containerd() || words(b"containerd") || words(b"\\u"));
    }
    if let Some(image) = checked(|| parse_image(text)) {
        assert!(!image.id.is_empty());
        assert!(!image.digests.iter().any(|name| name.starts_with("<none>")));
    }
    if let Some(labels) = checked(|| parse_image_labels(text)) {
        assert!(labels.len() <= 32);
    }
    if let Some(cache) = checked(|| parse_usage(text)) {
        assert!(cache.unused <= cache.total);
    }
    checked(|| parse_pruned(text));
    checked(|| parse_size(text));
    let message = parse_message(text);
    assert!(message.len() < 4000 && !message.contains(char::is_control));
    checked(|| {
        parse_pods(text, |pod| {
            assert!(!pod.id.is_empty() && !pod.members.iter().any(String::is_empty));
        })
    });
});

/// Each is one line, whatever it tells of.
fn plain<T: AsRef<str>>(notes: impl IntoIterator<Item = T>) {
    for note in notes {
        let note = note.as_ref();
        assert!(!note.is_empty() && note.len() < 4000 && !note.contains(char::is_control));
    }
}

fn checked<T>(parse: impl FnOnce() -> Result<T, Failure>) -> Option<T> {
    in_bounded_memory(parse)
        .map_err(|failure| {
            let said = failure.to_string();
            assert!(!said.is_empty() && !said.contains(char::is_control));
            // Ten for each character that is escaped.
            assert!(said.len() < 4000);
        })
        .ok()
}
