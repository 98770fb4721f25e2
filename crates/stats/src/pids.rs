use core::result::Result as CoreResult;
use core::time::Duration;
use std::path::Path;

use evictd_kerntext::parse_loadavg;
use evictd_node::{Mono, Reading};
use rustix::io::Errno;
use rustix::system::sysinfo;

use crate::Error;
use crate::error::{Cause, Failed};
use crate::file::{Buffer, KeptFile};
use crate::memory::signed;

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
}

impl NodePids {
    pub(crate) fn reading(&self) -> Reading {
        Reading {
            available: self.node.available(),
            capacity: signed(self.node.most),
            sampled: Some(self.sampled),
        }
    }
}

/// How long the maxima are believed: they only change when somebody changes them.
const MOST_IS_FRESH: Duration = Duration::from_secs(5);

/// No kernel has more tasks (`PID_MAX_LIMIT`).
const MOST_TASKS: u64 = 4 << 20;

/// The files below `/proc`, kept open.
#[derive(Debug)]
pub(crate) struct PidFiles {
    /// How many tasks there may be, and when that was read.
    most: Option<(Mono, u64)>,
    pid_max: KeptFile,
    threads_max: KeptFile,
    loadavg: KeptFile,
}

impl PidFiles {
    pub(crate) fn new(proc: &Path) -> Self {
        let kept = |name: &str| KeptFile::new(proc.join(name));
        Self {
            most: None,
            pid_max: kept("sys/kernel/pid_max"),
            threads_max: kept("sys/kernel/threads-max"),
            loadavg: kept("loadavg"),
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
            None => self.read_most(buffer, errors)?,
        };
        self.most = fresh.or(Some((now, most)));
        let running = self.loadavg.parse(buffer, |text| {
            match parse_loadavg(text.text())?.total_tasks {
                running @ 1..=MOST_TASKS => Ok(running),
                _ => Err(Cause::Impossible("its count of tasks")),
            }
        });
        let running = note(running.map_err(Failed::error), errors);
        // The kernel keeps this count in 16 bits, so it is the way out only.
        let running = running.unwrap_or_else(|| u64::from(sysinfo().procs));
        Some(NodePids {
            sampled: now,
            node: TaskCount { most, running },
        })
    }

    /// Either file alone will do: what the kernel does not tell does not bind. One that makes
    /// no sense is an error, and what was read before counts where that was less.
    fn read_most(&mut self, buffer: &mut Buffer, errors: &mut Vec<Error>) -> Option<u64> {
        let mut is_bad = false;
        let mut most = None;
        for file in [&mut self.pid_max, &mut self.threads_max] {
            let read = file.parse(buffer, |text| match text.value()? {
                0 => Err(Cause::Impossible("its number")),
                most => Ok(most),
            });
            match read {
                Ok(one) => most = Some(most.map_or(one, |other: u64| other.min(one))),
                Err(failed) => {
                    is_bad |= !failed.cause.is_gone();
                    errors.extend(failed.unless_gone());
                }
            }
        }
        let former = self.most.map(|(_, former)| former).filter(|_| is_bad);
        let most = most.into_iter().chain(former).min();
        if most.is_none() && !is_bad {
            errors.push(Cause::from(Errno::NOENT).at(self.pid_max.path()));
        }
        most
    }
}

/// Keeps the error for the caller's log and goes on without the number.
pub(crate) fn note<T>(read: CoreResult<T, Error>, errors: &mut Vec<Error>) -> Option<T> {
    read.map_err(|error| errors.push(error)).ok()
}
