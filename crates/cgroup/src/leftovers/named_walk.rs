//! A walk over a directory that the operator named, in turns: whoever may write to one of its
//! subdirectories can fill it with names, and keeps the walk from no other.

use alloc::collections::VecDeque;
use alloc::ffi::CString;
use core::ffi::CStr;
use core::mem::{MaybeUninit, replace};
use core::ops::ControlFlow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_stats::is_gone;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, RawDir, SeekFrom, seek};
use rustix::io::Errno;

use super::list::stat;
use super::named_file::{NamedFile, device, path_of};
use super::root::enter;
use crate::Error;
use crate::process::Proc;

/// Directories below each other that are looked into; what lies deeper stays.
const LEVELS: usize = 32;

/// How many entries of a tree are met in a turn.
const TURN: u64 = 1024;

/// How many subdirectories have their turns at a time; the next ones once some are done.
const TREES: usize = 1024;

/// Room for the part of a listing that is read at a time.
const ENTRIES: usize = 2048;

/// How a walk over such a directory went.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct NamedWalk {
    /// Files, directories and others that were met.
    pub entries: u64,
    /// Whether there were more than were to be looked at, or directories too deep.
    pub has_left_out: bool,
    /// Of what was left out, the directory of which most was met.
    pub left_out: Option<PathBuf>,
    /// The first of what could not be looked into.
    pub unread: Option<Error>,
}

/// Where it stays.
pub(super) struct Place<'a> {
    pub(super) proc: &'a Proc,
    pub(super) mount: u64,
    pub(super) device: u64,
}

/// What has its turns, and how far it was walked. No descriptor is kept meanwhile.
struct Tree {
    /// The directories that it is in, from the first below the top on.
    levels: Vec<Level>,
    /// It is the top alone, whose subdirectories have turns of their own.
    is_top: bool,
    met: u64,
}

struct Level {
    name: CString,
    /// Where to go on in its listing.
    next: u64,
}

impl Tree {
    fn top() -> Self {
        Self {
            is_top: true,
            ..Self::below(CString::default())
        }
    }

    fn below(name: CString) -> Self {
        Self {
            levels: vec![Level { name, next: 0 }],
            is_top: false,
            met: 0,
        }
    }
}

/// What is met in a directory's listing.
enum Met {
    /// Its end.
    End,
    /// The turn is over, and where to go on.
    Enough(u64),
    /// A subdirectory, and where to go on behind it.
    Below(CString, u64),
}

/// Walks over all that is below `top`, which is an open directory and its path.
pub(super) fn walk(
    place: &Place<'_>,
    (dir, path): (BorrowedFd<'_>, &Path),
    most: u64,
    visit: &mut dyn FnMut(&NamedFile<'_>) -> ControlFlow<()>,
) -> NamedWalk {
    let mut walk = Walk {
        place,
        dir,
        path,
        most,
        visit,
        is_broken_off: false,
        done: NamedWalk::default(),
    };
    walk.all();
    walk.done
}

struct Walk<'a> {
    place: &'a Place<'a>,
    dir: BorrowedFd<'a>,
    path: &'a Path,
    most: u64,
    visit: &'a mut dyn FnMut(&NamedFile<'_>) -> ControlFlow<()>,
    is_broken_off: bool,
    done: NamedWalk,
}

impl Walk<'_> {
    fn all(&mut self) {
        let mut waiting = VecDeque::from([Tree::top()]);
        while let Some(mut tree) = waiting.pop_front() {
            let must_wait = tree.is_top && waiting.len() >= TREES;
            if !must_wait && !self.turn(&mut tree, &mut waiting) {
                continue;
            }
            waiting.push_back(tree);
            if self.is_broken_off {
                return;
            }
            if self.done.entries >= self.most {
                return self.leave_out(&waiting);
            }
        }
    }

    fn leave_out(&mut self, waiting: &VecDeque<Tree>) {
        self.done.has_left_out = true;
        let largest = waiting.iter().max_by_key(|tree| tree.met);
        let name = largest.and_then(|tree| tree.levels.first());
        self.done.left_out = name.map(|level| path_of(self.path, &level.name));
    }

    /// Goes on with a tree; returns whether there is more of it.
    fn turn(&mut self, tree: &mut Tree, waiting: &mut VecDeque<Tree>) -> bool {
        let before = self.done.entries;
        let until = before.saturating_add(TURN).min(self.most);
        let goes_on = self.walk_on(tree, waiting, until);
        let met = self.done.entries.saturating_sub(before);
        tree.met = tree.met.saturating_add(met);
        goes_on
    }

    fn walk_on(&mut self, tree: &mut Tree, waiting: &mut VecDeque<Tree>, until: u64) -> bool {
        let (mut open, mut above) = self.enter_again(tree);
        while let Some(level) = tree.levels.last_mut() {
            let dir = open.last().map_or(self.dir, AsFd::as_fd);
            match self.list(dir, &above, level.next, until) {
                Ok(Met::Enough(next)) => {
                    level.next = next;
                    return true;
                }
                Ok(Met::Below(name, next)) if tree.is_top => {
                    level.next = next;
                    waiting.push_back(Tree::below(name));
                    if waiting.len() >= TREES {
                        return true;
                    }
                }
                Ok(Met::Below(name, next)) => {
                    level.next = next;
                    let is_deepest = tree.levels.len() >= LEVELS;
                    if let Some(dir) = self.go_down(dir, &above, &name, is_deepest) {
                        above.push(OsStr::from_bytes(name.to_bytes()));
                        tree.levels.push(Level { name, next: 0 });
                        open.push(dir);
                    }
                }
                ended => {
                    if let Err(errno) = ended {
                        self.note(&above, c"", errno);
                    }
                    tree.levels.pop();
                    open.pop();
                    above.pop();
                }
            }
        }
        false
    }

    /// Opens the directories again that a tree is in. Where one is gone it goes on above.
    fn enter_again(&mut self, tree: &mut Tree) -> (Vec<OwnedFd>, PathBuf) {
        let (mut open, mut above) = (Vec::<OwnedFd>::new(), self.path.to_path_buf());
        if tree.is_top {
            return (open, above);
        }
        for level in &tree.levels {
            let at = open.last().map_or(self.dir, AsFd::as_fd);
            match enter(self.place.proc, at, level.name.as_c_str(), self.place.mount) {
                Ok(dir) => open.push(dir),
                Err(errno) => {
                    self.note(&above, &level.name, errno);
                    break;
                }
            }
            above.push(OsStr::from_bytes(level.name.to_bytes()));
        }
        tree.levels.truncate(open.len());
        (open, above)
    }

    fn go_down(
        &mut self,
        dir: BorrowedFd<'_>,
        above: &Path,
        name: &CStr,
        is_deepest: bool,
    ) -> Option<OwnedFd> {
        if is_deepest {
            self.done.has_left_out = true;
            let left_out = &mut self.done.left_out;
            left_out.get_or_insert_with(|| path_of(above, name));
            return None;
        }
        let entered = enter(self.place.proc, dir, name, self.place.mount);
        entered.map_err(|errno| self.note(above, name, errno)).ok()
    }

    /// Meets what a directory lists from there on, up to its next subdirectory.
    fn list(
        &mut self,
        dir: BorrowedFd<'_>,
        above: &Path,
        from: u64,
        until: u64,
    ) -> Result<Met, Errno> {
        seek(dir, SeekFrom::Start(from))?;
        let mut buffer = [MaybeUninit::<u8>::uninit(); ENTRIES];
        let mut entries = RawDir::new(dir, &mut buffer);
        let (mut next, mut has_failed) = (from, false);
        while let Some(entry) = entries.next() {
            let entry = match entry {
                // It stands where it stood: once, the next one is asked for again.
                Err(errno) if !is_gone(errno) && !replace(&mut has_failed, true) => continue,
                entry => entry?,
            };
            let name = entry.file_name();
            let is_dots = name == c"." || name == c"..";
            if !is_dots && self.done.entries >= until {
                return Ok(Met::Enough(next));
            }
            next = entry.next_entry_cookie();
            if is_dots {
                continue;
            }
            self.done.entries = self.done.entries.saturating_add(1);
            match self.look_at(dir, above, name, entry.file_type()) {
                Ok(true) => return Ok(Met::Below(name.to_owned(), next)),
                Ok(false) if self.is_broken_off => return Ok(Met::Enough(next)),
                Ok(false) => {}
                Err(errno) => self.note(above, name, errno),
            }
        }
        Ok(Met::End)
    }

    /// Visits a regular file. Returns whether it is a directory.
    fn look_at(
        &mut self,
        dir: BorrowedFd<'_>,
        above: &Path,
        name: &CStr,
        kind: FileType,
    ) -> Result<bool, Errno> {
        if kind == FileType::Directory {
            return Ok(true);
        }
        // Not every filesystem tells the type of an entry.
        let may_be_one = matches!(kind, FileType::RegularFile | FileType::Unknown);
        let Some(stat) = may_be_one.then(|| stat(dir, name)).transpose()?.flatten() else {
            return Ok(false);
        };
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind == FileType::RegularFile && device(&stat) == self.place.device {
            let file = NamedFile {
                dir,
                above,
                name,
                stat,
            };
            self.is_broken_off = (self.visit)(&file).is_break();
        }
        Ok(kind == FileType::Directory)
    }

    /// Remembers what could not be looked into; links and what is mounted are no failure.
    fn note(&mut self, above: &Path, name: &CStr, errno: Errno) {
        let is_fine = is_gone(errno) || matches!(errno, Errno::XDEV | Errno::NOTDIR | Errno::LOOP);
        if !is_fine && self.done.unread.is_none() {
            let path = path_of(above, name);
            self.done.unread = Some(Error { path, errno });
        }
    }
}
