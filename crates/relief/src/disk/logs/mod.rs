//! The old part of containers' logs.
//!
//! `find` looks at them, `evictd_gc` plans, `writers` sees who writes them, `act` gives up
//! their old part, `told` says so; `mend` finishes what was left half done. All that changes
//! a log runs on a thread that can change nothing but what lies beside it (`confined`), as
//! their paths and their contents are told by others.

mod act;
mod bytes;
mod cut;
mod file;
mod find;
mod finish;
mod half_done;
mod mend;
mod reopen;
mod rotate;
mod told;
mod writers;

#[cfg(test)]
mod tests;

use core::mem::replace;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use evictd_config::Paths;
use evictd_engine::ports::{Collected, Relief};
use evictd_gc::{ContainerLog, LogPlan, LogWriter};
use evictd_pods::runtimes::Listed;
use evictd_stats::PROC;

use crate::confined::confined;
use act::Acting;
use file::open_directory;
use find::{Found, Log, Named, Whose, all, find, named};
use half_done::Steps;
use reopen::{Reopen, reopen};
use told::{GivenUp, Told};
use writers::{BOUNDS, Writers};

/// Gives up the old part of logs.
pub(super) struct Logs {
    /// How much stays of each, in bytes; `None` leaves all alone.
    keep_bytes: Option<u64>,
    state_dir: Option<PathBuf>,
    reopen: Reopen,
    writers: Writers,
    /// What was last said of logs in disorder: each minute would say it again.
    said: Mutex<String>,
}

impl Logs {
    pub(super) fn of(keep_bytes: Option<u64>, paths: &Paths) -> Self {
        Self {
            keep_bytes,
            state_dir: paths.state_dir.clone(),
            reopen,
            writers: Writers::new(PROC.into(), BOUNDS),
            said: Mutex::default(),
        }
    }

    /// Those on a disk that is short.
    pub(super) fn relieve_disk(
        &self,
        relief: &Relief,
        dry_run: bool,
        runtimes: &[Listed],
    ) -> Result<Collected, String> {
        let whose = Whose::OnDisk(relief);
        self.relieve(whose, relief.missing, dry_run, runtimes)
    }

    /// Those of a pod with a container that is above its label's limit of disk.
    pub(super) fn relieve_pod(
        &self,
        uid: &str,
        missing: u64,
        runtimes: &[Listed],
    ) -> Result<Collected, String> {
        self.relieve(Whose::OfPod(uid), Some(missing), false, runtimes)
    }

    fn relieve(
        &self,
        whose: Whose<'_>,
        missing: Option<u64>,
        dry_run: bool,
        runtimes: &[Listed],
    ) -> Result<Collected, String> {
        let Some(keep) = self.keep_bytes else {
            return Ok(Collected::default());
        };
        let steps = Steps::of(self.state_dir.as_deref());
        let mut told = Told::new(dry_run);
        if !dry_run {
            self.finish(&steps, runtimes, &mut told);
        }
        let Found { logs, problems } = find(whose, runtimes);
        let sizes: Vec<ContainerLog> = logs.iter().map(|log| log.size).collect();
        // What later steps can free is not known here.
        let mut plan = LogPlan::new(&sizes, keep, missing, 0);
        if plan.gives() == 0 {
            // Nobody asked for what is odd about logs that are small.
            return Ok(told.collected());
        }
        told.problems.extend(problems);
        if !plan.is_enough() {
            return Ok(told.too_little(plan.gives(), missing));
        }
        let mut freed = 0_u64;
        if dry_run {
            while let Some((index, gain)) = plan.next(freed) {
                freed = freed.saturating_add(gain);
                told.given
                    .extend(logs.get(index).map(|log| GivenUp::would(log, gain)));
            }
            return Ok(told.collected());
        }
        let writers = self.writers.find(&logs);
        let mut acting = Acting::new(keep, runtimes, self.reopen, &steps);
        while let Some((index, _)) = plan.next(freed) {
            let Some(log) = logs.get(index) else { continue };
            let writer = writers.get(index).copied();
            let writer = writer.unwrap_or(LogWriter::KeepsPosition);
            let done = beside(log, &steps, || acting.give_up(log, writer));
            match done.and_then(|done| done) {
                Ok(Some(given)) => {
                    freed = freed.saturating_add(given.freed_bytes);
                    told.given.push(given);
                }
                Ok(None) => {}
                Err(problem) => told.problems.push(problem),
            }
        }
        told.problems.append(&mut acting.problems);
        Ok(told.collected())
    }

    /// Puts logs in order that have a hole at their beginning, and whose container has ended,
    /// and those that were half done when evictd was killed.
    pub(super) fn mend(&self, dry_run: bool, runtimes: &[Listed]) -> Result<Collected, String> {
        if dry_run || self.keep_bytes.is_none() {
            return Ok(Collected::default());
        }
        let steps = Steps::of(self.state_dir.as_deref());
        let mut told = Told::new(false);
        self.finish(&steps, runtimes, &mut told);
        let torn = mend::find_torn(runtimes);
        for (log, writer) in torn.iter().zip(self.writers.find(&torn)) {
            if writer == LogWriter::Nobody {
                let done = beside(log, &steps, || mend::mend(log, &steps));
                told.mend(log, done.and_then(|done| done));
            }
        }
        let changes_nothing = told.mended.is_empty();
        let told = told.collected();
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let before = replace(&mut *said, told.text.clone());
        Ok(if changes_nothing && before == told.text {
            Collected::default()
        } else {
            told
        })
    }

    /// Finishes what was half done when evictd was killed.
    fn finish(&self, steps: &Steps, runtimes: &[Listed], told: &mut Told) {
        let renamed = mend::find_renamed(runtimes);
        if !renamed.is_empty() {
            let logs: Vec<Log> = renamed
                .iter()
                .map(|(log, former)| log.called(former))
                .collect();
            let writers = self.writers.find(&logs);
            for ((log, former), writer) in renamed.iter().zip(writers) {
                let done = beside(log, steps, || {
                    mend::finish_renaming(log, former, writer, runtimes, self.reopen)
                });
                told.mend(log, done.and_then(|done| done));
            }
        }
        let half_done = steps.left_over();
        if half_done.is_empty() {
            return;
        }
        let logs: Vec<Log> = all(runtimes)
            .filter_map(
                |(container, pod, runtime)| match named(container, pod, runtime) {
                    Ok(Named::There(log)) => Some(log),
                    _ => None,
                },
            )
            .collect();
        let writers = self.writers.find(&logs);
        for step in &half_done {
            for (log, writer) in logs.iter().zip(&writers) {
                let is_still = !log.runs && *writer == LogWriter::Nobody;
                let done = beside(log, steps, || mend::finish_step(log, step, is_still, steps));
                if let Some(done) = done.unwrap_or_else(|problem| Some(Err(problem))) {
                    told.mend(log, done);
                    steps.end(step);
                    break;
                }
            }
        }
    }
}

/// Does something on a thread that can change nothing but what lies beside a log, and what is
/// written down of it.
fn beside<Done: Send>(
    log: &Log,
    steps: &Steps,
    act: impl FnOnce() -> Done + Send,
) -> Result<Done, String> {
    let directory = open_directory(&log.directory);
    let directory = directory.map_err(|error| log.problem(&error.to_string()))?;
    let both = [Some(directory.as_fd()), steps.directory()];
    let both: Vec<_> = both.into_iter().flatten().collect();
    confined(&both, act)
}
