use core::ffi::CStr;
use core::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, SeekFrom, openat, seek};
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
    /// Of a directory that was closed, or in which a file of several names was met.
    device: Option<u64>,
    /// Where its listing goes on, for lseek(2).
    cookie: u64,
    /// The descriptor does not stand there: a listing is read a buffer at a time, so that after
    /// a stop within one it stands behind entries that nobody has looked at; and one that was
    /// opened anew stands at the beginning.
    moved: bool,
    /// Where its own names begin among all names.
    pub(crate) names: usize,
}

/// What a piece of a listing is to keep to.
pub(crate) struct Rules<'a> {
    /// Which names count.
    pub(crate) counts: &'a dyn Fn(&CStr) -> bool,
    /// When it is to stop.
    pub(crate) stop: &'a dyn Fn(&Tally) -> bool,
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
            device: None,
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
            self.device = Some(found.device);
        }
    }

    /// The directory above `child`, if it still is this one.
    pub(crate) fn reopen(&self, child: &OwnedFd) -> Option<OwnedFd> {
        let fd = open_dir(child, c"..", OFlags::NOFOLLOW).ok()?;
        let found = look_at(&fd, c"", AtFlags::EMPTY_PATH).ok()?;
        (found.inode == self.inode && Some(found.device) == self.device).then_some(fd)
    }

    /// Counts what one read of the listing gives, of names that count, and notes the
    /// directories. Stops before its end when the rules say so; that is heard between two
    /// entries.
    pub(crate) fn list(
        &mut self,
        names: &mut Names,
        tally: &mut Tally,
        buffer: &mut [MaybeUninit<u8>],
        rules: &Rules<'_>,
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
            let is_dots = matches!(name.to_bytes(), b"." | b"..");
            let inode = (entry.file_type() == FileType::RegularFile).then(|| entry.ino());
            if !is_dots
                && (rules.counts)(name)
                && !tally.knows(inode, || device_of(fd, &mut self.device))
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
            if (rules.stop)(tally) {
                self.moved = true;
                return Listed::Part;
            }
        }
    }
}

/// The device that an open directory lies on.
fn device_of(fd: &OwnedFd, known: &mut Option<u64>) -> Option<u64> {
    if known.is_none() {
        let found = look_at(fd, c"", AtFlags::EMPTY_PATH).ok();
        *known = found.map(|found| found.device);
    }
    *known
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
