use core::ffi::CStr;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_stats::is_gone;
use rustix::fd::BorrowedFd;
use rustix::fs::{AtFlags, Stat, unlinkat};

use crate::Error;

/// A regular file in a directory that the operator named.
#[derive(Debug)]
pub struct NamedFile<'a> {
    pub(super) dir: BorrowedFd<'a>,
    pub(super) above: &'a Path,
    pub(super) name: &'a CStr,
    pub(super) stat: Stat,
}

impl NamedFile<'_> {
    /// When it was last written to, in nanoseconds since 1970.
    #[must_use]
    pub fn modified_nanos(&self) -> i64 {
        nanos(self.stat.st_mtime, self.stat.st_mtime_nsec.into())
    }

    /// When it last changed in any way, in nanoseconds since 1970.
    #[must_use]
    pub fn changed_nanos(&self) -> i64 {
        nanos(self.stat.st_ctime, self.stat.st_ctime_nsec.into())
    }

    /// What it takes on the disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        wide(self.stat.st_blocks.into()).saturating_mul(512)
    }

    /// How many names it has.
    #[must_use]
    pub fn links(&self) -> u64 {
        wide(self.stat.st_nlink.into())
    }

    /// Deletes it. What is gone already is no error.
    ///
    /// # Errors
    /// As unlink(2).
    pub fn delete(&self) -> Result<(), Error> {
        match unlinkat(self.dir, self.name, AtFlags::empty()) {
            Err(errno) if !is_gone(errno) => Err(Error {
                path: path_of(self.above, self.name),
                errno,
            }),
            _ => Ok(()),
        }
    }
}

pub(super) fn path_of(above: &Path, name: &CStr) -> PathBuf {
    match name.to_bytes() {
        b"" => above.to_path_buf(),
        name => above.join(OsStr::from_bytes(name)),
    }
}

pub(super) fn device(stat: &Stat) -> u64 {
    wide(stat.st_dev.into())
}

/// The numbers have other widths on each processor.
fn wide(number: i128) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn nanos(seconds: i64, below: i128) -> i64 {
    let below = i64::try_from(below).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(below)
}
