use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use evictd_kerntext::{Limit, parse_limit, parse_u64};
use once_cell::unsync::OnceCell;
use rustix::buffer::spare_capacity;
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, pread, retry_on_intr};

use crate::error::{Cause, Failed};
use crate::{Error, is_gone, noted_lack};

/// Room for the largest file that is read in every round, so that it grows at
/// start-up at most: a v2 `memory.stat` has some 2 KiB, `/proc/meminfo` 1.5.
const INITIAL_BYTES: usize = 8192;

/// No kernel file that is read here comes near it; one that does is refused
/// rather than held in memory.
const MOST_BYTES: usize = 16 << 20;

/// What was read last: a buffer that is filled again and again and grows only
/// for a file larger than all before.
#[derive(Debug)]
pub(crate) struct Buffer(Vec<u8>);

impl Buffer {
    /// A buffer with room for the usual files.
    pub(crate) fn new() -> Self {
        Self(Vec::with_capacity(INITIAL_BYTES))
    }

    /// What was read last; part of it or nothing when that failed.
    pub(crate) fn text(&self) -> &[u8] {
        &self.0
    }

    /// Reads an open file from its start to its end.
    ///
    /// The kernel makes up these files while they are read: each pread from
    /// offset 0 shows the present numbers, and no seek is needed.
    ///
    /// # Errors
    /// As pread(2): `ENODEV` for a file of a cgroup that is gone. `EFBIG`
    /// beyond 16 MiB.
    pub(crate) fn fill(&mut self, file: impl AsFd) -> Result<(), Errno> {
        self.0.clear();
        while self.read_more(&file)? != 0 {}
        Ok(())
    }

    /// Reads the file with that path.
    pub(crate) fn fill_from(&mut self, path: &Path) -> Result<(), Errno> {
        self.fill(open_from(CWD, path)?)
    }

    /// As [`fill`](Self::fill), for a file that the kernel shows in one piece, as those with
    /// numbers are (`single_open` in its code) and lists are not: there a pread
    /// that leaves room has come to the end, and the one that would say so is
    /// saved.
    pub(crate) fn fill_shown(&mut self, file: impl AsFd) -> Result<(), Errno> {
        self.0.clear();
        while self.read_more(&file)? != 0 && self.0.len() == self.0.capacity() {}
        Ok(())
    }

    fn read_more(&mut self, file: impl AsFd) -> Result<usize, Errno> {
        let length = self.0.len();
        if length == self.0.capacity() {
            if length >= MOST_BYTES {
                return Err(Errno::FBIG);
            }
            self.0.reserve(length);
        }
        let offset = u64::try_from(length).unwrap_or(u64::MAX);
        retry_on_intr(|| pread(&file, spare_capacity(&mut self.0), offset))
    }

    /// A counter. None comes near to what stands for "no limit": one that has fallen below
    /// zero does.
    pub(crate) fn value(&self) -> Result<u64, Cause> {
        match parse_u64(self.text())? {
            Limit::UNLIMITED_FROM.. => Err(Cause::Impossible("its number")),
            value => Ok(value),
        }
    }

    pub(crate) fn limit(&self) -> Result<Limit, Cause> {
        Ok(parse_limit(self.text())?)
    }
}

/// A file that stays open from one round to the next.
///
/// It is opened when it is first read, and again when the kernel says that
/// what was open is gone: a cgroup that was removed and made anew has the old
/// path, but the old descriptor gives `ENODEV` for ever.
#[derive(Debug)]
pub(crate) struct KeptFile {
    path: PathBuf,
    open: OnceCell<OwnedFd>,
}

impl KeptFile {
    pub(crate) const fn new(path: PathBuf) -> Self {
        let open = OnceCell::new();
        Self { path, open }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file and parses what is in it.
    pub(crate) fn parse<T>(
        &mut self,
        buffer: &mut Buffer,
        parse: impl FnOnce(&Buffer) -> Result<T, Cause>,
    ) -> Result<T, Failed<'_>> {
        let parsed = self.read(buffer).map_err(Cause::from);
        parsed.and_then(|()| parse(buffer)).map_err(|cause| Failed {
            cause,
            path: &self.path,
        })
    }

    fn read(&mut self, buffer: &mut Buffer) -> Result<(), Errno> {
        if let Some(file) = self.open.get() {
            match buffer.fill_shown(file) {
                // Whatever it was: what is opened anew may be read.
                Err(_) => drop(self.open.take()),
                Ok(()) => return Ok(()),
            }
        }
        twice(|| {
            let file = self.open.get_or_try_init(|| open_from(CWD, &self.path))?;
            buffer.fill_shown(file)
        })
    }
}

/// Tries once more what has failed, unless it is gone: one failure of the kernel's is no
/// reason to take a pod or a signal for unknown (acceptance row 178).
pub(crate) fn twice<T>(mut attempt: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    match attempt() {
        Err(errno) if !is_gone(errno) => attempt(),
        done => done,
    }
}

/// Opens a file for reading, by name from a directory.
pub(crate) fn open_from(dir: impl AsFd, name: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty()).map_err(noted_lack)
}

/// Reads a file of a directory, one that the kernel shows in one piece, and parses what
/// is in it.
pub(crate) fn parse_at<T>(
    dir: impl AsFd,
    name: &'static str,
    buffer: &mut Buffer,
    parse: impl FnOnce(&Buffer) -> Result<T, Cause>,
) -> Result<T, Failed<'static>> {
    let filled = twice(|| open_from(&dir, name).and_then(|file| buffer.fill_shown(file)));
    let parsed = filled.map_err(Cause::from).and_then(|()| parse(buffer));
    parsed.map_err(|cause| Failed {
        cause,
        path: Path::new(name),
    })
}

/// A whole file that is needed once.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    let mut buffer = Buffer::new();
    twice(|| buffer.fill_from(path)).map_err(|errno| Cause::from(errno).at(path))?;
    Ok(buffer.0)
}

#[cfg(test)]
mod tests;
