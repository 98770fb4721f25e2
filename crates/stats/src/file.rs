use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::{Errno, pread};

use crate::Result;
use crate::error::Cause;

/// Room for the largest file that is read in every round, so that it grows at
/// start-up at most: a v2 `memory.stat` has some 2 KiB, `/proc/meminfo` 1.5.
const INITIAL_BYTES: usize = 8192;

/// A buffer that is filled again and again and grows only for a file larger
/// than all before.
#[derive(Debug)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
}

impl Buffer {
    pub(crate) fn new() -> Self {
        Self {
            bytes: vec![0; INITIAL_BYTES],
        }
    }

    /// Reads an open file from its start to its end.
    ///
    /// The kernel makes up these files while they are read: each pread from
    /// offset 0 shows the present numbers, and no seek is needed.
    pub(crate) fn fill(&mut self, file: impl AsFd) -> core::result::Result<&[u8], Errno> {
        let mut length = 0usize;
        loop {
            if length == self.bytes.len() {
                self.bytes.resize(length.saturating_mul(2), 0);
            }
            let room = self.bytes.get_mut(length..).unwrap_or_default();
            let offset = u64::try_from(length).unwrap_or(u64::MAX);
            match pread(&file, room, offset) {
                Ok(0) => return Ok(self.bytes.get(..length).unwrap_or_default()),
                Ok(more) => length = length.saturating_add(more),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }
}

/// Opens a file for reading, by name from a directory.
pub(crate) fn open_from(
    dir: impl AsFd,
    name: impl rustix::path::Arg,
) -> core::result::Result<OwnedFd, Errno> {
    openat(dir, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

/// A whole file that is needed once.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let mut buffer = Buffer::new();
    let length = open_from(rustix::fs::CWD, path)
        .and_then(|file| buffer.fill(file).map(<[u8]>::len))
        .map_err(|errno| Cause::from(errno).at(path))?;
    buffer.bytes.truncate(length);
    Ok(buffer.bytes)
}
