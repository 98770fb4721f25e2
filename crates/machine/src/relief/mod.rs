//! Room on a disk before anyone is evicted for it: live logs, named directories, the reserve.
//!
//! Each is done by one helper, as disks may hang; what it changes, a thread that can change
//! nothing else does (`confined`). What container runtimes do by themselves is theirs (`gc`).

mod directories;
mod kept_room;
mod logs;
mod old_files_told;
mod reserve;
#[cfg(test)]
mod tests;

use core::mem::take;
use std::os::fd::{AsFd, BorrowedFd};

use evictd_config::Resolved;
use evictd_engine::ports::{Collect, Collected, Job, Relieved};
use evictd_node::Rung;
use evictd_sys::{Bell, Desk, Helper, HelperThread, Priority, Writes};

use directories::Directories;
use logs::Logs;
use reserve::Reserve;

use crate::confined::no_thread;
use crate::device::is_on;
pub use crate::runtimes::Listed;
use crate::runtimes::Runtimes;

const THREAD: HelperThread = HelperThread {
    name: "evictd-relief",
    stack_bytes: 512 << 10,
    priority: Priority::Usual,
    writes: Writes::WhereItSays,
};

/// Gives room back on a disk that is short.
pub struct Reliever {
    helper: Helper<State>,
    bell: Bell,
}

#[derive(Default)]
struct State {
    tasks: Vec<Task>,
    relieved: Vec<Relieved>,
}

/// What is to be done, and what the container runtimes have said of their containers.
struct Task {
    job: Job,
    runtimes: Vec<Listed>,
}

impl Reliever {
    /// `None` where the settings want nothing of it.
    ///
    /// # Errors
    /// When the kernel gives no descriptor.
    pub(crate) fn of(settings: &Resolved) -> Result<Option<Self>, String> {
        if settings.relief.is_none() {
            return Ok(None);
        }
        let bell = Bell::new().map_err(|error| format!("relief of disks: {error}"))?;
        let (climber, ring) = (Climber::of(settings), bell.clone());
        let run = move |desk: Desk<State>| {
            while let Some(task) = desk.next(|state| state.tasks.pop()) {
                let number = task.job.number;
                let done = climber.climb(&task.job, &task.runtimes);
                desk.show(|state| state.relieved.push((number, done)));
                ring.ring();
            }
        };
        let helper = Helper::new(THREAD, State::default(), run);
        Ok(Some(Self { helper, bell }))
    }

    /// Readable when there is something to take.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Has a job done, without waiting for it.
    pub(crate) fn begin(&self, job: Job, runtimes: &Runtimes) {
        let number = job.number;
        let task = Task {
            job,
            runtimes: runtimes.listed(),
        };
        match self.helper.start() {
            Ok(()) => self.helper.change(|state| state.tasks.push(task)),
            Err(error) => {
                let failed = (number, Err(no_thread(error)));
                self.helper.look(|state| state.relieved.push(failed));
                self.bell.ring();
            }
        }
    }

    /// What came of jobs.
    pub(crate) fn take(&self) -> Vec<Relieved> {
        self.bell.silence();
        self.helper.look(|state| take(&mut state.relieved))
    }
}

/// Climbs rungs, on whatever thread it is called.
pub struct Climber {
    logs: Logs,
    directories: Directories,
    reserve: Reserve,
}

impl Climber {
    /// As the settings say.
    pub fn of(settings: &Resolved) -> Self {
        Self {
            logs: Logs::of(settings),
            directories: Directories::of(settings),
            reserve: Reserve::of(settings),
        }
    }

    /// Does one job. It is empty where that rung has nothing to give.
    ///
    /// # Errors
    /// Why nothing could be begun.
    pub fn climb(&self, job: &Job, runtimes: &[Listed]) -> Result<Collected, String> {
        match &job.what {
            Collect::Rung(relief) => match relief.rung {
                Rung::Logs => self.logs.relieve(relief, job.dry_run, runtimes),
                Rung::Directories => self.directories.relieve(relief, job.dry_run),
                Rung::Reserve => self.reserve.give(relief, job.dry_run),
                Rung::BuildCache => Ok(Collected::default()), // the runtimes' own
            },
            Collect::Tidy => self.tidy(job.dry_run, runtimes),
            Collect::Containers { .. } | Collect::Images(_) => Ok(Collected::default()),
        }
    }

    fn tidy(&self, dry_run: bool, runtimes: &[Listed]) -> Result<Collected, String> {
        let mended = self.logs.mend(dry_run, runtimes)?;
        let taken = self.reserve.take(dry_run)?;
        Ok(if taken.text.is_empty() { mended } else { taken })
    }
}
