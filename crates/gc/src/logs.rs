use alloc::vec::Vec;
use core::fmt;

use crate::{is_uid, parse_log_file, parse_pod_logs_name};

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// All logs of a pod: a directory in the directory of pod logs.
    PodLogs,
    /// A log: a file in the directory of a container in that of a pod.
    LogFile,
    /// The emptyDir volumes of a pod: its directory among those of the pods.
    Volumes,
}

/// Something that a pod left on the disk, or is still writing to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remains<'a> {
    /// What it is.
    pub place: Place,
    /// The name of the pod's directory: `NAMESPACE_NAME_UID` of logs, the uid of
    /// volumes.
    pub pod: &'a [u8],
    /// The name of the container's directory; empty where there is none.
    pub container: &'a [u8],
    /// The name of the file; empty where there is none.
    pub file: &'a [u8],
    /// When it was last written to, in seconds since 1970; of a directory, when
    /// anything that was looked at in it was.
    pub modified_seconds: i64,
}

/// What is known of a pod's uid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uid<'a> {
    /// It is this one.
    Is(&'a str),
    /// It has one that is not known: any volumes may belong to it.
    Unknown,
    /// It has none, as a plain cgroup, and so no volumes by uid.
    Without,
}

/// A pod that runs or that a manifest describes: what is its own stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownPod<'a> {
    /// Its uid. Where there is none, or it is not known, the logs of all pods
    /// of its name stay.
    pub uid: Uid<'a>,
    /// Its namespace; `None` for any.
    pub namespace: Option<&'a str>,
    /// Its name.
    pub name: &'a str,
}

/// What is known of the node's pods and of the time.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// Every pod that runs or that a manifest describes. One that is missing
    /// here counts as gone.
    pub pods: &'a [KnownPod<'a>],
    /// Uids of pods that are known to have ended, by eviction: their minimum age
    /// is 0.
    pub ended: &'a [&'a str],
    /// Wall time, in seconds since 1970.
    pub now_seconds: i64,
}

/// Nothing is deleted of a pod that wrote in the last so many seconds and is not known
/// to have ended: it may be about to start.
const MINIMUM_AGE_SECONDS: u64 = 60;

/// Something to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogDeletion {
    /// What, as an index into what was found.
    pub index: usize,
    /// Why.
    pub reason: LogReason,
}

/// Why something is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogReason {
    /// The pod neither runs nor has a manifest.
    PodGone,
    /// The container was started before and after (row 116).
    Between {
        /// The first start of which there is a log.
        first: u64,
        /// The newest.
        newest: u64,
    },
}

impl fmt::Display for LogReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PodGone => f.write_str("the pod is gone"),
            Self::Between { first, newest } => write!(
                f,
                "between the first log ({first}.log) and the newest ({newest}.log)"
            ),
        }
    }
}

/// What to delete of `found`, in this order: everything of pods that are gone,
/// then the middle logs of living pods, each oldest first.
///
/// A directory whose name is not one of a pod's stays, with all that is in it,
/// and so does a file that is no log of a living pod. Volumes stay as long as any
/// pod's uid is unknown, as they may belong to it, but for pods that
/// are known to have ended.
#[must_use]
pub fn plan_logs(found: &[Remains<'_>], node: &Node<'_>) -> Vec<LogDeletion> {
    let mut gone = Vec::new();
    let mut middle = Vec::new();
    for (index, remains) in found.iter().enumerate() {
        let owner = Owner::of(remains, node);
        match (owner, remains.place) {
            (Some(Owner::Living), Place::LogFile) => {
                let reason = between(remains, found);
                middle.extend(reason.map(|reason| LogDeletion { index, reason }));
            }
            (Some(Owner::Gone { ended }), Place::PodLogs | Place::Volumes)
                if ended || is_old(remains, node) =>
            {
                let reason = LogReason::PodGone;
                gone.push(LogDeletion { index, reason });
            }
            (Some(Owner::Living | Owner::Gone { .. }) | None, _) => {}
        }
    }
    let modified = |deletion: &LogDeletion| {
        let remains = found.get(deletion.index);
        remains.map_or(i64::MAX, |remains| remains.modified_seconds)
    };
    gone.sort_by_key(modified);
    middle.sort_by_key(modified);
    gone.append(&mut middle);
    gone
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Living,
    Gone { ended: bool },
}

impl Owner {
    /// The pod that it belongs to; `None` where that cannot be told.
    fn of(remains: &Remains<'_>, node: &Node<'_>) -> Option<Self> {
        let uid = match remains.place {
            Place::Volumes => {
                let uid = core::str::from_utf8(remains.pod).ok()?;
                if !is_uid(remains.pod) {
                    return None;
                }
                if node.pods.iter().any(|pod| pod.uid == Uid::Is(uid)) {
                    return Some(Self::Living);
                }
                let unknown = node.pods.iter().any(|pod| pod.uid == Uid::Unknown);
                if unknown && !node.ended.contains(&uid) {
                    return None;
                }
                uid
            }
            Place::PodLogs | Place::LogFile => {
                let name = parse_pod_logs_name(remains.pod)?;
                let is_it = |pod: &KnownPod<'_>| match pod.uid {
                    Uid::Is(uid) => uid == name.uid,
                    Uid::Unknown | Uid::Without => {
                        pod.name == name.name
                            && pod.namespace.is_none_or(|space| space == name.namespace)
                    }
                };
                if node.pods.iter().any(is_it) {
                    return Some(Self::Living);
                }
                name.uid
            }
        };
        let ended = node.ended.contains(&uid);
        Some(Self::Gone { ended })
    }
}

/// Whether nothing was written for the minimum age. A time that lies ahead says
/// nothing, as a clock was set back: it counts as old, unless it lies as little
/// ahead as the minimum age.
fn is_old(remains: &Remains<'_>, node: &Node<'_>) -> bool {
    node.now_seconds.abs_diff(remains.modified_seconds) >= MINIMUM_AGE_SECONDS
}

/// The reason if the log lies between its container's first and newest.
fn between(log: &Remains<'_>, found: &[Remains<'_>]) -> Option<LogReason> {
    let number = parse_log_file(log.file)?;
    let beside = |other: &&Remains<'_>| {
        other.place == Place::LogFile && other.pod == log.pod && other.container == log.container
    };
    let numbers = found.iter().filter(beside);
    let numbers = numbers.filter_map(|other| parse_log_file(other.file));
    let (first, newest) = (numbers.clone().min()?, numbers.max()?);
    (first < number && number < newest).then_some(LogReason::Between { first, newest })
}
