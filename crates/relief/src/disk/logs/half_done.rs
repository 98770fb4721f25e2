//! What is being done to a log's file, written down for as long as it is half done.
//!
//! Each step is an empty file in the state directory, and its name says all of it: it is made
//! at once or not at all, and on a disk without a free block too. After a `kill -9` the next
//! evictd finds it, and finishes what it says.

use core::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use evictd_stats::each_entry;
use evictd_sys::Directory;
use rustix::fs::fstat;

/// How the files' names begin.
const NAME: &str = "log-step";

/// More of them are not looked at: one is under way at a time.
const MOST: usize = 64;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A notice is written, and what is before it cut off.
    Collapse,
    /// A notice is written, and what is before it made a hole.
    Punch,
    /// What stays is copied to the front, and the file made shorter.
    Shift,
}

const KINDS: [(&str, Kind); 3] = [
    ("collapse", Kind::Collapse),
    ("punch", Kind::Punch),
    ("shift", Kind::Shift),
];

/// One such step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) kind: Kind,
    pub(super) device: u64,
    pub(super) inode: u64,
    /// The size of the file before it.
    pub(super) size: u64,
    /// What is before this goes.
    pub(super) at: u64,
    /// Where the first whole record is that stays: the notice ends there.
    pub(super) behind: u64,
}

impl Step {
    pub(super) fn of(file: &OwnedFd, kind: Kind, at: u64, behind: u64) -> Result<Self, String> {
        let stat = fstat(file).map_err(|error| error.to_string())?;
        Ok(Self {
            kind,
            device: stat.st_dev,
            inode: stat.st_ino,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            at,
            behind,
        })
    }

    fn name(&self) -> String {
        let kind = KINDS.iter().find(|(_, kind)| *kind == self.kind);
        let word = kind.map_or("", |(word, _)| word);
        let Self {
            device,
            inode,
            size,
            at,
            behind,
            ..
        } = self;
        format!("{NAME}.{word}.{device}.{inode}.{size}.{at}.{behind}")
    }

    fn parse(name: &[u8]) -> Option<Self> {
        let mut parts = core::str::from_utf8(name).ok()?.split('.');
        let (name, word) = (parts.next()?, parts.next()?);
        let (_, kind) = KINDS.iter().find(|(of, _)| *of == word)?;
        let mut number = || parts.next()?.parse::<u64>().ok();
        let step = Self {
            kind: *kind,
            device: number()?,
            inode: number()?,
            size: number()?,
            at: number()?,
            behind: number()?,
        };
        (name == NAME && parts.next().is_none()).then_some(step)
    }
}

/// Where they are written down.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// `None` without a state directory: then only what is seen from the logs' names is
    /// finished.
    directory: Option<Directory>,
    /// After how many points a test ends it, as `kill -9` would.
    #[cfg(test)]
    pub(super) left: core::sync::atomic::AtomicUsize,
}

impl Steps {
    /// A directory in which others may write is none.
    pub(super) fn of(state_dir: Option<&Path>) -> Self {
        let opened = state_dir.and_then(|path| Directory::open(path).ok());
        let directory = opened.filter(|it| it.is_ours_alone().unwrap_or(false));
        Self {
            directory,
            #[cfg(test)]
            left: core::sync::atomic::AtomicUsize::new(0),
        }
    }

    /// Where they are written.
    pub(super) fn directory(&self) -> Option<BorrowedFd<'_>> {
        self.directory.as_ref().map(AsFd::as_fd)
    }

    /// Those that are half done.
    pub(super) fn left_over(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        if let Some(directory) = &self.directory {
            // What was listed until something failed is known all the same.
            let _ = each_entry(directory.as_fd(), &mut |name, _| {
                steps.extend(Step::parse(name.to_bytes()));
                Ok(if steps.len() < MOST {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                })
            });
        }
        steps
    }

    /// Before it begins. Where it cannot be written down it is done all the same: the disk
    /// is full, and without it a pod is evicted.
    pub(super) fn begin(&self, step: &Step) -> Result<(), String> {
        self.point()?;
        if let Some(directory) = &self.directory {
            let _ = directory.create(&step.name());
        }
        self.point()
    }

    /// Once it is over.
    pub(super) fn end(&self, step: &Step) {
        if let Some(directory) = &self.directory {
            let _ = directory.remove(&step.name());
        }
    }

    /// Between any two calls that change a file.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "a test ends it here"))]
    #[cfg_attr(not(test), expect(clippy::unnecessary_wraps, reason = "as above"))]
    pub(super) fn point(&self) -> Result<(), String> {
        #[cfg(test)]
        {
            use core::sync::atomic::Ordering::Relaxed;
            match self.left.load(Relaxed) {
                0 => {}
                1 => return Err(String::from("killed")),
                left => self.left.store(left - 1, Relaxed),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_read_as_it_was_written() {
        for (_, kind) in KINDS {
            let step = Step {
                kind,
                device: u64::MAX,
                inode: 2,
                size: 3,
                at: 0,
                behind: 5,
            };
            assert_eq!(Step::parse(step.name().as_bytes()), Some(step));
        }
        for name in [
            "",
            "log-step",
            "log-step.cut.1.2.3.4.5",
            "log-step.punch.1.2.3.4",
            "log-step.punch.1.2.3.4.5.6",
            "log-step.punch.1.2.3.4.-5",
            "log-step.punch.1.2.3.4.18446744073709551616",
            "other.punch.1.2.3.4.5",
        ] {
            assert_eq!(Step::parse(name.as_bytes()), None, "{name}");
        }
        assert_eq!(Step::parse(b"log-step.punch.1.2.3.4.\xff"), None);
    }
}
