//! Logs of CRI: renamed, begun anew by their runtime, and cut once nobody writes them.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use evictd_gc::{RecordFormat, rotated_name};
use evictd_stats::wall_seconds;
use rustix::fs::{AtFlags, OFlags, unlinkat};
use rustix::io::pread;

use super::act::Acting;
use super::cut::{Lost, cut, whole};
use super::file::{allocated, look, open, open_directory, rename, rotated};
use super::find::Log;
use super::half_done::Steps;
use super::told::GivenUp;

/// How a file begins that gzip has made.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// How many former parts of a log stay, as with the kubelet.
const MOST_FORMER: usize = 5;

impl Acting<'_> {
    /// Where the log itself is small, only its former parts go.
    pub(super) fn rotate(&mut self, log: &Log) -> Result<Option<GivenUp>, String> {
        let directory = open_directory(&log.directory).map_err(|error| error.to_string())?;
        if log.looked.allocated > self.keep {
            self.begin_anew(log, &directory)?;
        }
        self.cut_all(log, &directory, false)
    }

    /// The log of a container that has ended, and its former parts.
    pub(super) fn cut_former(&mut self, log: &Log) -> Result<Option<GivenUp>, String> {
        let directory = open_directory(&log.directory).map_err(|error| error.to_string())?;
        self.cut_all(log, &directory, true)
    }

    /// Killed before the last call, the next evictd finds the log by its new name
    /// (`mend::find_renamed`).
    fn begin_anew(&self, log: &Log, directory: &OwnedFd) -> Result<(), String> {
        let name = log.file.to_str().ok_or("its name is odd")?;
        let former = rotated_name(name, wall_seconds());
        let (name, former) = (OsStr::new(name), OsStr::new(&former));
        rename(directory, name, former).map_err(|error| format!("renaming: {error}"))?;
        self.steps.point()?;
        let reopened = (self.reopen)(self.runtimes, log);
        if reopened.is_ok() && look(directory, name).is_ok() {
            return self.steps.point();
        }
        let problem = reopened.err();
        let problem = problem.unwrap_or_else(|| String::from("its runtime began no new one"));
        // Its writer has it open still.
        match rename(directory, former, name) {
            Ok(()) => Err(problem),
            Err(error) => Err(format!("{problem}; it is called {former:?} now ({error})")),
        }
    }

    /// So much stays of all parts together, the newest of them.
    fn cut_all(
        &mut self,
        log: &Log,
        directory: &OwnedFd,
        with_current: bool,
    ) -> Result<Option<GivenUp>, String> {
        let current = look(directory, &log.file).map_err(|error| error.to_string())?;
        let former = rotated(directory, &log.file);
        let mut left = self.keep;
        let mut parts: Vec<Part> = Vec::new();
        if with_current {
            parts.push(Part {
                name: log.file.clone(),
                fate: Fate::Shortened,
            });
        } else {
            left = left.saturating_sub(current.allocated);
        }
        for (place, (name, looked)) in former.into_iter().enumerate() {
            let fate = if looked.user != current.user {
                Fate::Foreign
            } else if place.saturating_add(usize::from(with_current)) >= MOST_FORMER {
                Fate::Gone
            } else {
                Fate::Former
            };
            parts.push(Part { name, fate });
        }
        let (mut freed, mut lost) = (0_u64, None::<Lost>);
        for part in &parts {
            let (bytes, of_it) = match cut_part(directory, part, left, self.steps) {
                Ok(done) => done,
                Err(problem) => {
                    let name = &part.name;
                    self.problems
                        .push(log.problem(&format!("{name:?}: {problem}")));
                    continue;
                }
            };
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

/// A part of a log.
struct Part {
    name: OsString,
    fate: Fate,
}

/// What may become of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The log itself: its beginning may go.
    Shortened,
    /// A former part: all of it may go.
    Former,
    /// There are too many: it goes.
    Gone,
    /// Another user's than the log: it is none of its parts.
    Foreign,
}

struct Bytes {
    freed: u64,
    kept: u64,
}

/// Of one part so much stays, or nothing.
fn cut_part(
    directory: &OwnedFd,
    part: &Part,
    left: u64,
    steps: &Steps,
) -> Result<(Bytes, Option<Lost>), String> {
    let name = part.name.as_os_str();
    let (file, looked) = open(directory, name, OFlags::RDWR).map_err(|error| error.to_string())?;
    let is_too_large = looked.allocated > left;
    if part.fate == Fate::Foreign || !(is_too_large || part.fate == Fate::Gone) {
        let kept = looked.allocated;
        return Ok((Bytes { freed: 0, kept }, None));
    }
    let is_compressed = name.as_bytes().ends_with(b".gz");
    let all_of_it = is_compressed || left == 0 || part.fate == Fate::Gone;
    if all_of_it && part.fate != Fate::Shortened {
        let lost = whole(&file, RecordFormat::Cri);
        if lost.is_none() && !is_empty_or_compressed(&file) {
            return Err(String::from("it is no part of a log: left alone"));
        }
        unlinkat(directory, name, AtFlags::empty()).map_err(|error| error.to_string())?;
        let (freed, kept) = (looked.allocated, 0);
        return Ok((Bytes { freed, kept }, lost));
    }
    let lost = cut(&file, RecordFormat::Cri, left, true, steps)?;
    let kept = allocated(&file);
    let freed = looked.allocated.saturating_sub(kept);
    Ok((Bytes { freed, kept }, lost))
}

/// Whether a file has no content, or what gzip makes.
fn is_empty_or_compressed(file: &OwnedFd) -> bool {
    let mut begin = [0; GZIP.len()];
    match pread(file, &mut begin, 0) {
        Ok(0) => true,
        Ok(_) => begin == GZIP,
        Err(_) => false,
    }
}
