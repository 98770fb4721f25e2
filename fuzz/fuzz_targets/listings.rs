//! From a runtime's list to pods: no panic, every container and sandbox is in a pod that
//! is there, and all that is shown is plain.
#![no_main]
// options: -max_len=1048576 -rss_limit_mb=128
// parses: crates/containers/src/pods/assembly.rs

use evictd_containers::cri::{Bytes, parse_container, parse_list, parse_sandbox};
use evictd_containers::docker::parse_containers;
use evictd_containers::{Found, RuntimeListing, assemble};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Ok(listed) = parse_containers(input) {
        check(listed.clone(), false);
        check(listed, true);
    }
    let answer = Bytes::new(input);
    let sandboxes = parse_list(answer, parse_sandbox).ok();
    let containers = parse_list(answer, parse_container).ok();
    let both: Vec<Found> = sandboxes.into_iter().chain(containers).flatten().collect();
    check(both, false);
});

fn check(listed: Vec<Found>, projects: bool) {
    let count = listed.len();
    let RuntimeListing {
        pods,
        sandboxes,
        containers,
        notes,
        ..
    } = assemble(listed, projects);
    assert_eq!(sandboxes.len() + containers.len(), count);
    assert!(
        containers
            .iter()
            .all(|container| container.pod < pods.len())
    );
    assert!(sandboxes.iter().all(|sandbox| sandbox.pod < pods.len()));
    for pod in &pods {
        let name = &pod.pod.metadata;
        for text in [&name.name, &name.namespace, &name.uid] {
            assert!(!text.contains(char::is_control));
        }
    }
    assert!(notes.len() <= 51);
    assert!(!notes.iter().any(|note| note.contains(char::is_control)));
}
