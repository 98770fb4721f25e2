//! How the presets of kubelets whose answers were not recorded stand to those whose were.

use std::path::Path;

use evictd_node::KubeletVersion::{self, V1_35, V1_37};

use crate::files::{FileResult, run};

fn judged(version: KubeletVersion, vectors: &str) -> Vec<FileResult> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(vectors);
    run(&dir, version.into()).unwrap()
}

/// How many answers of each file are others, the same traces through the engine apart.
fn others(version: KubeletVersion, vectors: &str) -> Vec<String> {
    let results = judged(version, vectors).into_iter();
    let changed =
        results.filter(|result| !result.failures.is_empty() && !result.file.ends_with("(engine)"));
    let count = |result: FileResult| format!("{} {}", result.failures.len(), result.file);
    changed.map(count).collect()
}

/// What changed from 1.32 to 1.36, as the README of the answers of 1.36 lists it, is so in 1.35
/// but for what a kubelet would not start with.
#[test]
fn what_changed_from_1_32_to_1_36_had_in_1_35_but_for_refusals() {
    assert_eq!(
        others(V1_35, "vectors"),
        [
            "1 config_validate.jsonl",
            "169 image_gc.jsonl",
            "1 manager_random_a.jsonl",
            "15 oom_score_adj.jsonl",
            "11 qos.jsonl",
            "18 rank.jsonl",
        ]
    );
    assert_eq!(others(V1_35, "vectors-1.36"), ["16 config_validate.jsonl"]);
}

/// Those answers of 1.36 are marked; beside them a gate is on by default.
#[test]
fn what_changed_from_1_36_to_1_37_is_marked() {
    let results = judged(V1_37, "vectors-1.36");
    let others: Vec<_> = results.iter().flat_map(|result| &result.failures).collect();
    assert!(!others.is_empty());
    for failure in others {
        let is_marked = failure.case.contains("\"changedIn137\":true");
        let needs_gate = failure.case.contains("requires MemoryQoS feature gate");
        assert!(is_marked || needs_gate, "{}", failure.case);
    }
}
