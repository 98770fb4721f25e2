use core::fmt::{self, Write};
use core::time::Duration;

use evictd_cgroup::{FoundPod, KillReport};
use evictd_condition::NodeCondition;
use evictd_engine::state::Record;
use evictd_evict::{Cause, Evict, Eviction, Met, NodeReclaim};
use evictd_node::{Condition, ConditionSet, Layout, Readings, Resource, Signal};
use evictd_stats::{FsSample, NodeSample};

use super::record::{Fields, of_collected, of_leftovers};
use crate::amount::Amount;
use crate::gc::{Collected, RuntimeCollected};

/// A pod that was chosen, by its names.
#[derive(Clone, Debug)]
pub(crate) struct Victim {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) grace_seconds: i64,
    /// What ran short; `None` for a limit of its own.
    pub(crate) resource: Option<Resource>,
}

impl Victim {
    pub(super) fn new(found: &FoundPod, eviction: &Eviction) -> Self {
        let metadata = &found.pod.metadata;
        Self {
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone(),
            uid: metadata.uid.clone(),
            grace_seconds: eviction.grace_seconds,
            resource: match &eviction.cause {
                Cause::Threshold { place, .. } => Some(place.signal.resource()),
                Cause::EmptyDirLimit | Cause::PodLimit | Cause::ContainerLimit => None,
            },
        }
    }
}

impl fmt::Display for Victim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            return f.write_str(&self.name);
        }
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// A sentence, and what it says as data.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) fields: Fields,
}

/// Something that happened. Its text is one log line that can be understood
/// alone: which threshold, which numbers, which filesystem, which pod, and why.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A threshold began to be met.
    Met(Told),
    /// No threshold of the signal is met any more.
    Cleared(Told),
    /// A condition came or went.
    Condition { condition: Condition, holds: bool },
    /// How the filesystems lie was found out.
    Layout(Told),
    /// The node is to give back what it can.
    Reclaiming {
        resource: Resource,
        calls: &'static [NodeReclaim],
    },
    /// What the node gave back.
    Reclaimed(Told),
    /// It had nothing to give back.
    NothingReclaimed,
    /// A pod was chosen.
    Evicting {
        victim: Victim,
        why: Told,
        record: Box<Record>,
        dry_run: bool,
    },
    /// A kill could not begin.
    NotBegun { victim: Victim, error: String },
    /// The grace of a pod was cut short.
    Hurried(Victim),
    /// Its container runtime does not answer.
    SilentRuntime(Victim),
    /// A pod is gone.
    Killed((Victim, KillReport)),
    /// A pod could not be killed, or not in time.
    Stuck((Victim, KillReport)),
    /// Something starves and no pod may go for it.
    NoCandidate { signal: Signal, pods: usize },
    /// A signal with a threshold can be observed, or not any more.
    Observed { signal: Signal, observed: bool },
    /// A container runtime answers.
    Runtime(Told),
    /// Something could not be read.
    Problem {
        /// What it is about, in one word.
        about: &'static str,
        text: String,
    },
    /// Everything can be read again.
    Recovered,
}

impl Event {
    /// How loud it is.
    pub(crate) const fn level(&self) -> log::Level {
        match self {
            // Without a limit on the pods' cgroup there is nothing to observe there,
            // and nobody asked for it: the threshold is a copy.
            Self::Reclaiming { .. }
            | Self::NothingReclaimed
            | Self::Observed {
                signal: Signal::AllocatableMemoryAvailable,
                ..
            } => log::Level::Debug,
            Self::Cleared(_)
            | Self::Reclaimed(_)
            | Self::Layout(_)
            | Self::Runtime(_)
            | Self::Killed(_)
            | Self::Recovered
            | Self::Observed { observed: true, .. }
            | Self::Condition { holds: false, .. } => log::Level::Info,
            Self::Met(_)
            | Self::Condition { holds: true, .. }
            | Self::Evicting { .. }
            | Self::Hurried(_)
            | Self::SilentRuntime(_)
            | Self::Observed {
                observed: false, ..
            }
            | Self::Problem { .. } => log::Level::Warn,
            Self::NotBegun { .. } | Self::Stuck(_) | Self::NoCandidate { .. } => log::Level::Error,
        }
    }

    pub(super) fn met(met: &Met<'_>, readings: &Readings, sample: &NodeSample) -> Self {
        let threshold = met.threshold;
        let mut text = numbers(threshold.signal, readings);
        let kind = if threshold.is_hard() { "hard" } else { "soft" };
        let _ = write!(text, ", below the {kind} threshold {threshold}");
        if !threshold.is_hard() {
            let _ = write!(text, " (acts after {})", threshold.grace);
        }
        text.push_str(&place(threshold.signal, sample));
        let fields = Fields::default()
            .with_signal(threshold.signal, readings)
            .with_threshold(threshold)
            .with_device(device(threshold.signal, sample));
        Self::Met(Told { text, fields })
    }

    pub(super) fn cleared(signal: Signal, readings: &Readings) -> Self {
        let numbers = numbers(signal, readings);
        Self::Cleared(Told {
            text: format!("{numbers}, no threshold of it is met any more"),
            fields: Fields::default().with_signal(signal, readings),
        })
    }

    pub(super) fn layout(sample: &NodeSample) -> Self {
        let layout = sample.layout().unwrap_or(Layout::OneFilesystem);
        Self::Layout(Told {
            text: format!("filesystem layout: {layout}"),
            fields: Fields::default().with_shown("layout", &layout),
        })
    }

    pub(super) fn runtime(version: &str, endpoint: &str) -> Self {
        Self::Runtime(Told {
            text: format!("{version} answers at {endpoint}"),
            fields: Fields::default()
                .with("runtime", version)
                .with("endpoint", endpoint),
        })
    }

    /// What a runtime removed.
    pub(super) fn reclaimed_by_runtime(collected: &RuntimeCollected) -> Self {
        Self::Reclaimed(Told {
            text: collected.summary(),
            fields: of_collected(collected),
        })
    }

    /// What was deleted of dead pods.
    pub(super) fn reclaimed_leftovers(collected: &Collected) -> Self {
        Self::Reclaimed(Told {
            text: collected.summary(),
            fields: of_leftovers(collected),
        })
    }

    pub(super) fn problem(about: &'static str, problem: &impl fmt::Display) -> Self {
        let text = problem.to_string();
        Self::Problem { about, text }
    }

    /// Why this pod, from the machine that chose it.
    pub(super) fn evicting(
        victim: &Victim,
        eviction: &Eviction,
        evict: &Evict,
        sample: &NodeSample,
        record: Record,
        dry_run: bool,
    ) -> Self {
        let mut fields = Fields::default().with("cause", cause_name(&eviction.cause));
        let text = match &eviction.cause {
            Cause::Threshold {
                threshold,
                place: rank,
                passed_over,
            } => {
                let threshold = evict.thresholds().get(*threshold);
                let mut why = threshold.map_or_else(String::new, |threshold| {
                    fields = core::mem::take(&mut fields)
                        .with_signal(threshold.signal, &sample.readings())
                        .with_threshold(threshold);
                    let kind = if threshold.is_hard() { "hard" } else { "soft" };
                    let signal = threshold.signal;
                    let numbers = numbers(signal, &sample.readings());
                    format!(
                        "{numbers}, {kind} threshold {threshold}{}; ",
                        place(signal, sample)
                    )
                });
                let _ = write!(why, "the pod {rank}");
                fields = fields.with("passedOver", *passed_over);
                if *passed_over > 0 {
                    let _ = write!(why, "; {passed_over} before it passed over as protected");
                }
                why
            }
            Cause::EmptyDirLimit | Cause::PodLimit | Cause::ContainerLimit => {
                String::from("it is above one of its own local storage limits")
            }
        };
        Self::Evicting {
            victim: victim.clone(),
            why: Told { text, fields },
            record: Box::new(record),
            dry_run,
        }
    }
}

/// What led to an eviction, in one word.
const fn cause_name(cause: &Cause) -> &'static str {
    match cause {
        Cause::Threshold { .. } => "threshold",
        Cause::EmptyDirLimit => "emptyDirLimit",
        Cause::PodLimit => "podLimit",
        Cause::ContainerLimit => "containerLimit",
    }
}

/// Conditions and readings in one line: `MemoryPressure=True …, memory.available 83Mi`.
pub(super) fn summary(conditions: ConditionSet, readings: &Readings) -> String {
    let status = |c: Condition| format!("{c}={}", if conditions.has(c) { "True" } else { "False" });
    let status = Condition::ALL.map(status).join(" ");
    let shown = |signal: Signal| {
        let reading = readings.get(signal)?;
        Some(format!(
            "{signal} {}",
            Amount::of(signal, reading.available)
        ))
    };
    let all: Vec<String> = Signal::ALL.into_iter().filter_map(shown).collect();
    format!("{status}, {}", all.join(", "))
}

/// `memory.available is 83Mi of 512Mi`.
fn numbers(signal: Signal, readings: &Readings) -> String {
    readings.get(signal).map_or_else(
        || format!("{signal} is not observed"),
        |reading| {
            let available = Amount::of(signal, reading.available);
            format!(
                "{signal} is {available} of {}",
                Amount::of(signal, reading.capacity)
            )
        },
    )
}

/// Which filesystem, for the signals of one: `, on device 254:1`.
fn place(signal: Signal, sample: &NodeSample) -> String {
    filesystem(signal, sample).map_or_else(String::new, |fs| {
        let (major, minor) = fs.device_numbers();
        let stale = if fs.stale {
            ", which does not answer"
        } else {
            ""
        };
        format!(" on device {major}:{minor}{stale}")
    })
}

/// The device of the filesystem that a signal is about.
pub(super) fn device(signal: Signal, sample: &NodeSample) -> Option<(u32, u32)> {
    filesystem(signal, sample).map(FsSample::device_numbers)
}

const fn filesystem(signal: Signal, sample: &NodeSample) -> Option<&FsSample> {
    match signal {
        Signal::NodefsAvailable | Signal::NodefsInodesFree => sample.nodefs.as_ref(),
        Signal::ImagefsAvailable | Signal::ImagefsInodesFree => sample.imagefs.as_ref(),
        Signal::ContainerfsAvailable | Signal::ContainerfsInodesFree => sample.containerfs.as_ref(),
        Signal::MemoryAvailable | Signal::AllocatableMemoryAvailable | Signal::PidAvailable => None,
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Met(told)
            | Self::Cleared(told)
            | Self::Reclaimed(told)
            | Self::Layout(told)
            | Self::Runtime(told) => f.write_str(&told.text),
            Self::Problem { about: _, text } => f.write_str(text),
            Self::Condition { condition, holds } => {
                let mut status = NodeCondition::unknown(*condition);
                status.update((), *holds);
                let to = status.status.name();
                write!(f, "condition {condition} is {to} ({})", status.reason)
            }
            Self::Reclaiming { resource, calls } => {
                write!(f, "attempting to reclaim {resource} from the node:")?;
                calls.iter().try_for_each(|call| write!(f, " {call}"))
            }
            Self::Evicting {
                victim,
                why,
                record,
                dry_run,
            } => {
                let verb = if *dry_run { "would evict" } else { "evicting" };
                evicting(f, verb, victim, &why.text, &record.message)
            }
            Self::NotBegun { victim, error } => {
                write!(
                    f,
                    "pod {victim} cannot be killed: {error}; taking the next one"
                )
            }
            Self::Hurried(victim) => {
                write!(
                    f,
                    "a hard threshold is met: pod {victim} is killed before its grace ends"
                )
            }
            Self::SilentRuntime(victim) => write!(f, "pod {victim}: {SILENT}"),
            Self::Killed((victim, report)) => killed(f, victim, report),
            Self::Stuck((victim, report)) => stuck(f, victim, report),
            Self::NoCandidate { signal, pods } => match pods {
                0 => write!(f, "{signal} starves and there is no pod to evict"),
                _ => write!(
                    f,
                    "{signal} starves and none of the {pods} pods may be evicted"
                ),
            },
            Self::Observed { signal, observed } => {
                let now = if *observed {
                    "can be observed again"
                } else {
                    "has a threshold but cannot be observed here"
                };
                write!(f, "{signal} {now}")
            }
            Self::NothingReclaimed => f.write_str("dead pods left nothing to delete"),
            Self::Recovered => f.write_str("everything can be read again"),
        }
    }
}

const SILENT: &str =
    "its container runtime does not answer: its processes are ended through its cgroup";

fn evicting(
    f: &mut fmt::Formatter<'_>,
    verb: &str,
    victim: &Victim,
    why: &str,
    message: &str,
) -> fmt::Result {
    let (uid, grace) = (&victim.uid, victim.grace_seconds);
    write!(f, "{verb} pod {victim} (uid {uid}, grace {grace} s): {why}")?;
    write!(f, "; message: {}", message.trim_end())
}

fn killed(f: &mut fmt::Formatter<'_>, victim: &Victim, report: &KillReport) -> fmt::Result {
    let took = report
        .ended
        .map_or(Duration::ZERO, |ended| ended.since(report.started));
    write!(f, "pod {victim} is gone after {} ms", took.as_millis())?;
    match report.method {
        Some(method) => write!(f, ", {} processes killed by {method}", report.processes),
        None => f.write_str(", its processes ended by themselves"),
    }
}

fn stuck(f: &mut fmt::Formatter<'_>, victim: &Victim, report: &KillReport) -> fmt::Result {
    write!(f, "pod {victim} cannot be killed")?;
    if let Some(problem) = &report.problem {
        write!(f, ": {problem}")?;
    }
    for (index, remaining) in report.remaining.iter().enumerate() {
        let before = if index == 0 { "; left:" } else { "," };
        let state = remaining.state.unwrap_or('?');
        write!(
            f,
            "{before} pid {} in state {state}",
            remaining.pid.as_raw_nonzero()
        )?;
    }
    f.write_str("; taking the next one")
}
