//! The old part of containers' logs.
//!
//! `find` looks at them, `evictd_gc` plans, `writers` sees who writes them, `act` gives up
//! their old part, `told` says so. All that reads or changes a log runs on a thread that can
//! change nothing but what lies beside these logs (`confined`), as their paths and their
//! contents are told by others.

mod act;
mod cut;
mod file;
mod find;
mod mend;
mod rotate;
mod told;
mod writers;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use evictd_config::Resolved;
use evictd_engine::ports::{Collected, Relief};
use evictd_gc::{ContainerLog, LogPlan, LogWriter};

use super::Listed;
use crate::confined::confined;
use act::Acting;
use find::{Whose, find};
use told::{GivenUp, Told};
use writers::find_writers;

/// Gives up the old part of logs.
pub(super) struct Logs {
    /// How much stays of each, in bytes; `None` leaves all alone.
    keep_bytes: Option<u64>,
    proc: PathBuf,
}

impl Logs {
    pub(super) fn of(settings: &Resolved) -> Self {
        Self {
            keep_bytes: settings.relief.log_keep_bytes,
            proc: crate::PROC.into(),
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
        let found = find(whose, runtimes);
        let mut told = Told::new(dry_run);
        told.problems = found.problems;
        let logs = found.logs;
        let sizes: Vec<ContainerLog> = logs.iter().map(|log| log.size).collect();
        // What later steps can free is not known here.
        let mut plan = LogPlan::new(&sizes, keep, missing, 0);
        if plan.gives() == 0 {
            // Nobody asked for what is odd about logs that are small.
            return Ok(Collected::default());
        }
        if !plan.is_enough() {
            return Ok(told.too_little(plan.gives(), missing));
        }
        if dry_run {
            let mut freed = 0_u64;
            while let Some((index, gain)) = plan.next(freed) {
                freed = freed.saturating_add(gain);
                told.given
                    .extend(logs.get(index).map(|log| GivenUp::would(log, gain)));
            }
            return Ok(told.collected());
        }
        let writers = find_writers(&self.proc, &logs);
        let directories: Vec<&Path> = logs.iter().map(|log| log.directory.as_path()).collect();
        confined(&directories, || {
            let mut acting = Acting::new(keep, runtimes);
            let mut freed = 0_u64;
            while let Some((index, _)) = plan.next(freed) {
                let Some(log) = logs.get(index) else { continue };
                let writer = writers.get(index).copied();
                match acting.give_up(log, writer.unwrap_or(LogWriter::KeepsPosition)) {
                    Ok(Some(given)) => {
                        freed = freed.saturating_add(given.freed_bytes);
                        told.given.push(given);
                    }
                    Ok(None) => {}
                    Err(problem) => told.problems.push(problem),
                }
            }
            told.collected()
        })
    }

    /// Puts logs in order that have a hole at their beginning, and whose container has ended.
    pub(super) fn mend(&self, dry_run: bool, runtimes: &[Listed]) -> Result<Collected, String> {
        if dry_run || self.keep_bytes.is_none() {
            return Ok(Collected::default());
        }
        let torn = mend::find_torn(runtimes);
        if torn.is_empty() {
            return Ok(Collected::default());
        }
        let writers = find_writers(&self.proc, &torn);
        let directories: Vec<&Path> = torn.iter().map(|log| log.directory.as_path()).collect();
        confined(&directories, || {
            let mut told = Told::new(false);
            for (log, writer) in torn.iter().zip(&writers) {
                if *writer == LogWriter::Nobody {
                    match mend::mend(log) {
                        Ok(()) => told.mended.push(log.name.clone()),
                        Err(problem) => told.problems.push(problem),
                    }
                }
            }
            told.collected()
        })
    }
}
