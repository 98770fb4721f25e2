//! The logs that containers have, as their runtimes last said.

use alloc::sync::Arc;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_containers::{ContainerState, ListedContainer, LogFormat, RuntimePod};
use evictd_engine::ports::Relief;
use evictd_gc::{ContainerLog, Stays};
use evictd_pods::runtimes::Listed;
use rustix::io::Errno;

use super::file::{Looked, look, open_directory, rotated};
use crate::device::is_on;

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
    /// What its former parts take, which were renamed so that the runtime began a new one.
    pub(super) former_bytes: u64,
    pub(super) size: ContainerLog,
}

impl Log {
    /// The log by another name of its file.
    pub(super) fn called(&self, file: &OsStr) -> Self {
        Self {
            name: self.name.clone(),
            id: Arc::clone(&self.id),
            directory: self.directory.clone(),
            file: file.to_owned(),
            ..*self
        }
    }

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
            Ok(Named::There(log)) => log,
            Ok(Named::Nothing | Named::Renamed(..)) => continue,
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
            allocated: log.looked.allocated.saturating_add(log.former_bytes),
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

/// What is found in a log's place.
pub(super) enum Named {
    There(Log),
    /// Nothing: it was renamed to that, as it seems, and its runtime not told to begin a new
    /// one.
    Renamed(Log, OsString),
    /// None was begun yet, or it is another runtime's.
    Nothing,
}

/// A container's log, by its name.
pub(super) fn named(
    container: &ListedContainer,
    pod: Option<&RuntimePod>,
    runtime: usize,
) -> Result<Named, String> {
    let place = container.log.as_deref().filter(|path| path.is_absolute());
    let Some((path, directory, file)) = place.and_then(split) else {
        return Ok(Named::Nothing);
    };
    let name = full_name(container, pod);
    let opened = match open_directory(directory) {
        Err(Errno::NOENT) => return Ok(Named::Nothing),
        Err(Errno::NOTDIR) => {
            return Err(format!(
                "{name}: {path:?}: a part of it is no directory, or a link that others than root may have made"
            ));
        }
        opened => opened.map_err(|error| format!("{name}: {path:?}: {error}"))?,
    };
    let former = if container.log_format == LogFormat::Cri {
        rotated(&opened, file)
    } else {
        Vec::new()
    };
    let bytes = former.iter().map(|(_, looked)| looked.allocated);
    let former_bytes = bytes.fold(0, u64::saturating_add);
    let log = |looked| Log {
        name: name.clone(),
        id: Arc::clone(&container.id),
        runtime,
        directory: directory.to_path_buf(),
        file: file.to_owned(),
        format: container.log_format,
        runs: container.state != ContainerState::Exited,
        looked,
        former_bytes,
        size: ContainerLog::default(),
    };
    match look(&opened, file) {
        Ok(looked) => Ok(Named::There(log(looked))),
        Err(Errno::NOENT) => Ok(match former.into_iter().find(|(name, _)| is_plain(name)) {
            Some((name, looked)) => Named::Renamed(log(looked), name),
            None => Named::Nothing,
        }),
        // Of cri-dockerd it is a link to Docker's.
        Err(Errno::INVAL) => Ok(Named::Nothing),
        Err(error) => Err(format!("{name}: {path:?}: {error}")),
    }
}

/// Whether a former part was only renamed, and not compressed.
fn is_plain(name: &OsStr) -> bool {
    !name.as_bytes().ends_with(b".gz")
}

fn split(path: &Path) -> Option<(&Path, &Path, &OsStr)> {
    Some((path, path.parent()?, path.file_name()?))
}

fn full_name(container: &ListedContainer, pod: Option<&RuntimePod>) -> String {
    let pod = pod.map_or("", |pod| pod.pod.metadata.name.as_str());
    if pod.is_empty() || pod == container.name {
        container.name.clone()
    } else {
        format!("{pod}/{}", container.name)
    }
}
