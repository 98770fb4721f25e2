//! Settings by several files (decision D52).

use super::file::{HEADER, thresholds};
use super::*;

/// The settings by several files, each with these lines below the header.
fn by_files(lines: &[(&'static str, &str)]) -> Result<Resolved, Box<ConfigError>> {
    let mut typed = Typed::default();
    let whole = |(name, lines): &(&'static str, &str)| (*name, format!("{HEADER}{lines}"));
    let files: Vec<(&str, String)> = lines.iter().map(whole).collect();
    typed.add_files(files.iter().map(|(name, text)| (*name, text.as_bytes())))?;
    resolve(&typed)
}

/// Decision D52: mappings are merged, lists replaced, null takes away.
#[test]
fn dropped_in_files_change_those_before() {
    let base = "evictionHard: {memory.available: 1Gi, pid.available: 5%}\n\
                evictionMaxPodGracePeriod: 60\nenforceNodeAllocatable: [pods]\n\
                imageGCHighThresholdPercent: 90\nlogging: {verbosity: 2}\n";
    let resolved = by_files(&[
        ("a", base),
        (
            "b",
            "evictionHard: {memory.available: 2Gi}\nlogging: {format: json}\n",
        ),
        (
            "c",
            "imageGCHighThresholdPercent: null\nenforceNodeAllocatable: [none]\n",
        ),
        (
            "d",
            "evictionHard: {pid.available: null, nodefs.available: 1%}\n",
        ),
    ])
    .unwrap();
    assert_eq!(
        thresholds(&resolved),
        [
            "memory.available<2Gi File(\"evictionHard\")",
            "nodefs.available<1% File(\"evictionHard\")",
        ]
    );
    assert_eq!(resolved.evict.max_pod_grace_seconds, 60);
    assert_eq!(resolved.gc.images.policy.high_percent, 85);
    assert_eq!(resolved.output.verbosity, 2);
    assert!(!resolved.node_allocatable.enforce_pods);
}

/// K: the first file has got the default thresholds by the time the others come.
#[test]
fn dropped_in_thresholds_keep_the_defaults() {
    let later = ("b", "evictionHard: {memory.available: 2Gi}\n");
    let merged = by_files(&[("a", "evictionSoft: {}\n"), later]).unwrap();
    assert_eq!(thresholds(&merged).len(), 6);
    assert_eq!(merged.warnings, []);
    let alone = by_files(&[later]).unwrap();
    assert_eq!(thresholds(&alone).len(), 1);
    assert_eq!(
        alone.warnings[0].to_string(),
        "evictionHard replaces all defaults; no longer watched: nodefs.available<10%, \
         nodefs.inodesFree<5%, imagefs.available<15%, imagefs.inodesFree<5%, memory.stall>40% \
         (list them too, or add --merge-default-eviction-settings)"
    );
    assert_eq!(thresholds(&by_files(&[]).unwrap()).len(), 6);
}

#[test]
fn errors_name_the_file_that_says_so() {
    for (files, expected) in [
        (
            [
                ("a", "evictionHard: {memory.available: 1%}\n"),
                ("b", "maxPods: 1\nmaxPosd: 1\n"),
            ],
            "b: line 4: maxPosd: unknown field",
        ),
        (
            [
                ("a", "evictionHard: {memory.available: 1%}\n"),
                ("b", "maxPods: 1\n"),
            ],
            "",
        ),
        (
            [
                ("a", "\n\nevictionHard: {memory.available: 101%}\n"),
                ("b", "evictionHard: {nodefs.available: 1%}\n"),
            ],
            "a: line 5: evictionHard[memory.available]: ",
        ),
        (
            [
                ("a", "evictionHard: {memory.available: 1%}\n"),
                ("b", "\nevictionHard: {memory.available: 101%}\n"),
            ],
            "b: line 4: evictionHard[memory.available]: ",
        ),
    ] {
        let message = by_files(&files).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(message.starts_with(expected), "{message}");
        assert_eq!(message.is_empty(), expected.is_empty(), "{message}");
    }
}
