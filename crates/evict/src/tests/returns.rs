//! Pods that something starts anew after each eviction.

use alloc::string::String;
use alloc::vec;

use super::evidence::{known, round};
use super::*;

const MEMORY: Signal = Signal::MemoryAvailable;

/// A round with so little left; afterwards the pod that was evicted is back, under another
/// uid. Which it was.
fn evicted_and_back(evict: &mut Evict, at: u64, pods: &mut Vec<(Pod, Option<PodUsage>)>) -> String {
    let before = pods.clone();
    let name = round(evict, at, (MEMORY, 60), pods).unwrap();
    *pods = before;
    for (pod, _) in pods.iter_mut().filter(|(pod, _)| pod.metadata.name == name) {
        pod.metadata.uid = alloc::format!("{name}-{at}");
    }
    // There is enough for a while, so that the next crossing is another one.
    assert_eq!(round(evict, at + 5, (MEMORY, 500), pods), Err(None));
    name
}

fn names(evict: &mut Evict, times: &[u64], pods: &mut Vec<(Pod, Option<PodUsage>)>) -> Vec<String> {
    let of = |at: &u64| evicted_and_back(evict, *at, pods);
    times.iter().map(of).collect()
}

/// Acceptance row 247.
#[test]
fn what_comes_back_each_time_is_evicted_each_time_and_no_other_in_its_place() {
    let mut pods = vec![
        known("hog", 0, Some(400)),
        known("modest", 300, Some(200)),
        known("small", 0, Some(20)),
        known("other", 10, Some(90)),
        known("unknown", 0, None),
    ];
    let mut evict = hard("memory.available<100Mi");
    let of = |evict: &Evict| evict.returns().is_in_loop("", "hog");
    assert_eq!(names(&mut evict, &[0], &mut pods), ["hog"]);
    assert!(!of(&evict));
    let times = [20, 40, 60, 80, 100];
    assert_eq!(names(&mut evict, &times, &mut pods), ["hog"; 5]);
    assert!(of(&evict));
    assert_eq!(evict.returns().loops().count(), 1);
    // Ten minutes and the condition, which is held for five more, and it is like any other.
    assert_eq!(round(&mut evict, 110, (MEMORY, 500), &mut pods), Err(None));
    assert_eq!(round(&mut evict, 698, (MEMORY, 500), &mut pods), Err(None));
    assert!(of(&evict));
    assert_eq!(round(&mut evict, 701, (MEMORY, 500), &mut pods), Err(None));
    assert!(!of(&evict));
}

#[test]
fn a_restart_does_not_forget_it() {
    let mut returns = Returns::default();
    for at in [10, 30] {
        returns.note(seconds(at), "", "hog", Some(MEMORY));
    }
    let mut pods = vec![known("hog", 0, Some(400)), known("other", 0, Some(90))];
    let mut evict = hard("memory.available<100Mi");
    evict.restore_returns(returns);
    assert!(evict.returns().is_in_loop("", "hog"));
    assert_eq!(names(&mut evict, &[50, 70], &mut pods), ["hog", "hog"]);
}

#[test]
fn as_many_as_are_evicted_are_remembered_and_no_more() {
    let mut returns = Returns::default();
    for pod in 0..1000 {
        for at in [pod, pod + 1] {
            returns.note(seconds(at), "default", &alloc::format!("pod-{pod}"), None);
        }
    }
    assert_eq!(returns.loops().count(), 64);
    assert!(returns.is_in_loop("default", "pod-999"));
    assert!(!returns.is_in_loop("default", "pod-0"));
    returns.note(seconds(0), "default", "", None);
    returns.note(seconds(0), "default", "", None);
    assert!(!returns.is_in_loop("default", ""));
}
