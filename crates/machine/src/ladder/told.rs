//! What is told of the rungs of memory.

use evictd_engine::ports::Collected;
use evictd_engine::{Fields, full_name};
use evictd_evict::ladder::Lift;
use evictd_node::pod::Pod;
use evictd_node::{Amount, MemoryRung};

pub(super) fn name(pod: &Pod) -> String {
    full_name(&pod.metadata.namespace, &pod.metadata.name)
}

fn fields(rung: MemoryRung, pod: &str) -> Fields {
    Fields::default().with("rung", rung.name()).with("pod", pod)
}

/// What was set, or would be.
pub(super) fn set(rung: MemoryRung, pod: &str, text: &str, dry_run: bool) -> Collected {
    let would = if dry_run {
        "a dry run: it would be so: "
    } else {
        ""
    };
    Collected {
        // In the history is what is over.
        removed: 0,
        text: format!("{would}{rung}: pod {pod} {text}"),
        fields: fields(rung, pod).with("state", "set"),
    }
}

pub(super) fn over(lift: &Lift, pod: &str) -> Collected {
    let Lift {
        rung, why, after, ..
    } = lift;
    let seconds = after.as_secs();
    Collected {
        removed: 1,
        text: format!("{rung} of pod {pod} is over after {seconds} s: {why}"),
        fields: fields(*rung, pod)
            .with("state", "over")
            .with("seconds", seconds),
    }
}

pub(super) fn heard(pod: &str, containers: &[String]) -> Collected {
    let list = containers.join(", ");
    Collected {
        removed: containers.len(),
        text: format!("memory gets short: told pod {pod}: {list}"),
        fields: fields(MemoryRung::Tell, pod),
    }
}

/// What was given back since this was last told.
pub(super) fn given(bytes: u64) -> Collected {
    let amount = Amount::bytes(bytes);
    let rung = MemoryRung::Reclaim;
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
            "put back {count} settings of pods that a former evictd had left: nothing stays braked or frozen"
        ),
        fields: Fields::default().with("rung", "undo").with("count", count),
    }
}
