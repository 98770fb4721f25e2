use core::result::Result as CoreResult;
use core::time::Duration;
use std::path::Path;

use evictd_kerntext::{Limit, parse_loadavg};
use evictd_node::{Mono, Reading};
use rustix::system::sysinfo;

use crate::error::Failed;
use crate::file::{Buffer, KeptFile};
use crate::memory::signed;
use crate::{Error, Hierarchy};

/// How many tasks (threads) there may be and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskCount {
    /// How many there may be.
    pub most: u64,
    /// How many there are.
    pub running: u64,
}

impl TaskCount {
    /// What is left; below zero when there are more than there may be.
    #[must_use]
    pub fn available(&self) -> i64 {
        signed(self.most).saturating_sub(signed(self.running))
    }
}

/// The node's process ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodePids {
    /// When they were counted.
    pub sampled: Mono,
    /// The smaller of `kernel.pid_max` and `kernel.threads-max`, read at most five
    /// seconds before, and the total of tasks in the fourth field of
    /// `/proc/loadavg`.
    pub node: TaskCount,
    /// `pids.max` and `pids.current` of the pods cgroup, where it has a limit
    /// and is asked for.
    pub pods: Option<TaskCount>,
}

impl NodePids {
    /// The count that leaves less.
    #[must_use]
    pub fn tighter(&self) -> TaskCount {
        self.pods
            .filter(|pods| pods.available() < self.node.available())
            .unwrap_or(self.node)
    }

    pub(crate) fn reading(&self) -> Reading {
        let count = self.tighter();
        Reading {
            available: count.available(),
            capacity: signed(count.most),
            sampled: Some(self.sampled),
        }
    }
}

/// How long the maxima are believed: they only change when somebody changes them.
const MOST_IS_FRESH: Duration = Duration::from_secs(5);

/// The files below `/proc` and of the pods cgroup, kept open.
#[derive(Debug)]
pub(crate) struct PidFiles {
    /// How many tasks there may be, and when that was read.
    most: Option<(Mono, u64)>,
    pid_max: KeptFile,
    threads_max: KeptFile,
    loadavg: KeptFile,
    pods: Option<(KeptFile, KeptFile)>,
}

impl PidFiles {
    pub(crate) fn new(proc: &Path, pods: Option<(&Hierarchy, &Path)>) -> Self {
        let kept = |name: &str| KeptFile::new(proc.join(name));
        Self {
            most: None,
            pid_max: kept("sys/kernel/pid_max"),
            threads_max: kept("sys/kernel/threads-max"),
            loadavg: kept("loadavg"),
            pods: pods.map(|(hierarchy, cgroup)| {
                let dir = hierarchy.below(cgroup);
                let kept = |name: &str| KeptFile::new(dir.join(name));
                (kept("pids.max"), kept("pids.current"))
            }),
        }
    }

    pub(crate) fn read(
        &mut self,
        now: Mono,
        buffer: &mut Buffer,
        errors: &mut Vec<Error>,
    ) -> Option<NodePids> {
        let fresh = self
            .most
            .filter(|(read, _)| now.since(*read) < MOST_IS_FRESH);
        let most = match fresh {
            Some((_, most)) => most,
            None => note(self.read_most(buffer).map_err(Failed::error), errors)?,
        };
        self.most = fresh.or(Some((now, most)));
        let running = self
            .loadavg
            .parse(buffer, |text| Ok(parse_loadavg(text.text())?.total_tasks));
        let running = note(running.map_err(Failed::error), errors);
        // The kernel keeps this count in 16 bits, so it is the way out only.
        let running = running.unwrap_or_else(|| u64::from(sysinfo().procs));
        Some(NodePids {
            sampled: now,
            node: TaskCount { most, running },
            pods: note(self.read_pods(buffer), errors).flatten(),
        })
    }

    /// Either file alone will do: what the kernel does not tell does not bind.
    fn read_most(&mut self, buffer: &mut Buffer) -> CoreResult<u64, Failed<'_>> {
        let pid_max = self.pid_max.parse(buffer, Buffer::value);
        let threads_max = self.threads_max.parse(buffer, Buffer::value);
        match (pid_max, threads_max) {
            (Ok(one), Ok(other)) => Ok(one.min(other)),
            (Ok(one), Err(failed)) | (Err(failed), Ok(one)) => {
                if failed.cause.is_gone() {
                    Ok(one)
                } else {
                    Err(failed)
                }
            }
            (Err(failed), Err(_)) => Err(failed),
        }
    }

    /// A cgroup that is not there has no limit.
    fn read_pods(&mut self, buffer: &mut Buffer) -> CoreResult<Option<TaskCount>, Error> {
        let Some((max, current)) = &mut self.pods else {
            return Ok(None);
        };
        let limit = max.parse(buffer, Buffer::limit);
        let most = match limit {
            Ok(Limit::Value(most)) => most,
            Ok(Limit::Max) => return Ok(None),
            Err(failed) => return failed.unless_gone().map_or(Ok(None), Err),
        };
        match current.parse(buffer, Buffer::value) {
            Ok(running) => Ok(Some(TaskCount { most, running })),
            Err(failed) => failed.unless_gone().map_or(Ok(None), Err),
        }
    }
}

/// Keeps the error for the caller's log and goes on without the number.
pub(crate) fn note<T>(read: CoreResult<T, Error>, errors: &mut Vec<Error>) -> Option<T> {
    read.map_err(|error| errors.push(error)).ok()
}
