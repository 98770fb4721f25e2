//! Room on a disk before anyone is evicted for it: live logs, named directories, the reserve.
//!
//! Each is done by a helper, as disks may hang; what it changes, a thread that can change
//! nothing else does (`confined`). What container runtimes do by themselves is theirs (`gc`).

mod directories;
mod kept_room;
mod logs;
mod old_files_told;
mod reserve;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use core::time::Duration;
use std::os::fd::{AsFd, BorrowedFd};

use evictd_config::Resolved;
use evictd_engine::ports::{Collect, Collected, Job, Relieved};
use evictd_node::{Mono, ReliefStep};
use evictd_sys::{Bell, Helper, HelperThread, Priority, Writes};
use logs::Logs;

use directories::Directories;
use reserve::Reserve;

use crate::confined::no_thread;
use crate::device::is_on;
use evictd_pods::runtimes::{Listed, Runtimes};

const THREAD: HelperThread = HelperThread {
    name: "evictd-relief",
    stack_bytes: 512 << 10,
    priority: Priority::Usual,
    writes: Writes::WhereItSays,
};

/// A job that takes longer is waited for no more: its disk does not answer.
const PATIENCE: Duration = Duration::from_secs(60);
const HANGS: &str = "relief of disks: not done within a minute: a disk does not answer";

/// Gives room back on a disk that is short.
pub struct Reliever {
    climber: Arc<Climber>,
    under_way: Option<UnderWay>,
    /// Those that wait for it, the first first.
    waiting: Vec<Task>,
    bell: Bell,
}

/// A job, and what the container runtimes have said of their containers.
struct Task {
    job: Job,
    runtimes: Vec<Listed>,
}

struct UnderWay {
    number: u64,
    since: Mono,
    /// It was waited for long enough, and that was said.
    is_given_up: bool,
    /// It ends with the job: it may write, and whoever took it over could do as much.
    helper: Helper<Option<Result<Collected, String>>>,
}

impl Reliever {
    /// `None` where the settings want nothing of it.
    ///
    /// # Errors
    /// When the kernel gives no descriptor.
    pub fn of(settings: &Resolved) -> Result<Option<Self>, String> {
        if settings.relief.is_none() {
            return Ok(None);
        }
        let bell = Bell::new().map_err(|error| format!("relief of disks: {error}"))?;
        Ok(Some(Self {
            climber: Arc::new(Climber::of(settings)),
            under_way: None,
            waiting: Vec::new(),
            bell,
        }))
    }

    /// Readable when there is something to take.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Has a job done, without waiting for it.
    pub fn begin(&mut self, job: Job, runtimes: &Runtimes) {
        let runtimes = runtimes.listed();
        self.waiting.push(Task { job, runtimes });
        self.bell.ring();
    }

    /// What came of jobs; begins the next one.
    pub fn take(&mut self, now: Mono) -> Vec<Relieved> {
        self.bell.silence();
        let mut relieved = Vec::new();
        if let Some(under_way) = &mut self.under_way {
            if let Some(done) = under_way.helper.look(Option::take) {
                if !under_way.is_given_up {
                    relieved.push((under_way.number, done));
                }
                self.under_way = None;
            } else if now.since(under_way.since) >= PATIENCE {
                let first = (!under_way.is_given_up).then_some(under_way.number);
                under_way.is_given_up = true;
                let others = self.waiting.drain(..).map(|task| task.job.number);
                let hangs = |number| (number, Err(String::from(HANGS)));
                relieved.extend(first.into_iter().chain(others).map(hangs));
            }
        }
        if self.under_way.is_none() && !self.waiting.is_empty() {
            let task = self.waiting.remove(0);
            let number = task.job.number;
            if let Err(problem) = self.start(task, now) {
                relieved.push((number, Err(problem)));
            }
        }
        relieved
    }

    fn start(&mut self, task: Task, now: Mono) -> Result<(), String> {
        let number = task.job.number;
        let (climber, ring) = (Arc::clone(&self.climber), self.bell.clone());
        let helper = Helper::new(THREAD, None, move |desk| {
            let done = climber.climb(&task.job, &task.runtimes);
            desk.show(|state| *state = Some(done));
            ring.ring();
        });
        helper.start().map_err(no_thread)?;
        self.under_way = Some(UnderWay {
            number,
            since: now,
            is_given_up: false,
            helper,
        });
        Ok(())
    }
}

/// Takes relief steps, on whatever thread it is called.
pub struct Climber {
    logs: Logs,
    directories: Directories,
    reserve: Reserve,
}

impl Climber {
    /// As the settings say.
    pub fn of(settings: &Resolved) -> Self {
        Self {
            logs: Logs::of(settings.relief.log_keep_bytes, &settings.paths),
            directories: Directories::of(&settings.relief),
            reserve: Reserve::of(settings),
        }
    }

    /// Does one job. It is empty where that step has nothing to free.
    ///
    /// # Errors
    /// Why nothing could be begun.
    pub fn climb(&self, job: &Job, runtimes: &[Listed]) -> Result<Collected, String> {
        match &job.what {
            Collect::Step(relief) => match relief.rung {
                ReliefStep::Logs => self.logs.relieve_disk(relief, job.dry_run, runtimes),
                ReliefStep::Directories => self.directories.relieve(relief, job.dry_run),
                ReliefStep::Reserve => self.reserve.give(relief, job.dry_run),
                ReliefStep::BuildCache => Ok(Collected::default()), // the runtimes' own
            },
            Collect::OwnLog { uid, missing } => self.logs.relieve_pod(uid, *missing, runtimes),
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
