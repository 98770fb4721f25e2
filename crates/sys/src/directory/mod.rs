//! A directory that is held by its descriptor: whoever swaps it, or puts a link, a pipe or
//! a device in the place of a file, leads nobody elsewhere and holds up nobody.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FallocateFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

mod program;
mod way;

pub use program::changeable_by_others;
pub use way::{Links, open_below, open_directory};

/// Nothing is followed, nothing is waited for, and no terminal becomes ours.
const SAFELY: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// So much of a file is looked at for its lines.
const MOST_READ: u64 = 4 << 20;

/// A directory, and what is done to the regular files in it.
#[derive(Debug)]
pub struct Directory(OwnedFd);

impl Directory {
    /// Opens a directory; of links in its path those are followed that root has made
    /// ([`Links::OfRoot`]).
    ///
    /// # Errors
    /// The kernel's; `ENOTDIR` for another link.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(open_directory(path, Links::OfRoot)?))
    }

    /// Opens a directory, and makes it of mode 0755 where it is not, with those above it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_or_make(path: &Path) -> io::Result<Self> {
        let gone = match Self::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => error,
            opened => return opened,
        };
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(gone);
        };
        let above = Self::open_or_make(above)?;
        match rustix::fs::mkdirat(&above, name, Mode::from_raw_mode(0o755)) {
            // Another one was faster.
            Ok(()) | Err(Errno::EXIST) => Ok(Self(open_below(above, name)?)),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Whether nobody but the user that this process runs as can change what is in it.
    ///
    /// # Errors
    /// The kernel's.
    pub fn is_ours_alone(&self) -> io::Result<bool> {
        let found = rustix::fs::fstat(&self.0)?;
        let own = std::fs::metadata("/proc/self").map_or(found.st_uid, |process| process.uid());
        Ok(found.st_mode & 0o022 == 0 && found.st_uid == own)
    }

    /// A path that leads into this directory wherever it is now, as long as this lives.
    #[must_use]
    pub fn path_to(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.0.as_raw_fd()))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// The kernel's, and [`ErrorKind::InvalidInput`] for what is no regular file, and for one
    /// that somebody else than the directory's owner may write.
    pub fn read(&self, name: &str) -> io::Result<File> {
        let file = self.open_file(name, OFlags::RDONLY)?;
        self.of_owner(file)
    }

    /// The lines of a file, each with its end, that are no longer than `longest` bytes: the
    /// last `most` bytes of them, and none beyond the first 4 MiB of the file.
    ///
    /// # Errors
    /// As those of [`Directory::read`].
    pub fn read_lines(&self, name: &str, longest: usize, most: usize) -> io::Result<Vec<u8>> {
        let mut file = BufReader::new(self.read(name)?.take(MOST_READ));
        let (mut lines, mut line) = (Vec::new(), Vec::new());
        let limit = u64::try_from(longest).unwrap_or(u64::MAX).saturating_add(1);
        while (&mut file).take(limit).read_until(b'\n', &mut line)? > 0 {
            let has_end = line.pop_if(|last| *last == b'\n').is_some();
            if line.len() <= longest {
                lines.append(&mut line);
                lines.push(b'\n');
            }
            if !has_end {
                file.skip_until(b'\n')?;
            }
            line.clear();
            if lines.len() > most.saturating_mul(2) {
                keep_last(&mut lines, most);
            }
        }
        keep_last(&mut lines, most);
        Ok(lines)
    }

    /// Makes a file of mode 0600 for writing, that was not there.
    ///
    /// # Errors
    /// The kernel's; `EEXIST` for whatever has that name, be it a link that leads nowhere.
    pub fn create(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
    }

    /// Opens a regular file of mode 0600 for reading and writing, and makes it where it is
    /// not. What is no regular file, has another name elsewhere, or may be written by somebody
    /// else than the directory's owner, is removed before.
    ///
    /// # Errors
    /// The kernel's.
    pub fn write(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE;
        let opened = self.open_file(name, flags);
        let opened = opened.and_then(of_one_name);
        opened
            .and_then(|file| self.of_owner(file))
            .or_else(|error| {
                if Errno::from_io_error(&error) != Some(Errno::LOOP)
                    && error.kind() != ErrorKind::InvalidInput
                {
                    return Err(error);
                }
                self.remove(name)?;
                self.open_file(name, flags)
            })
    }

    fn open_file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let mode = Mode::RUSR | Mode::WUSR;
        let file = File::from(rustix::fs::openat(&self.0, name, flags | SAFELY, mode)?);
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(no_file_of_ours("not a regular file"))
        }
    }

    /// What others may write is not ours, whatever its name.
    fn of_owner(&self, file: File) -> io::Result<File> {
        let (directory, found) = (rustix::fs::fstat(&self.0)?, file.metadata()?);
        if found.uid() == directory.st_uid && found.mode() & 0o022 == 0 {
            Ok(file)
        } else {
            Err(no_file_of_ours("a file that others may write"))
        }
    }

    /// Gives a file another name, and takes that from what had it.
    ///
    /// # Errors
    /// The kernel's.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        rustix::fs::renameat_with(&self.0, from, &self.0, to, RenameFlags::empty())
            .map_err(io::Error::from)
    }

    /// # Errors
    /// The kernel's.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Has the names that were changed written to the disk.
    ///
    /// # Errors
    /// The kernel's.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Leaves whole lines, no more than `most` bytes of them.
fn keep_last(lines: &mut Vec<u8>, most: usize) {
    let Some(before) = lines.len().checked_sub(most.saturating_add(1)) else {
        return;
    };
    let rest = lines.get(before..).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == b'\n');
    let begin = before.saturating_add(end.map_or(rest.len(), |end| end.saturating_add(1)));
    lines.drain(..begin);
}

/// A hard link is the file itself, wherever its other name is.
fn of_one_name(file: File) -> io::Result<File> {
    if file.metadata()?.nlink() > 1 {
        return Err(no_file_of_ours("a file that has another name too"));
    }
    Ok(file)
}

fn no_file_of_ours(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

/// Has the filesystem keep room for so many bytes of a file.
///
/// # Errors
/// The kernel's: `ENOSPC` where there is none, `EOPNOTSUPP` where the filesystem cannot.
pub fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    Ok(rustix::fs::fallocate(
        file,
        FallocateFlags::empty(),
        0,
        bytes,
    )?)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod way_tests;
