use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;
use core::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use evictd_node::Mono;
use evictd_node::pod::volume_key;
use rustix::fs::{AtFlags, CWD, OFlags};
use rustix::io::Errno;

use super::level::{Level, Listed, Rules, open_dir};
use super::look::look_at;
use super::mounted::{MountedOn, open_plain};
use super::names::Names;
use super::tally::Tally;
use super::tree::DiskTree;
use super::usage::TreeUsage;

/// What a walk may hold.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Directories kept open at a time, the root aside; one at least. Deeper trees close the
    /// upper ones and open them again on the way back.
    pub(crate) open: usize,
    /// Levels: 40 bytes each. A path of the greatest length has 2048.
    pub(crate) levels: usize,
    /// Directories below the deepest level that wait, open, until all above them was walked;
    /// more are left out.
    pub(crate) deeper: usize,
    /// Bytes of names of directories still to be walked, over all levels.
    pub(crate) names: usize,
}

impl Bounds {
    pub(crate) const USUAL: Self = Self {
        open: 32,
        levels: 8192,
        deeper: 16,
        names: 128 << 10,
    };

    /// How many directories may be open at once, the root aside.
    pub(crate) const fn descriptors(&self) -> usize {
        self.open + self.deeper
    }
}

/// Bytes of a listing read at a time.
pub(crate) const BUFFER_BYTES: usize = 8 << 10;

/// A walk over a tree that can stop anywhere and go on later.
///
/// What it holds is bounded: levels, open directories, names that wait, and
/// inodes with several names.
pub(crate) struct Walk {
    levels: Vec<Level>,
    deeper: Vec<OwnedFd>,
    names: Names,
    tally: Tally,
    bounds: Bounds,
    begun: Mono,
    mounted_on: Option<MountedOn>,
    /// Of what lies in the root, only these count.
    among: Option<Arc<[u64]>>,
}

impl Walk {
    /// Begins at a path, links followed. A tree that is not there is empty; a
    /// path that is no directory is a tree of one file.
    pub(crate) fn open(path: &Path, begun: Mono, bounds: Bounds) -> Self {
        let mut walk = Self::new(begun, bounds);
        if let Err(errno) = walk.open_root(path) {
            walk.tally.failed(errno);
        }
        walk
    }

    /// Begins a tree, links followed.
    pub(crate) fn open_tree(tree: &DiskTree, begun: Mono) -> Self {
        let Some(among) = &tree.among else {
            return Self::open(&tree.path, begun, Bounds::USUAL);
        };
        let mut walk = Self::new(begun, Bounds::USUAL);
        walk.among = Some(Arc::clone(among));
        if let Err(errno) = walk.open_plain_root(&tree.path) {
            walk.tally.not_opened(errno);
        }
        walk
    }

    /// Begins at something that is mounted into containers: no link is followed, and one
    /// that is a part of the path leads nowhere.
    pub(crate) fn open_mounted(tree: &DiskTree, begun: Mono, on: MountedOn) -> Self {
        let mut walk = Self::new(begun, Bounds::USUAL);
        (walk.mounted_on, walk.among) = (Some(on), tree.among.clone());
        if let Err(errno) = walk.open_plain_root(&tree.path) {
            walk.tally.not_opened(errno);
        }
        walk
    }

    fn new(begun: Mono, bounds: Bounds) -> Self {
        Self {
            levels: Vec::new(),
            deeper: Vec::new(),
            names: Names::new(bounds.names),
            tally: Tally::default(),
            bounds,
            begun,
            mounted_on: None,
            among: None,
        }
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
            self.push_root(root)?;
        }
        Ok(())
    }

    fn open_plain_root(&mut self, path: &Path) -> Result<(), Errno> {
        let root = open_plain(path)?;
        let found = look_at(&root, c"", AtFlags::EMPTY_PATH)?;
        if found.is_dir() {
            return self.push_root(open_dir(&root, c".", OFlags::NOFOLLOW)?);
        }
        self.tally.count(&found);
        Ok(())
    }

    fn push_root(&mut self, root: OwnedFd) -> Result<(), Errno> {
        let found = look_at(&root, c"", AtFlags::EMPTY_PATH)?;
        self.tally.device = found.device;
        if self.among.is_none() {
            self.tally.count(&found);
        }
        self.push(root);
        Ok(())
    }

    /// The root while it is being walked.
    pub(crate) fn root(&self) -> Option<BorrowedFd<'_>> {
        Some(self.levels.first()?.fd.as_ref()?.as_fd())
    }

    /// What was counted so far.
    pub(crate) fn usage(&self) -> TreeUsage {
        TreeUsage {
            used_bytes: self.tally.bytes,
            inodes_used: self.tally.inodes(),
            sampled: self.begun,
            complete: self.is_done() && self.tally.unread == 0,
            by_quota: false,
            device: self.tally.device,
            mounted_on: self.mounted_on,
        }
    }

    const fn is_done(&self) -> bool {
        self.levels.is_empty() && self.deeper.is_empty()
    }

    /// Entries looked at so far.
    pub(crate) const fn entries(&self) -> u64 {
        self.tally.entries
    }

    /// Files that had to be looked at so far.
    #[cfg(test)]
    pub(crate) const fn looks(&self) -> u64 {
        self.tally.looks
    }

    /// Goes on for that many entries, or until interrupted. Returns
    /// whether the tree is done.
    pub(crate) fn step(
        &mut self,
        most: u64,
        buffer: &mut [MaybeUninit<u8>],
        is_interrupted: &dyn Fn() -> bool,
    ) -> bool {
        let until = self.tally.entries.saturating_add(most);
        let stop = |tally: &Tally| tally.entries >= until || is_interrupted();
        loop {
            if self.levels.is_empty()
                && let Some(deeper) = self.deeper.pop()
            {
                self.among = None; // that was for the root
                self.push(deeper);
            }
            let is_root = self.levels.len() == 1;
            let Some(level) = self.levels.last_mut() else {
                return true;
            };
            if stop(&self.tally) {
                return false;
            }
            if self.names.end() > level.names {
                self.go_down();
                continue;
            }
            let among = self.among.as_deref().filter(|_| is_root);
            let counts = |name: &CStr| among.is_none_or(|keys| is_among(keys, name));
            let (names, tally) = (&mut self.names, &mut self.tally);
            let rules = Rules {
                counts: &counts,
                stop: &stop,
            };
            match level.list(names, tally, buffer, &rules) {
                Listed::Part => {}
                Listed::End => self.go_up(),
                Listed::Child(child) => self.push(child),
            }
        }
    }

    /// Into the last of the directories that wait.
    fn go_down(&mut self) {
        let Some(parent) = self.levels.last().and_then(|level| level.fd.as_ref()) else {
            // Cannot be: the deepest level is always open.
            return self.go_up();
        };
        let open = |name: &CStr| open_dir(parent, name, OFlags::NOFOLLOW);
        let Some(child) = self.names.take_last(open) else {
            return;
        };
        match child {
            Ok(child) => self.push(child),
            Err(errno) => self.tally.not_opened(errno),
        }
    }

    fn push(&mut self, fd: OwnedFd) {
        if self.levels.len() >= self.bounds.levels {
            if self.deeper.len() < self.bounds.deeper {
                self.deeper.push(fd);
            } else {
                self.tally.unread += 1;
            }
            return;
        }
        self.levels.push(Level::new(fd, self.names.end()));
        let above = self.levels.len().checked_sub(1 + self.bounds.open);
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
            self.names.forget_from(lost.names);
            self.tally.unread += 1;
        }
    }
}

/// Whether a name has one of these keys.
fn is_among(keys: &[u64], name: &CStr) -> bool {
    volume_key(name.to_bytes()).is_some_and(|key| keys.binary_search(&key).is_ok())
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
    let mut walk = Walk::open(path, crate::now(), Bounds::USUAL);
    let mut buffer = vec![MaybeUninit::uninit(); BUFFER_BYTES];
    while !walk.step(u64::MAX, &mut buffer, &|| false) {}
    walk.usage()
}
