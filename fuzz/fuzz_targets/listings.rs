//! From a runtime's list, and the details of containers behind NUL bytes, to pods: no panic,
//! every container and sandbox is in a pod that is there, and all that is shown is plain.
#![no_main]
// options: -max_len=65536
// parses: crates/containers/src/pods/assembly.rs
// parses: crates/containers/src/pods/resources.rs
// parses: crates/containers/src/pods/wishes.rs

use evictd_containers::cri::{Parse, Reader, parse_container, parse_list, parse_sandbox};
use evictd_containers::docker::{parse_containers, parse_details};
use evictd_containers::{Details, Found, Items, RuntimeListing, assemble};
use evictd_fuzz::in_bounded_memory;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut parts = input.split(|byte| *byte == 0);
    let list = parts.next().unwrap_or_default();
    let details = parts.take(8).flat_map(|text| parse_details(text, "a"));
    let details: Vec<Details> = details.collect();
    if let Ok(listed) = in_bounded_memory(|| parse_containers(list)) {
        let listed = listed.items;
        check(listed.clone(), &details, false);
        check(listed, &details, true);
    }
    let mut both = over_cri(input, parse_sandbox);
    both.extend(over_cri(input, parse_container));
    check(both, &details, false);
});

/// What is kept of a list of CRI's.
fn over_cri(mut answer: &[u8], parse: Parse<Found>) -> Vec<Found> {
    let (mut items, length) = (Items::default(), answer.len());
    let mut reader = Reader::new(&mut answer, length);
    let _ = in_bounded_memory(|| {
        parse_list(&mut reader, parse, &mut |item, part| items.take(item, part))
    });
    items.finish().items
}

fn check(listed: Vec<Found>, details: &[Details], projects: bool) {
    let count = listed.len();
    let RuntimeListing {
        pods,
        sandboxes,
        containers,
        notes,
        ..
    } = in_bounded_memory(|| assemble(listed, details, projects));
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
