//! What the kernel makes of the scores.

use super::*;

/// The kernel's sum for a process that uses so many of the 1000 bytes of memory: its
/// share in thousandths and its `oom_score_adj`; the highest sum dies (`oom_badness` in
/// mm/oom_kill.c).
fn badness(pod: &Pod, used: i32) -> i32 {
    used + i32::from(score(pod, "c", false, -997, false))
}

/// Acceptance rows 132 to 134: of processes of one size, the one of the lowest class
/// dies first, and among Burstable ones the one that uses most of its request or beyond.
#[test]
fn the_lowest_class_that_uses_most_of_its_request_dies_first() {
    let mut best_effort = pod(&[0], None);
    best_effort.spec.containers[0].resources.requests.cpu = None;
    let mut guaranteed = pod(&[600], None);
    let resources = &mut guaranteed.spec.containers[0].resources;
    resources.limits = resources.requests.clone();
    let sums = [
        badness(&best_effort, 200),
        badness(&pod(&[100], None), 200),
        badness(&pod(&[300], None), 200),
        badness(&pod(&[600], None), 200),
        badness(&guaranteed, 200),
        badness(&guaranteed, 10),
    ];
    assert!(sums.is_sorted_by(|a, b| a > b), "{sums:?}");
}

/// Row 134 is what is intended, and as far as it goes: who keeps to the request always
/// outlives a BestEffort process, who goes beyond it may not.
#[test]
fn the_sum_protects_within_the_request_only() {
    let mut best_effort = pod(&[0], None);
    best_effort.spec.containers[0].resources.requests.cpu = None;
    let smallest = badness(&best_effort, 1);
    for (request, used, outlives) in [
        (300, 10, true),
        (300, 300, true),
        (997, 997, true),
        (300, 302, false),
    ] {
        let sum = badness(&pod(&[request], None), used);
        assert_eq!(sum < smallest, outlives, "{used} of {request}: {sum}");
    }
}
