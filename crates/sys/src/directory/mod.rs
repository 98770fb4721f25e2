//! A directory that is held by its descriptor: whoever swaps it, or puts a link, a pipe or
//! a device in the place of a file, leads nobody elsewhere and holds up nobody.

use std::fs::File;
use std::io::{self, ErrorKind};
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
    /// The kernel's, and [`ErrorKind::InvalidInput`] for what is no regular file.
    pub fn read(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlags::RDONLY)
    }

    /// Makes a file of mode 0600 for writing, that was not there.
    ///
    /// # Errors
    /// The kernel's; `EEXIST` for whatever has that name, be it a link that leads nowhere.
    pub fn create(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
    }

    /// Opens a regular file of mode 0600 for reading and writing, and makes it where it is
    /// not. What is no regular file, or has another name elsewhere, is removed before.
    ///
    /// # Errors
    /// The kernel's.
    pub fn write(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE;
        let opened = self.open_file(name, flags);
        opened.and_then(of_one_name).or_else(|error| {
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
