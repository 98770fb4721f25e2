//! What is told of memory relief.

use evictd_engine::ports::Collected;
use evictd_engine::{Fields, full_name};
use evictd_evict::memory_relief::Lift;
use evictd_node::pod::Pod;
use evictd_node::{Amount, MemoryStep};

pub(super) fn name(pod: &Pod) -> String {
    full_name(&pod.metadata.namespace, &pod.metadata.name)
}

fn fields(pod: &str) -> Fields {
    Fields::default()
        .with("rung", MemoryStep::Brake.name())
        .with("pod", pod)
}

/// A brake that was set, or would be: the pod gained so many bytes a second, and keeps so
/// many.
pub(super) fn braked(pod: &str, gained: u64, high: u64, dry_run: bool) -> Collected {
    let would = if dry_run {
        "a dry run: it would be so: "
    } else {
        ""
    };
    let (gained, held) = (gained >> 20, high >> 20);
    Collected {
        // In the history is what is over.
        removed: 0,
        text: format!(
            "{would}brake: pod {pod} grows by {gained} MiB/s: memory.high set to the {held} MiB \
             it has"
        ),
        fields: fields(pod).with("state", "set"),
    }
}

pub(super) fn over(lift: &Lift, pod: &str) -> Collected {
    let Lift { why, after, .. } = lift;
    let seconds = after.as_secs();
    Collected {
        removed: 1,
        text: format!("brake of pod {pod} is over after {seconds} s: {why}"),
        fields: fields(pod).with("state", "over").with("seconds", seconds),
    }
}

/// What was given back since this was last told.
pub(super) fn given(bytes: u64) -> Collected {
    let amount = Amount::bytes(bytes);
    let rung = MemoryStep::Reclaim;
    Collected {
        removed: 1,
        text: format!(
            "memory gets short: the kernel gave back {amount} of pods' memory, a little at a time"
        ),
        fields: Fields::default()
            .with("rung", rung.name())
            .with("freedBytes", bytes),
    }
}

/// What a former evictd had left set.
pub(super) fn put_back(count: usize) -> Collected {
    Collected {
        removed: 1,
        text: format!(
            "put back {count} settings of pods that a former evictd had left: nothing stays braked"
        ),
        fields: Fields::default().with("rung", "undo").with("count", count),
    }
}
