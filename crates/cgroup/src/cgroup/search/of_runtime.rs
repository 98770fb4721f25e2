use alloc::sync::Arc;
use std::path::Path;

use crate::cgroup::store::Candidate;
use crate::{Origin, RuntimePod};

/// One of the container runtimes' pods.
pub(in crate::cgroup) fn runtime_pod<'a>(
    candidate: &Candidate,
    runtime: &[&'a [RuntimePod]],
) -> Option<&'a RuntimePod> {
    let mut index = candidate.runtime?;
    for pods in runtime {
        if let Some(pod) = pods.get(index) {
            return Some(pod);
        }
        index = index.saturating_sub(pods.len());
    }
    None
}

/// Further cgroups of a candidate, where a runtime's pod has no cgroup of its own.
pub(in crate::cgroup) fn more_cgroups<'a>(
    candidate: &Candidate,
    runtime: &[&'a [RuntimePod]],
) -> &'a [Arc<Path>] {
    if candidate.origin != Origin::Runtime {
        return &[];
    }
    let split = runtime_pod(candidate, runtime).and_then(|of| of.cgroups.split_first());
    split.map_or(&[], |(_, more)| more)
}
