use core::fmt::{self, Formatter};
use core::time::Duration;

use evictd_condition::NodeCondition;
use evictd_evict::{NoPod, Verdict};
use evictd_node::kill::{KillMethod, KillReport};
use evictd_node::{Amount, Condition, ConditionSet, Reading, Readings, Signal, Unit};
use evictd_threshold::Threshold;

use super::name::{cut, full_name};
use super::{Decision, Event, EvictionLoop, Victim};
use crate::holding::CLOSELY;
use crate::ports::{Holder, Place};

impl fmt::Display for Victim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&cut(&full_name(&self.namespace, &self.name)))
    }
}

impl fmt::Display for EvictionLoop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = cut(&full_name(&self.namespace, &self.name));
        if !self.holds {
            return write!(f, "pod {name} is in no eviction loop any more");
        }
        let (times, seconds) = (self.times, self.within_seconds);
        write!(
            f,
            "EvictionLoop: pod {name} was evicted {times} times in {seconds} s and came back; \
             evictd admit refuses it until it was not evicted for 10 minutes and the pressure \
             is over"
        )
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThresholdMet {
                threshold,
                reading,
                disk,
                ..
            } => met(f, threshold, *reading, disk.as_ref()),
            Self::ThresholdCleared {
                signal, reading, ..
            } => {
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
            Self::Deleting { deleted } => write!(
                f,
                "deleting what dead pods left goes on: {deleted} files and directories are gone \
                 by now; no pod is evicted for a disk before its end"
            ),
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
            Self::CameBack { victim, after } => came_back(f, victim, *after),
            Self::Stuck { victim, report } => stuck(f, victim, report),
            Self::NoCandidate(verdict) => no_candidate(f, verdict),
            Self::Holder(holder) => holds(f, holder),
            Self::Loop(of) => of.fmt(f),
            Self::OomKilled(killed) => killed.fmt(f),
            Self::Observed { signal, observed } => seen(f, *signal, *observed),
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
    match signal.unit() {
        Unit::Percent => write!(f, "{signal} is {available} of the time"),
        Unit::Bytes | Unit::Inodes | Unit::ProcessIds => {
            write!(f, "{signal} is {available} of {capacity}")
        }
    }
}

fn kind(threshold: &Threshold) -> &'static str {
    if threshold.is_hard() { "hard" } else { "soft" }
}

/// ` on /data`, for the signals of a filesystem.
fn place(f: &mut Formatter<'_>, place: Option<&Place>) -> fmt::Result {
    let Some(place) = place else {
        return Ok(());
    };
    let stale = if place.disk.stale {
        ", which does not answer"
    } else {
        ""
    };
    write!(f, " on {}{stale}", cut(&place.to_string()))
}

fn met(
    f: &mut Formatter<'_>,
    threshold: &Threshold,
    reading: Option<Reading>,
    disk: Option<&Place>,
) -> fmt::Result {
    numbers(f, threshold.signal, reading)?;
    place(f, disk)?;
    let kind = kind(threshold);
    let side = if threshold.signal.grows_with_trouble() {
        "above"
    } else {
        "below"
    };
    write!(
        f,
        ", {side} the {kind} threshold {threshold} (--eviction-{kind}"
    )?;
    if !threshold.is_hard() {
        write!(f, ", acts after {}", threshold.grace)?;
    }
    f.write_str(")")
}

/// The decision without what the history tells beside it.
fn evicting(f: &mut Formatter<'_>, decision: &Decision) -> fmt::Result {
    let victim = &decision.victim;
    let verb = if decision.dry_run {
        "would evict"
    } else {
        "evicting"
    };
    write!(f, "{verb} pod {victim}")?;
    if victim.again() {
        let (times, seconds) = (victim.times, victim.within_seconds);
        write!(f, " again, {times} times in {seconds} s")?;
    }
    if victim.grace_seconds != 0 {
        let is_hard = decision.threshold.as_ref().is_some_and(Threshold::is_hard);
        let whose = if is_hard { ", as a kubelet gives" } else { "" };
        write!(f, " (grace {} s{whose})", victim.grace_seconds)?;
    }
    let Some(threshold) = &decision.threshold else {
        let (reason, message) = (&decision.record.reason, decision.record.message.trim_end());
        return write!(f, ": {reason}. {message}");
    };
    f.write_str(": ")?;
    numbers(f, threshold.signal, decision.reading)?;
    place(f, decision.disk.as_ref())?;
    write!(f, ", {} threshold {threshold}", kind(threshold))?;
    write!(f, "; the pod {}", decision.record.reason)?;
    match decision.passed_over {
        0 => {}
        before if decision.dry_run => write!(
            f,
            "; {before} before it: named already, protected, or without any of it"
        )?,
        before => write!(
            f,
            "; {before} before it: protected, without any of it, or not to be killed"
        )?,
    }
    match decision.frees.filter(|_| decision.dry_run) {
        Some(frees) => {
            let amount = match threshold.signal.unit() {
                Unit::Percent => Amount::bytes(frees),
                Unit::Bytes | Unit::Inodes | Unit::ProcessIds => {
                    let frees = i64::try_from(frees).unwrap_or(i64::MAX);
                    Amount::of(threshold.signal, frees)
                }
            };
            write!(f, "; would free {amount}")
        }
        None => Ok(()),
    }
}

fn seen(f: &mut Formatter<'_>, signal: Signal, is_observed: bool) -> fmt::Result {
    if is_observed {
        return write!(f, "{signal} can be observed again");
    }
    write!(f, "{signal} has a threshold but cannot be observed here")?;
    match signal.name().split_once('.') {
        Some((filesystem, _)) if signal.filesystem().is_some() => {
            write!(f, " (--{filesystem}-path)")
        }
        _ if signal == Signal::MemoryStall => f.write_str(
            " (neither /proc/pressure/memory, which needs a kernel with CONFIG_PSI and perhaps \
             psi=1 on its command line, nor what /proc/vmstat counts since Linux 3.15)",
        ),
        _ => Ok(()),
    }
}

fn changed(f: &mut Formatter<'_>, condition: Condition, holds: bool) -> fmt::Result {
    let mut status = NodeCondition::unknown(condition);
    status.update((), holds);
    let to = status.status.name();
    write!(f, "condition {condition} is {to} ({})", status.reason)
}

fn no_candidate(f: &mut Formatter<'_>, verdict: &Verdict) -> fmt::Result {
    let signal = verdict.signal;
    let Some(why) = verdict.why_none() else {
        return Ok(());
    };
    match verdict.next {
        Err(NoPod::Rehearsed | NoPod::RehearsedMost) => {
            write!(f, "{signal} would still be short, and {why}")
        }
        _ => write!(f, "{signal} is short and no pod is evicted: {why}"),
    }
}

fn holds(f: &mut Formatter<'_>, Holder { name, bytes }: &Holder) -> fmt::Result {
    let bytes = Amount::bytes(*bytes);
    write!(
        f,
        "{name} holds {bytes} of memory, the most of all that cannot be evicted"
    )
}

fn came_back(f: &mut Formatter<'_>, victim: &Victim, after: Duration) -> fmt::Result {
    let (seconds, tenths) = (after.as_secs(), after.subsec_millis() / 100);
    write!(
        f,
        "pod {victim} came back {seconds}.{tenths} s after its eviction: ended again, as evictd \
         holds it down until its runtime does; start it in {} s or later",
        CLOSELY.as_secs()
    )
}

fn killed(f: &mut Formatter<'_>, victim: &Victim, report: &KillReport) -> fmt::Result {
    let took = report
        .ended
        .map_or(Duration::ZERO, |ended| ended.since(report.started));
    write!(f, "pod {victim} is gone after {} ms", took.as_millis())?;
    match report.method {
        // How many there were, the kernel alone knows.
        Some(method @ KillMethod::CgroupKill) => write!(f, ", killed by {method}")?,
        Some(method) if report.processes == 1 => write!(f, ", 1 process killed by {method}")?,
        Some(method) => write!(f, ", {} processes killed by {method}", report.processes)?,
        None => f.write_str(", its processes ended by themselves")?,
    }
    if let Some(leftovers) = victim.leftovers() {
        write!(f, "; {leftovers}")?;
    }
    match victim.restart_policy.as_deref() {
        None => Ok(()),
        Some("unless-stopped") => f.write_str(
            "; it keeps its restart policy unless-stopped, and stays stopped until it is started",
        ),
        Some(policy) => write!(
            f,
            "; it keeps its restart policy {policy}, which acts when its runtime starts anew"
        ),
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
        let pid = remaining.pid;
        write!(f, "{before} pid {pid} in state {state}")?;
    }
    f.write_str("; taking the next one")
}
