//! Logs in disorder: those whose beginning was made a hole, once their container has ended, and
//! those that were half done when evictd was killed.

use std::ffi::{OsStr, OsString};

use evictd_containers::{ContainerState, LogFormat};
use evictd_gc::LogWriter;
use evictd_pods::runtimes::Listed;
use rustix::fs::OFlags;

use super::act::record_format;
use super::bytes::data_begin;
use super::cut::close_hole;
use super::file::{look, open, open_directory, rename, rotated};
use super::find::{Log, Named, all, named};
use super::finish::finish;
use super::half_done::{Step, Steps};
use super::reopen::Reopen;

/// Those that have a hole at their beginning.
pub(super) fn find_torn(runtimes: &[Listed]) -> Vec<Log> {
    let ended = all(runtimes).filter(|(container, ..)| {
        container.state == ContainerState::Exited && container.log_format == LogFormat::JsonFile
    });
    let logs = ended.filter_map(
        |(container, pod, runtime)| match named(container, pod, runtime) {
            Ok(Named::There(log)) => Some(log),
            _ => None,
        },
    );
    logs.filter(is_torn).collect()
}

fn is_torn(log: &Log) -> bool {
    let file = open_directory(&log.directory);
    let file = file.and_then(|it| open(&it, &log.file, OFlags::RDONLY));
    file.is_ok_and(|(file, _)| data_begin(&file) > 0)
}

pub(super) fn mend(log: &Log, steps: &Steps) -> Result<(), String> {
    let file = open_directory(&log.directory);
    let file = file.and_then(|it| open(&it, &log.file, OFlags::RDWR));
    let (file, looked) = file.map_err(|error| log.problem(&error.to_string()))?;
    if !looked.is_same(&log.looked) {
        return Ok(());
    }
    close_hole(&file, steps).map_err(|problem| log.problem(&problem))
}

/// Those that were renamed and not begun anew, each with the name that it has now.
pub(super) fn find_renamed(runtimes: &[Listed]) -> Vec<(Log, OsString)> {
    let named = all(runtimes).filter_map(|(container, pod, runtime)| {
        match named(container, pod, runtime) {
            Ok(Named::Renamed(log, former)) => Some((log, former)),
            _ => None,
        }
    });
    named.collect()
}

/// Has the runtime begin a new one. Where it does not, and where the container has ended, it
/// gets its name back: what writes it has it open still.
pub(super) fn finish_renaming(
    log: &Log,
    former: &OsStr,
    writer: LogWriter,
    runtimes: &[Listed],
    reopen: Reopen,
) -> Result<(), String> {
    let directory = open_directory(&log.directory);
    let directory = directory.map_err(|error| log.problem(&error.to_string()))?;
    let reopened = if log.runs {
        reopen(runtimes, log)
    } else {
        Err(String::from("its container has ended"))
    };
    if look(&directory, &log.file).is_ok() {
        return Ok(());
    }
    let why = reopened.err().unwrap_or_default();
    // Of one that runs an old part may lie there that nobody renamed just now.
    if log.runs && writer == LogWriter::Nobody {
        return Err(log.problem(&why));
    }
    let renamed = rename(&directory, former, &log.file);
    renamed.map_err(|error| log.problem(&format!("{why}; it is called {former:?} now ({error})")))
}

/// Finishes a step at that log, or at a former part of it; `None` where it is about neither.
pub(super) fn finish_step(
    log: &Log,
    step: &Step,
    is_still: bool,
    steps: &Steps,
) -> Option<Result<(), String>> {
    let directory = open_directory(&log.directory).ok()?;
    let is_it = |name: &OsStr| {
        let looked = look(&directory, name).ok();
        looked.is_some_and(|it| (it.device, it.inode) == (step.device, step.inode))
    };
    let (name, is_still) = if is_it(&log.file) {
        (log.file.clone(), is_still)
    } else if log.former_bytes > 0 {
        let mut former = rotated(&directory, &log.file).into_iter();
        // What was renamed is cut once nobody writes it.
        (former.find(|(name, _)| is_it(name))?.0, true)
    } else {
        return None;
    };
    let (file, _) = open(&directory, &name, OFlags::RDWR).ok()?;
    let done = finish(&file, record_format(log.format), step, is_still, steps);
    Some(done.map_err(|problem| log.problem(&problem)))
}
