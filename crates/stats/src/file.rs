use core::result::Result as CoreResult;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use evictd_kerntext::{Limit, MemoryStat, parse_limit, parse_memory_stat, parse_u64};
use once_cell::unsync::OnceCell;
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, pread};

use crate::error::{Cause, Failed};
use crate::{Result, is_gone};

/// Room for the largest file that is read in every round, so that it grows at
/// start-up at most: a v2 `memory.stat` has some 2 KiB, `/proc/meminfo` 1.5.
const INITIAL_BYTES: usize = 8192;

/// Room for a number or a line of some: the kernel clears as much memory as is asked
/// for before it fills in a file of `/proc/sys`.
const SHORT_BYTES: usize = 64;

/// No kernel file that is read here comes near it; one that does is refused
/// rather than held in memory.
const MOST_BYTES: usize = 16 << 20;

/// What was read last: a buffer that is filled again and again and grows only
/// for a file larger than all before.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    length: usize,
}

impl Buffer {
    /// A buffer with room for the usual files.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bytes: vec![0; INITIAL_BYTES],
            length: 0,
        }
    }

    /// What was read last; part of it or nothing when that failed.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Reads an open file from its start to its end.
    ///
    /// The kernel makes up these files while they are read: each pread from
    /// offset 0 shows the present numbers, and no seek is needed.
    ///
    /// # Errors
    /// As pread(2): `ENODEV` for a file of a cgroup that is gone. `EFBIG`
    /// beyond 16 MiB.
    pub fn fill(&mut self, file: impl AsFd) -> CoreResult<(), Errno> {
        self.length = 0;
        while self.read_more(&file, usize::MAX)? != 0 {}
        Ok(())
    }

    /// The same for a file that the kernel shows in one piece, as those with
    /// numbers are (`single_open` in its code) and lists are not: there a pread
    /// that leaves room has come to the end, and the one that would say so is
    /// saved.
    pub(crate) fn fill_shown(&mut self, file: impl AsFd) -> CoreResult<(), Errno> {
        self.fill_in_one(file, usize::MAX)
    }

    /// The same for a file that is expected to be shorter than `expected` bytes.
    fn fill_in_one(&mut self, file: impl AsFd, expected: usize) -> CoreResult<(), Errno> {
        self.length = 0;
        let mut end = expected.min(self.bytes.len());
        while self.read_more(&file, end)? != 0 && self.length == end {
            if end == self.bytes.len() {
                self.grow()?;
            }
            end = self.bytes.len();
        }
        Ok(())
    }

    fn read_more(&mut self, file: impl AsFd, up_to: usize) -> CoreResult<usize, Errno> {
        if self.length == self.bytes.len() {
            self.grow()?;
        }
        let end = up_to.min(self.bytes.len());
        let room = self.bytes.get_mut(self.length..end).unwrap_or_default();
        let offset = u64::try_from(self.length).unwrap_or(u64::MAX);
        loop {
            match pread(&file, &mut *room, offset) {
                Err(Errno::INTR) => {}
                read => {
                    self.length = self.length.saturating_add(read.unwrap_or(0));
                    return read;
                }
            }
        }
    }

    fn grow(&mut self) -> CoreResult<(), Errno> {
        let larger = self.bytes.len().saturating_mul(2);
        if larger > MOST_BYTES {
            return Err(Errno::FBIG);
        }
        self.bytes.resize(larger, 0);
        Ok(())
    }

    pub(crate) fn value(&self) -> CoreResult<u64, Cause> {
        Ok(parse_u64(self.text())?)
    }

    pub(crate) fn limit(&self) -> CoreResult<Limit, Cause> {
        Ok(parse_limit(self.text())?)
    }

    pub(crate) fn memory_stat(&self) -> CoreResult<MemoryStat, Cause> {
        Ok(parse_memory_stat(self.text())?)
    }
}

impl Default for Buffer {
    fn default() -> Self {
        Self::new()
    }
}

/// A file that stays open from one round to the next.
///
/// It is opened when it is first read, and again when the kernel says that
/// what was open is gone: a cgroup that was removed and made anew has the old
/// path, but the old descriptor answers `ENODEV` for ever.
#[derive(Debug)]
pub(crate) struct KeptFile {
    path: PathBuf,
    expected: usize,
    open: OnceCell<OwnedFd>,
}

impl KeptFile {
    pub(crate) const fn new(path: PathBuf) -> Self {
        Self {
            path,
            expected: usize::MAX,
            open: OnceCell::new(),
        }
    }

    /// One that holds a number, or one line of some.
    pub(crate) const fn short(path: PathBuf) -> Self {
        Self {
            path,
            expected: SHORT_BYTES,
            open: OnceCell::new(),
        }
    }

    /// Reads the file and parses what is in it.
    pub(crate) fn parse<T>(
        &mut self,
        buffer: &mut Buffer,
        parse: impl FnOnce(&Buffer) -> CoreResult<T, Cause>,
    ) -> CoreResult<T, Failed<'_>> {
        let parsed = self.read(buffer).and_then(parse);
        parsed.map_err(|cause| Failed {
            cause,
            path: &self.path,
        })
    }

    fn read<'a>(&mut self, buffer: &'a mut Buffer) -> CoreResult<&'a Buffer, Cause> {
        if let Some(file) = self.open.get() {
            match buffer.fill_in_one(file, self.expected) {
                Err(errno) if is_gone(errno) => drop(self.open.take()),
                filled => return Ok(filled.map(|()| &*buffer)?),
            }
        }
        let file = self.open.get_or_try_init(|| open_from(CWD, &self.path))?;
        buffer.fill_in_one(file, self.expected)?;
        Ok(buffer)
    }
}

/// Opens a file for reading, by name from a directory.
pub(crate) fn open_from(
    dir: impl AsFd,
    name: impl rustix::path::Arg,
) -> CoreResult<OwnedFd, Errno> {
    openat(dir, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

/// A whole file that is needed once.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let mut buffer = Buffer::new();
    open_from(CWD, path)
        .and_then(|file| buffer.fill(file))
        .map_err(|errno| Cause::from(errno).at(path))?;
    buffer.bytes.truncate(buffer.length);
    Ok(buffer.bytes)
}
