//! The logs that containers have, as their runtimes last said.

use alloc::sync::Arc;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_containers::{ContainerState, ListedContainer, LogFormat, RuntimePod};
use evictd_engine::ports::Relief;
use evictd_gc::{ContainerLog, Stays};
use rustix::io::Errno;

use super::file::{Looked, look, rotated};
use crate::relief::{Listed, is_on};

/// A log as it was found.
#[derive(Debug)]
pub(super) struct Log {
    /// Its container's name, for users.
    pub(super) name: String,
    /// Its container's id.
    pub(super) id: Arc<str>,
    /// Whose it is, as an index.
    pub(super) runtime: usize,
    pub(super) directory: PathBuf,
    pub(super) file: OsString,
    pub(super) format: LogFormat,
    /// Whether its container runs.
    pub(super) runs: bool,
    pub(super) looked: Looked,
    pub(super) size: ContainerLog,
}

impl Log {
    /// A problem with it, in words.
    pub(super) fn problem(&self, what: &str) -> String {
        let path = self.directory.join(&self.file);
        format!("{}: {path:?}: {what}", self.name)
    }
}

/// All of them.
pub(super) struct Found {
    pub(super) logs: Vec<Log>,
    pub(super) problems: Vec<String>,
}

/// Which logs are asked for.
#[derive(Clone, Copy)]
pub(super) enum Whose<'a> {
    /// Those on the disk that is short.
    OnDisk(&'a Relief),
    /// Those of the pod with that uid whose container has the label `evictd.disk-limit`.
    OfPod(&'a str),
}

impl Whose<'_> {
    fn has(self, container: &ListedContainer, pod: Option<&RuntimePod>, log: &Log) -> bool {
        match self {
            Self::OnDisk(relief) => is_on(relief, log.looked.device),
            Self::OfPod(uid) => {
                container.has_disk_limit && pod.is_some_and(|pod| pod.pod.metadata.uid == uid)
            }
        }
    }
}

/// Looks at the logs of all containers.
pub(super) fn find(whose: Whose<'_>, runtimes: &[Listed]) -> Found {
    let (mut logs, mut problems) = (Vec::new(), Vec::new());
    for (container, pod, runtime) in all(runtimes) {
        let mut log = match named(container, pod, runtime) {
            Ok(Some(log)) => log,
            Ok(None) => continue,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        // Two sockets may lead to one runtime.
        if logs
            .iter()
            .any(|known: &Log| known.looked.is_same(&log.looked))
        {
            continue;
        }
        log.size = ContainerLog {
            allocated: log.looked.allocated.saturating_add(former_bytes(&log)),
            has_ended: !log.runs,
            stays: if container.keeps_log {
                Some(Stays::Wished)
            } else if container.log_is_bounded {
                Some(Stays::Bounded)
            } else if whose.has(container, pod, &log) {
                None
            } else {
                Some(Stays::Elsewhere)
            },
        };
        logs.push(log);
    }
    Found { logs, problems }
}

/// The containers that have a log which can be cut.
pub(super) fn all(
    runtimes: &[Listed],
) -> impl Iterator<Item = (&ListedContainer, Option<&RuntimePod>, usize)> {
    let listings = runtimes.iter().map(|listed| &listed.listing).enumerate();
    listings.flat_map(|(runtime, listing)| {
        let has_log = |container: &&ListedContainer| {
            container.log_format != LogFormat::Unknown && container.state != ContainerState::Created
        };
        let containers = listing.containers.iter().filter(has_log);
        containers.map(move |container| (container, listing.pods.get(container.pod), runtime))
    })
}

/// A container's log; `None` where there is none, as nothing was written yet.
pub(super) fn named(
    container: &ListedContainer,
    pod: Option<&RuntimePod>,
    runtime: usize,
) -> Result<Option<Log>, String> {
    let place = container.log.as_deref().filter(|path| path.is_absolute());
    let Some((path, directory, file)) = place.and_then(split) else {
        return Ok(None);
    };
    let name = full_name(container, pod);
    match look(path) {
        Ok(looked) => Ok(Some(Log {
            name,
            id: Arc::clone(&container.id),
            runtime,
            directory: directory.to_path_buf(),
            file: file.to_owned(),
            format: container.log_format,
            runs: container.state != ContainerState::Exited,
            looked,
            size: ContainerLog::default(),
        })),
        // Of cri-dockerd it is a link to Docker's.
        Err(Errno::NOENT | Errno::INVAL) => Ok(None),
        Err(error) => Err(format!("{name}: {path:?}: {error}")),
    }
}

fn split(path: &Path) -> Option<(&Path, &Path, &OsStr)> {
    Some((path, path.parent()?, path.file_name()?))
}

/// What was renamed so that the runtime began a new one counts too.
fn former_bytes(log: &Log) -> u64 {
    if log.format != LogFormat::Cri {
        return 0;
    }
    let former = rotated(&log.directory, log.file.as_bytes());
    let bytes = former.iter().map(|(_, looked)| looked.allocated);
    bytes.fold(0, u64::saturating_add)
}

fn full_name(container: &ListedContainer, pod: Option<&RuntimePod>) -> String {
    let pod = pod.map_or("", |pod| pod.pod.metadata.name.as_str());
    if pod.is_empty() || pod == container.name {
        container.name.clone()
    } else {
        format!("{pod}/{}", container.name)
    }
}
