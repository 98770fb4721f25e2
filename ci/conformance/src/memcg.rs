//! Where the kernel should notify.

use evictd_node::Signal;
use evictd_threshold::{Lists, MemoryUsage, notification_usage, parse};
use serde_json::Value;

use crate::case::{Outcome, flag, integer, same, text};

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    let signal = text(case, "signal");
    let pair = format!("{signal}<{}", text(case, "in"));
    let grace = text(case, "grace");
    let soft_grace_period = format!("{signal}={grace}");
    let lists = if grace.is_empty() {
        Lists {
            hard: &pair,
            ..Lists::default()
        }
    } else {
        Lists {
            soft: &pair,
            soft_grace_period: &soft_grace_period,
            ..Lists::default()
        }
    };
    let threshold = parse(&lists)
        .map_err(|e| e.to_string())?
        .pop()
        .ok_or("no threshold")?;
    let of_pods = threshold.signal == Signal::AllocatableMemoryAvailable;
    let section = if of_pods { "podsMemory" } else { "memory" };
    let usage = notification_usage(&threshold, &memory(case.get(section)));
    same("ok", usage.is_some(), flag(case, "ok"))?;
    same("memcgThreshold", usage, integer(case, "memcgThreshold"))?;
    same(
        "description",
        &*description(threshold.signal, threshold.is_hard()),
        text(case, "description"),
    )
}

fn description(signal: Signal, hard: bool) -> String {
    let kind = if hard { "hard" } else { "soft" };
    let scope = if signal == Signal::AllocatableMemoryAvailable {
        "allocatable "
    } else {
        ""
    };
    format!("{kind} {scope}memory eviction threshold")
}

fn memory(section: Option<&Value>) -> MemoryUsage {
    let number = |key| section.and_then(|section| integer(section, key));
    MemoryUsage {
        available: number("availableBytes"),
        usage: number("usageBytes"),
        working_set: number("workingSetBytes"),
    }
}
