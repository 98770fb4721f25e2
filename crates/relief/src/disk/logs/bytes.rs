//! The calls that change a log's file.

use std::os::fd::OwnedFd;

use rustix::fs::{FallocateFlags, SeekFrom, fallocate, fdatasync, fstat, ftruncate, seek};
use rustix::io::{Errno, pread, pwrite};

use super::half_done::{Kind, Step, Steps};

/// How much is copied at a time, and how far behind the cut a record has to begin. Docker
/// splits what is longer than 16 KiB, which may be six times as long as JSON.
pub(super) const WINDOW: usize = 256 << 10;

/// Where the first data of a file is; 0 where its filesystem does not say.
pub(super) fn data_begin(file: &OwnedFd) -> u64 {
    seek(file, SeekFrom::Data(0)).unwrap_or(0)
}

/// Makes the file begin later by so much.
pub(super) fn collapse(file: &OwnedFd, length: u64) -> Result<(), Errno> {
    fallocate(file, FallocateFlags::COLLAPSE_RANGE, 0, length)
}

pub(super) fn make_hole(file: &OwnedFd, length: u64) -> Result<(), String> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    let made = fallocate(file, flags, 0, length);
    made.map_err(|error| in_words("punching a hole in its beginning", error))
}

/// Moves what lies at `from` and behind it to the front, after `head`, and cuts off the rest:
/// for filesystems that cannot do it. Until the last step all of it is still where it was.
pub(super) fn shift(
    file: &OwnedFd,
    at: u64,
    head: &[u8],
    mut from: u64,
    steps: &Steps,
) -> Result<(), String> {
    if size(file)?.saturating_sub(at) > at {
        return Err(String::from("there is too little of it to be moved"));
    }
    let step = Step::of(file, Kind::Shift, at, from)?;
    steps.begin(&step)?;
    write_whole(file, head, 0)?;
    steps.point()?;
    let (mut to, mut chunk) = (length(head), vec![0; WINDOW]);
    loop {
        let count = pread(file, &mut chunk, from).map_err(|error| in_words("reading", error))?;
        let Some(part) = chunk.get(..count).filter(|part| !part.is_empty()) else {
            break;
        };
        write_whole(file, part, to)?;
        steps.point()?;
        from = from.saturating_add(length(part));
        to = to.saturating_add(length(part));
    }
    let done = fdatasync(file).and_then(|()| ftruncate(file, to));
    done.map_err(|error| in_words("making it shorter", error))?;
    steps.point()?;
    steps.end(&step);
    Ok(())
}

/// Whether a filesystem lacks a means, where another may do.
pub(super) fn is_unable(error: Errno) -> bool {
    matches!(error, Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL)
}

pub(super) fn size(file: &OwnedFd) -> Result<u64, String> {
    let stat = fstat(file).map_err(|error| in_words("looking at it", error))?;
    Ok(u64::try_from(stat.st_size).unwrap_or(0))
}

pub(super) fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(0)
}

pub(super) fn in_words(what: &str, error: Errno) -> String {
    format!("{what}: {error}")
}

pub(super) fn read_whole(file: &OwnedFd, bytes: &mut [u8], at: u64) -> Result<(), String> {
    let (mut rest, mut at) = (bytes, at);
    while !rest.is_empty() {
        match pread(file, &mut *rest, at) {
            Ok(0) => return Err(String::from("it became shorter meanwhile")),
            Ok(count) => {
                rest = rest.get_mut(count..).unwrap_or_default();
                at = at.saturating_add(u64::try_from(count).unwrap_or(0));
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(in_words("reading", error)),
        }
    }
    Ok(())
}

pub(super) fn write_whole(file: &OwnedFd, bytes: &[u8], at: u64) -> Result<(), String> {
    let (mut rest, mut at) = (bytes, at);
    while !rest.is_empty() {
        match pwrite(file, rest, at) {
            Ok(0) => return Err(String::from("nothing can be written to it")),
            Ok(count) => {
                rest = rest.get(count..).unwrap_or_default();
                at = at.saturating_add(u64::try_from(count).unwrap_or(0));
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(in_words("writing", error)),
        }
    }
    Ok(())
}
