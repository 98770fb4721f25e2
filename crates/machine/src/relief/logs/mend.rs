//! Logs whose beginning was made a hole, and whose container has ended since.

use evictd_containers::{ContainerState, LogFormat};

use rustix::fs::OFlags;

use super::cut::{close_hole, data_begin};
use super::file::{open, open_directory};
use super::find::{Log, all, named};
use crate::relief::Listed;

/// Those that have a hole at their beginning.
pub(super) fn find_torn(runtimes: &[Listed]) -> Vec<Log> {
    let ended = all(runtimes).filter(|(container, ..)| {
        container.state == ContainerState::Exited && container.log_format == LogFormat::JsonFile
    });
    let logs = ended.filter_map(|(container, pod, runtime)| named(container, pod, runtime).ok()?);
    logs.filter(is_torn).collect()
}

fn is_torn(log: &Log) -> bool {
    let file = open_directory(&log.directory);
    let file = file.and_then(|it| open(&it, &log.file, OFlags::RDONLY));
    file.is_ok_and(|(file, _)| data_begin(&file) > 0)
}

pub(super) fn mend(log: &Log) -> Result<(), String> {
    let file = open_directory(&log.directory);
    let file = file.and_then(|it| open(&it, &log.file, OFlags::RDWR));
    let (file, looked) = file.map_err(|error| log.problem(&error.to_string()))?;
    if !looked.is_same(&log.looked) {
        return Ok(());
    }
    close_hole(&file).map_err(|problem| log.problem(&problem))
}
