use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::deletion::POD_GONE;
use crate::{Deletion, Kind, is_uid, parse_log_file, parse_pod_logs_name};

/// Something that a pod left on the disk, or is still writing to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leftover<'a> {
    /// What it is: logs of a pod, a log, or volumes.
    pub kind: Kind,
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

/// What to delete of `found`, in this order: everything of pods that are gone,
/// then the middle logs of living pods, each oldest first.
///
/// A directory whose name is not one of a pod's stays, with all that is in it,
/// and so does a file that is no log of a living pod. Volumes stay as long as any
/// pod's uid is unknown, as they may belong to it, but for pods that
/// are known to have ended.
#[must_use]
pub fn plan_logs(found: &[Leftover<'_>], node: &Node<'_>) -> Vec<Deletion> {
    let numbers = numbers(found);
    let all = found.iter().enumerate().filter_map(|(index, leftover)| {
        let reason = reason(leftover, &numbers, node)?;
        let kind = leftover.kind;
        let turn = (kind == Kind::LogFile, leftover.modified_seconds);
        Some((
            turn,
            Deletion {
                kind,
                index,
                reason,
            },
        ))
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(turn, _)| *turn);
    all.into_iter().map(|(_, deletion)| deletion).collect()
}

/// The first and the newest number of each container's logs, by its pod's directory and its own:
/// looked for once, as a pod can make any number of them.
type Numbers<'a> = BTreeMap<(&'a [u8], &'a [u8]), (u64, u64)>;

fn numbers<'a>(found: &[Leftover<'a>]) -> Numbers<'a> {
    let mut numbers = Numbers::new();
    for log in found.iter().filter(|one| one.kind == Kind::LogFile) {
        if let Some(number) = parse_log_file(log.file) {
            let of = numbers.entry((log.pod, log.container));
            let (first, newest) = of.or_insert((number, number));
            (*first, *newest) = (number.min(*first), number.max(*newest));
        }
    }
    numbers
}

/// Why something is deleted, if it is.
fn reason(leftover: &Leftover<'_>, numbers: &Numbers<'_>, node: &Node<'_>) -> Option<String> {
    let pods = node.pods;
    let (uid, may_live) = match leftover.kind {
        Kind::Volumes => {
            let uid = core::str::from_utf8(leftover.pod).ok();
            let uid = uid.filter(|_| is_uid(leftover.pod))?;
            let is_anyones = pods.iter().any(|pod| pod.uid == Uid::Unknown);
            let is_anyones = is_anyones && !node.ended.contains(&uid);
            let lives = pods.iter().any(|pod| pod.uid == Uid::Is(uid));
            (uid, is_anyones || lives)
        }
        Kind::PodLogs | Kind::LogFile => {
            let name = parse_pod_logs_name(leftover.pod)?;
            let lives = pods.iter().any(|pod| match pod.uid {
                Uid::Is(uid) => uid == name.uid,
                Uid::Unknown | Uid::Without => {
                    pod.name == name.name
                        && pod.namespace.is_none_or(|space| space == name.namespace)
                }
            });
            (name.uid, lives)
        }
        Kind::Container | Kind::Sandbox | Kind::Image | Kind::Volume => return None,
    };
    if leftover.kind == Kind::LogFile {
        return between(leftover, numbers).filter(|_| may_live);
    }
    let is_due = node.ended.contains(&uid) || is_old(leftover, node);
    (is_due && !may_live).then(|| POD_GONE.to_owned())
}

/// Whether nothing was written for the minimum age. A time that lies ahead says
/// nothing, as a clock was set back: it counts as old, unless it lies as little
/// ahead as the minimum age.
fn is_old(leftover: &Leftover<'_>, node: &Node<'_>) -> bool {
    node.now_seconds.abs_diff(leftover.modified_seconds) >= MINIMUM_AGE_SECONDS
}

/// The reason if the log lies between its container's first and newest.
fn between(log: &Leftover<'_>, numbers: &Numbers<'_>) -> Option<String> {
    let number = parse_log_file(log.file)?;
    let (first, newest) = *numbers.get(&(log.pod, log.container))?;
    (first < number && number < newest)
        .then(|| format!("between the first log ({first}.log) and the newest ({newest}.log)"))
}
