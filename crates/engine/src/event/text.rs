use core::fmt::{self, Formatter};
use core::time::Duration;

use evictd_cgroup::KillReport;
use evictd_condition::NodeCondition;
use evictd_node::{Condition, ConditionSet, Reading, Readings, Signal};
use evictd_threshold::Threshold;

use super::{Decision, Event, Victim};
use crate::amount::Amount;
use crate::ports::Disk;

impl fmt::Display for Victim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&full_name(&self.namespace, &self.name))
    }
}

/// A pod's name with its namespace, where it has one: `NAMESPACE/NAME`.
#[must_use]
pub fn full_name(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThresholdMet {
                threshold,
                reading,
                disk,
            } => met(f, threshold, *reading, *disk),
            Self::ThresholdCleared { signal, reading } => {
                numbers(f, *signal, *reading)?;
                f.write_str(", no threshold of it is met any more")
            }
            Self::Condition { condition, holds } => changed(f, *condition, *holds),
            Self::Layout(layout) => write!(f, "filesystem layout: {layout}"),
            Self::Reclaiming { resource, calls } => {
                write!(f, "attempting to reclaim {resource} from the node:")?;
                calls.iter().try_for_each(|call| write!(f, " {call}"))
            }
            Self::Reclaimed(collected) => f.write_str(&collected.text),
            Self::NothingReclaimed => f.write_str("dead pods left nothing to delete"),
            Self::Evicting(decision) => evicting(f, decision),
            Self::NotBegun { victim, error } => {
                write!(
                    f,
                    "pod {victim} cannot be killed: {error}; taking the next one"
                )
            }
            Self::GraceCut(victim) => write!(
                f,
                "a hard threshold is met: pod {victim} is killed before its grace ends"
            ),
            Self::RuntimeSilent(victim) => write!(
                f,
                "pod {victim}: its container runtime does not answer: its processes are ended \
                 through its cgroup"
            ),
            Self::Killed { victim, report } => killed(f, victim, report),
            Self::Stuck { victim, report } => stuck(f, victim, report),
            Self::NoCandidate { signal, pods: 0 } => {
                write!(f, "{signal} is short and there is no pod to evict")
            }
            Self::NoCandidate { signal, pods } => {
                write!(
                    f,
                    "{signal} is short and none of the {pods} pods may be evicted"
                )
            }
            Self::Observed { signal, observed } => {
                let now = if *observed {
                    "can be observed again"
                } else {
                    "has a threshold but cannot be observed here"
                };
                write!(f, "{signal} {now}")
            }
            Self::Runtime { version, endpoint } => write!(f, "{version} answers at {endpoint}"),
            Self::Problem { about: _, text } => f.write_str(text),
            Self::Recovered => f.write_str("everything can be read again"),
        }
    }
}

/// Conditions and readings in one line: `MemoryPressure=True …, memory.available 83Mi`.
#[must_use]
pub fn summary(conditions: ConditionSet, readings: &Readings) -> String {
    let status = |c: Condition| format!("{c}={}", if conditions.has(c) { "True" } else { "False" });
    let status = Condition::ALL.map(status).join(" ");
    let shown = |signal: Signal| {
        let available = readings.get(signal)?.available;
        Some(format!("{signal} {}", Amount::of(signal, available)))
    };
    let all: Vec<String> = Signal::ALL.into_iter().filter_map(shown).collect();
    format!("{status}, {}", all.join(", "))
}

/// `memory.available is 83Mi of 512Mi`.
fn numbers(f: &mut Formatter<'_>, signal: Signal, reading: Option<Reading>) -> fmt::Result {
    let Some(reading) = reading else {
        return write!(f, "{signal} is not observed");
    };
    let [available, capacity] =
        [reading.available, reading.capacity].map(|value| Amount::of(signal, value));
    write!(f, "{signal} is {available} of {capacity}")
}

fn kind(threshold: &Threshold) -> &'static str {
    if threshold.is_hard() { "hard" } else { "soft" }
}

/// ` on device 254:1`, for the signals of a filesystem.
fn place(f: &mut Formatter<'_>, disk: Option<Disk>) -> fmt::Result {
    let Some(disk) = disk else {
        return Ok(());
    };
    let stale = if disk.stale {
        ", which does not answer"
    } else {
        ""
    };
    write!(f, " on device {disk}{stale}")
}

fn met(
    f: &mut Formatter<'_>,
    threshold: &Threshold,
    reading: Option<Reading>,
    disk: Option<Disk>,
) -> fmt::Result {
    numbers(f, threshold.signal, reading)?;
    write!(f, ", below the {} threshold {threshold}", kind(threshold))?;
    if !threshold.is_hard() {
        write!(f, " (acts after {})", threshold.grace)?;
    }
    place(f, disk)
}

fn evicting(f: &mut Formatter<'_>, decision: &Decision) -> fmt::Result {
    let victim = &decision.victim;
    let verb = if decision.dry_run {
        "would evict"
    } else {
        "evicting"
    };
    let (uid, grace) = (&victim.uid, victim.grace_seconds);
    write!(f, "{verb} pod {victim} (uid {uid}, grace {grace} s): ")?;
    if let Some(threshold) = &decision.threshold {
        numbers(f, threshold.signal, decision.reading)?;
        write!(f, ", {} threshold {threshold}", kind(threshold))?;
        place(f, decision.disk)?;
        write!(f, "; the pod {}", decision.record.reason)?;
        if decision.passed_over > 0 {
            let before = decision.passed_over;
            write!(f, "; {before} before it passed over as protected")?;
        }
    } else {
        f.write_str("it is above one of its own local storage limits")?;
    }
    write!(f, "; message: {}", decision.record.message.trim_end())
}

fn changed(f: &mut Formatter<'_>, condition: Condition, holds: bool) -> fmt::Result {
    let mut status = NodeCondition::unknown(condition);
    status.update((), holds);
    let to = status.status.name();
    write!(f, "condition {condition} is {to} ({})", status.reason)
}

fn killed(f: &mut Formatter<'_>, victim: &Victim, report: &KillReport) -> fmt::Result {
    let took = report
        .ended
        .map_or(Duration::ZERO, |ended| ended.since(report.started));
    write!(f, "pod {victim} is gone after {} ms", took.as_millis())?;
    match report.method {
        Some(method) => write!(f, ", {} processes killed by {method}", report.processes),
        None => f.write_str(", its processes ended by themselves"),
    }
}

fn stuck(f: &mut Formatter<'_>, victim: &Victim, report: &KillReport) -> fmt::Result {
    write!(f, "pod {victim} cannot be killed")?;
    if let Some(problem) = &report.problem {
        write!(f, ": {problem}")?;
    }
    for (index, remaining) in report.remaining.iter().enumerate() {
        let before = if index == 0 { "; left:" } else { "," };
        let state = remaining.state.unwrap_or('?');
        let pid = remaining.pid.as_raw_nonzero();
        write!(f, "{before} pid {pid} in state {state}")?;
    }
    f.write_str("; taking the next one")
}
