//! JSON of the Docker Engine API: no panic; a list is whole or an error of one line
//! without control characters; everything listed has an id.
#![no_main]
// options: -max_len=1048576 -rss_limit_mb=128
// parses: crates/containers/src/docker/parse.rs
// parses: crates/containers/src/docker/few.rs
// parses: crates/containers/src/docker/podman.rs

use evictd_containers::Failure;
use evictd_containers::docker::{
    parse_containers, parse_details, parse_images, parse_info, parse_pods, parse_version,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Some(containers) = checked(parse_containers(text)) {
        assert!(
            containers
                .iter()
                .all(|found| !found.container.id.is_empty())
        );
        // Less of it is none of it, but for blanks at the end.
        let shorter = text.trim_ascii_end();
        let cut = shorter.len().saturating_sub(1);
        assert!(parse_containers(&shorter[..cut]).is_err());
    }
    if let Some(images) = checked(parse_images(text)) {
        assert!(images.iter().all(|image| !image.id.is_empty()));
        let mut names = images.iter().flat_map(|image| &image.tags);
        assert!(names.all(|name| !name.starts_with("<none>")));
    }
    if let Some(detail) = checked(parse_details(text)) {
        assert!(detail.finished_nanos.is_none_or(|nanos| nanos > 0));
    }
    if let Some(version) = checked(parse_version(text)) {
        assert!(!version.version.is_empty());
    }
    checked(parse_info(text));
    if let Some(pods) = checked(parse_pods(text)) {
        assert!(pods.iter().all(|pod| !pod.id.is_empty()));
    }
});

fn checked<T>(parsed: Result<T, Failure>) -> Option<T> {
    parsed
        .map_err(|failure| {
            let said = failure.to_string();
            assert!(!said.is_empty() && !said.contains(char::is_control));
            // Ten for each character that is escaped.
            assert!(said.len() < 4000);
        })
        .ok()
}
