use alloc::vec;
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};
use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use evictd_node::Mono;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir, SeekFrom, openat, seek};
use rustix::io::Errno;

use super::tally::{Tally, device, look_at};
use super::usage::TreeUsage;

/// Directories kept open at a time, the root aside. Deeper trees close the
/// upper ones and open them again on the way back.
const KEPT_OPEN: usize = 32;

/// Levels at most: 40 bytes each. A path of the greatest length has 2048.
const DEEPEST: usize = 8192;

/// Bytes of names of directories still to be walked, over all levels.
const MOST_NAMES: usize = 128 << 10;

/// Bytes of a listing read at a time.
pub(crate) const BUFFER_BYTES: usize = 32 << 10;

/// A directory on the way down.
struct Level {
    /// `None` while closed.
    fd: Option<OwnedFd>,
    /// Which directory it is, once it was closed.
    inode: u64,
    device: u64,
    /// Where its listing goes on, for lseek(2).
    cookie: u64,
    /// The descriptor does not stand there.
    moved: bool,
    /// Where its own names begin among all names.
    names: usize,
}

/// How a piece of a listing ended.
enum Listed {
    Part,
    End,
    /// A directory for whose name there was no room is walked at once.
    Child(OwnedFd),
}

/// A walk over a tree that can stop anywhere and go on later.
///
/// What it holds is bounded: levels, open directories, names that wait, and
/// inodes with several names.
pub(crate) struct Walk {
    levels: Vec<Level>,
    /// Names of directories that wait, each with its NUL; those of the deepest
    /// level last.
    names: Vec<u8>,
    tally: Tally,
    begun: Mono,
}

impl Walk {
    /// Begins at a path, links followed. A tree that is not there is empty; a
    /// path that is no directory is a tree of one file.
    pub(crate) fn open(path: &Path, begun: Mono) -> Self {
        let mut walk = Self {
            levels: Vec::new(),
            names: Vec::new(),
            tally: Tally::default(),
            begun,
        };
        if let Err(errno) = walk.open_root(path) {
            walk.tally.failed(errno);
        }
        walk
    }

    fn open_root(&mut self, path: &Path) -> Result<(), Errno> {
        let root = rustix::path::Arg::into_with_c_str(path, |path| {
            match open_dir(CWD, path, OFlags::empty()) {
                Err(Errno::NOTDIR) => {
                    self.tally.count(&look_at(CWD, path, AtFlags::empty())?);
                    Ok(None)
                }
                opened => opened.map(Some),
            }
        })?;
        if let Some(root) = root {
            let found = look_at(&root, c"", AtFlags::EMPTY_PATH)?;
            self.tally.device = device(&found);
            self.tally.count(&found);
            self.push(root);
        }
        Ok(())
    }

    /// The root while it is being walked.
    pub(crate) fn root(&self) -> Option<BorrowedFd<'_>> {
        Some(self.levels.first()?.fd.as_ref()?.as_fd())
    }

    /// What was counted so far.
    pub(crate) fn usage(&self) -> TreeUsage {
        TreeUsage {
            used_bytes: self.tally.bytes(),
            inodes_used: self.tally.inodes(),
            sampled: self.begun,
            complete: self.levels.is_empty() && self.tally.unread == 0,
            by_quota: false,
        }
    }

    /// Entries looked at so far.
    pub(crate) const fn entries(&self) -> u64 {
        self.tally.entries
    }

    /// Goes on for about that many entries, or until interrupted. Answers
    /// whether the tree is done.
    pub(crate) fn step(
        &mut self,
        most: u64,
        buffer: &mut [MaybeUninit<u8>],
        interrupt: &AtomicBool,
    ) -> bool {
        let until = self.tally.entries.saturating_add(most);
        while let Some(level) = self.levels.last_mut() {
            if self.tally.entries >= until || interrupt.load(Ordering::Relaxed) {
                return false;
            }
            if self.names.len() > level.names {
                self.go_down();
                continue;
            }
            match list(level, &mut self.names, &mut self.tally, buffer, interrupt) {
                Listed::Part => {}
                Listed::End => self.go_up(),
                Listed::Child(child) => self.push(child),
            }
        }
        true
    }

    /// Into the last of the directories that wait.
    fn go_down(&mut self) {
        let (name, start) = last_name(&self.names);
        let parent = self.levels.last().and_then(|level| level.fd.as_ref());
        let child = match (name, parent) {
            (Some(name), Some(parent)) => open_dir(parent, name, OFlags::NOFOLLOW),
            // Cannot be: the names are whole, and the deepest level is open.
            _ => Err(Errno::BADF),
        };
        self.names.truncate(start);
        match child {
            Ok(child) => self.push(child),
            Err(errno) => self.tally.not_opened(errno),
        }
    }

    fn push(&mut self, fd: OwnedFd) {
        if self.levels.len() >= DEEPEST {
            self.tally.unread += 1;
            return;
        }
        self.levels.push(Level {
            fd: Some(fd),
            inode: 0,
            device: 0,
            cookie: 0,
            moved: false,
            names: self.names.len(),
        });
        let above = self.levels.len().checked_sub(1 + KEPT_OPEN);
        // The root stays open: it is what a walk that lost its way goes back to.
        if let Some(level) = above
            .filter(|index| *index > 0)
            .and_then(|index| self.levels.get_mut(index))
        {
            level.close();
        }
    }

    /// Back to the directory above, opened again where it was closed.
    fn go_up(&mut self) {
        let Some(done) = self.levels.pop() else {
            return;
        };
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        if level.fd.is_none() {
            level.fd = done.fd.and_then(|child| level.reopen(&child));
        }
        // The directories between were moved or removed: what is left of them
        // stays uncounted.
        while let Some(lost) = self.levels.pop_if(|level| level.fd.is_none()) {
            self.names.truncate(lost.names);
            self.tally.unread += 1;
        }
    }
}

impl Level {
    fn close(&mut self) {
        let Some(fd) = self.fd.take() else {
            return;
        };
        self.moved = true;
        if let Ok(found) = look_at(&fd, c"", AtFlags::EMPTY_PATH) {
            self.inode = found.stx_ino;
            self.device = device(&found);
        }
    }

    /// The directory above `child`, if it still is this one.
    fn reopen(&self, child: &OwnedFd) -> Option<OwnedFd> {
        let fd = open_dir(child, c"..", OFlags::NOFOLLOW).ok()?;
        let found = look_at(&fd, c"", AtFlags::EMPTY_PATH).ok()?;
        (found.stx_ino == self.inode && device(&found) == self.device).then_some(fd)
    }
}

impl Tally {
    /// A directory that was one a moment ago: replaced counts as vanished.
    fn not_opened(&mut self, errno: Errno) {
        if !matches!(errno, Errno::NOTDIR | Errno::LOOP) {
            self.failed(errno);
        }
    }
}

/// Counts what one read of the listing gives, and notes the directories.
fn list(
    level: &mut Level,
    names: &mut Vec<u8>,
    tally: &mut Tally,
    buffer: &mut [MaybeUninit<u8>],
    interrupt: &AtomicBool,
) -> Listed {
    let Some(fd) = &level.fd else {
        return Listed::End;
    };
    if core::mem::take(&mut level.moved)
        && let Err(errno) = seek(fd, SeekFrom::Start(level.cookie))
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
        level.cookie = entry.next_entry_cookie();
        let name = entry.file_name();
        if !matches!(name.to_bytes(), b"." | b"..")
            && tally.visit(fd.as_fd(), name)
            && let Some(child) = note(names, fd, name, tally)
        {
            level.moved = true;
            return Listed::Child(child);
        }
        if entries.is_buffer_empty() {
            return Listed::Part;
        }
        if interrupt.load(Ordering::Relaxed) {
            level.moved = true;
            return Listed::Part;
        }
    }
}

/// Remembers a directory's name, or opens it where there is no room.
fn note(names: &mut Vec<u8>, dir: &OwnedFd, name: &CStr, tally: &mut Tally) -> Option<OwnedFd> {
    let bytes = name.to_bytes_with_nul();
    if names.len() + bytes.len() <= MOST_NAMES {
        names.extend_from_slice(bytes);
        return None;
    }
    open_dir(dir, name, OFlags::NOFOLLOW)
        .map_err(|errno| tally.not_opened(errno))
        .ok()
}

/// The last of the names, and where it begins.
fn last_name(names: &[u8]) -> (Option<&CStr>, usize) {
    let before = names.split_last().map_or(&[][..], |(_, before)| before);
    let start = before.iter().rposition(|byte| *byte == 0);
    let start = start.map_or(0, |nul| nul + 1);
    let name = names.get(start..).unwrap_or_default();
    (CStr::from_bytes_with_nul(name).ok(), start)
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

/// Walks a tree in one go, in the caller's own time: for commands and tests,
/// not for a loop that has to decide meanwhile. See
/// [`DiskScanner`](crate::DiskScanner) for that one.
///
/// A tree that is not there holds nothing. Symbolic links below the root are
/// not followed, what is mounted below it belongs to others, and an inode with
/// several names counts once.
#[must_use]
pub fn read_tree_usage(path: &Path) -> TreeUsage {
    let mut walk = Walk::open(path, crate::now());
    let mut buffer = vec![MaybeUninit::uninit(); BUFFER_BYTES];
    while !walk.step(u64::MAX, &mut buffer, &AtomicBool::new(false)) {}
    walk.usage()
}
