use core::ffi::CStr;
use core::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, RawDir, SeekFrom, openat, seek};
use rustix::io::Errno;

use super::look::look_at;
use super::names::Names;
use super::tally::Tally;

/// A directory on the way down.
pub(crate) struct Level {
    /// `None` while closed.
    pub(crate) fd: Option<OwnedFd>,
    /// Which directory it is, once it was closed.
    inode: u64,
    device: u64,
    /// Where its listing goes on, for lseek(2).
    cookie: u64,
    /// The descriptor does not stand there: a listing is read a buffer at a time, so that after
    /// a stop within one it stands behind entries that nobody has looked at; and one that was
    /// opened anew stands at the beginning.
    moved: bool,
    /// Where its own names begin among all names.
    pub(crate) names: usize,
}

/// How a piece of a listing ended.
pub(crate) enum Listed {
    Part,
    End,
    /// A directory for whose name there was no room is walked at once.
    Child(OwnedFd),
}

impl Level {
    pub(crate) const fn new(fd: OwnedFd, names: usize) -> Self {
        Self {
            fd: Some(fd),
            inode: 0,
            device: 0,
            cookie: 0,
            moved: false,
            names,
        }
    }

    /// Closes it, for others to be opened.
    pub(crate) fn close(&mut self) {
        let Some(fd) = self.fd.take() else {
            return;
        };
        self.moved = true;
        if let Ok(found) = look_at(&fd, c"", AtFlags::EMPTY_PATH) {
            self.inode = found.inode;
            self.device = found.device;
        }
    }

    /// The directory above `child`, if it still is this one.
    pub(crate) fn reopen(&self, child: &OwnedFd) -> Option<OwnedFd> {
        let fd = open_dir(child, c"..", OFlags::NOFOLLOW).ok()?;
        let found = look_at(&fd, c"", AtFlags::EMPTY_PATH).ok()?;
        (found.inode == self.inode && found.device == self.device).then_some(fd)
    }

    /// Counts what one read of the listing gives, and notes the directories.
    /// Stops before its end when `stop` says so; that is heard between two
    /// entries.
    pub(crate) fn list(
        &mut self,
        names: &mut Names,
        tally: &mut Tally,
        buffer: &mut [MaybeUninit<u8>],
        stop: &dyn Fn(&Tally) -> bool,
    ) -> Listed {
        let Some(fd) = &self.fd else {
            return Listed::End;
        };
        if core::mem::take(&mut self.moved)
            && let Err(errno) = seek(fd, SeekFrom::Start(self.cookie))
        {
            tally.failed(errno);
            return Listed::End;
        }
        let mut entries = RawDir::new(fd, buffer);
        loop {
            let entry = match entries.next() {
                None => return Listed::End,
                Some(Err(errno)) => {
                    tally.failed(errno);
                    return Listed::End;
                }
                Some(Ok(entry)) => entry,
            };
            self.cookie = entry.next_entry_cookie();
            let name = entry.file_name();
            if !matches!(name.to_bytes(), b"." | b"..")
                && tally.visit(fd.as_fd(), name)
                && !names.push(name)
            {
                match open_dir(fd, name, OFlags::NOFOLLOW) {
                    Err(errno) => tally.not_opened(errno),
                    Ok(child) => {
                        self.moved = true;
                        return Listed::Child(child);
                    }
                }
            }
            if entries.is_buffer_empty() {
                return Listed::Part;
            }
            if stop(tally) {
                self.moved = true;
                return Listed::Part;
            }
        }
    }
}

/// Without touching the time of access where that is allowed: it is for the
/// owner and root, and spares the disk a write for each directory.
pub(crate) fn open_dir(from: impl AsFd, name: &CStr, links: OFlags) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | links;
    match openat(&from, name, flags | OFlags::NOATIME, Mode::empty()) {
        Err(Errno::PERM) => openat(&from, name, flags, Mode::empty()),
        opened => opened,
    }
}
