//! Logs of CRI: renamed, begun anew by their runtime, and cut once nobody writes them.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use evictd_gc::{RecordFormat, rotated_name};
use evictd_stats::wall_seconds;
use rustix::fs::{AtFlags, OFlags, RenameFlags, renameat, renameat_with, unlinkat};
use rustix::io::Errno;

use super::act::Acting;
use super::cut::{Lost, cut, whole};
use super::file::{allocated, look, open, open_directory, rotated};
use super::find::Log;
use super::told::GivenUp;
use crate::runtimes::open_first;

/// How many former parts of a log stay, as with the kubelet.
const MOST_FORMER: usize = 5;

impl Acting<'_> {
    /// Where the log itself is small, only its former parts go.
    pub(super) fn rotate(&self, log: &Log) -> Result<Option<GivenUp>, String> {
        if log.looked.allocated > self.keep {
            self.begin_anew(log)?;
        }
        self.cut_all(log, false)
    }

    /// The log of a container that has ended, and its former parts.
    pub(super) fn cut_former(&self, log: &Log) -> Result<Option<GivenUp>, String> {
        self.cut_all(log, true)
    }

    fn begin_anew(&self, log: &Log) -> Result<(), String> {
        let directory = open_directory(&log.directory).map_err(|error| error.to_string())?;
        let name = log.file.to_str().ok_or("its name is odd")?;
        let former = rotated_name(name, wall_seconds());
        rename(&directory, name, &former).map_err(|error| format!("renaming: {error}"))?;
        let listed = self
            .runtimes
            .get(log.runtime)
            .ok_or("its runtime is gone")?;
        let reopened = open_first(&listed.candidate)
            .and_then(|(mut runtime, _)| runtime.reopen_log(&log.id))
            .map_err(|error| error.to_string());
        if reopened.is_ok() && look(&log.directory.join(name)).is_ok() {
            return Ok(());
        }
        let problem = reopened.err();
        let problem = problem.unwrap_or_else(|| String::from("its runtime began no new one"));
        // Its writer has it open still.
        match rename(&directory, &former, name) {
            Ok(()) => Err(problem),
            Err(error) => Err(format!("{problem}; it is called {former} now ({error})")),
        }
    }

    /// So much stays of all parts together, the newest of them.
    fn cut_all(&self, log: &Log, with_current: bool) -> Result<Option<GivenUp>, String> {
        let directory = open_directory(&log.directory).map_err(|error| error.to_string())?;
        let current = look(&log.directory.join(&log.file)).map_err(|error| error.to_string())?;
        let former = rotated(&log.directory, log.file.as_bytes());
        let mut parts: Vec<OsString> = Vec::new();
        let mut left = self.keep;
        if with_current {
            parts.push(log.file.clone());
        } else {
            left = left.saturating_sub(current.allocated);
        }
        parts.extend(former.into_iter().map(|(name, _)| name));
        let (mut freed, mut lost) = (0_u64, None::<Lost>);
        for (place, part) in parts.iter().enumerate() {
            let (bytes, of_it) = cut_part(&directory, part, left, place >= MOST_FORMER)
                .map_err(|problem| format!("{part:?}: {problem}"))?;
            freed = freed.saturating_add(bytes.freed);
            left = left.saturating_sub(bytes.kept);
            // From the newest part to the oldest.
            lost = match (lost, of_it) {
                (Some(newer), Some(older)) => Some(Lost {
                    from: older.from,
                    ..newer
                }),
                (newer, older) => newer.or(older),
            };
        }
        Ok((freed > 0).then(|| GivenUp::new(log, freed, lost)))
    }
}

struct Bytes {
    freed: u64,
    kept: u64,
}

/// Of one part so much stays, or nothing.
fn cut_part(
    directory: &OwnedFd,
    part: &OsStr,
    left: u64,
    is_too_many: bool,
) -> Result<(Bytes, Option<Lost>), String> {
    let (file, looked) = open(directory, part, OFlags::RDWR).map_err(|error| error.to_string())?;
    let untouched = Bytes {
        freed: 0,
        kept: looked.allocated,
    };
    if looked.allocated <= left && !is_too_many {
        return Ok((untouched, None));
    }
    let is_current = !part.as_bytes().last().is_some_and(u8::is_ascii_digit);
    let is_compressed = part.as_bytes().ends_with(b".gz");
    if is_too_many || is_compressed || (left == 0 && !is_current) {
        let lost = whole(&file, RecordFormat::Cri);
        unlinkat(directory, part, AtFlags::empty()).map_err(|error| error.to_string())?;
        let (freed, kept) = (looked.allocated, 0);
        return Ok((Bytes { freed, kept }, lost));
    }

    let lost = cut(&file, RecordFormat::Cri, left, true)?;
    let kept = allocated(&file);
    let freed = looked.allocated.saturating_sub(kept);
    Ok((Bytes { freed, kept }, lost))
}

/// Over nothing that is there.
fn rename(directory: &OwnedFd, from: &str, to: &str) -> Result<(), Errno> {
    match renameat_with(directory, from, directory, to, RenameFlags::NOREPLACE) {
        // Before Linux 3.15, and on filesystems that lack it.
        Err(Errno::INVAL | Errno::NOSYS) => renameat(directory, from, directory, to),
        done => done,
    }
}
