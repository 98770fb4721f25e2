use alloc::ffi::CString;
use core::ffi::CStr;
use core::ops::ControlFlow;

use evictd_stats::{each_entry, is_gone};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Stat, fstat, statat};
use rustix::io::Errno;

use super::Leftovers;
use super::found::{Leftover, LeftoverKind};
use super::root::{EMPTY_DIRS, Root, enter};
use crate::Error;
use crate::process::Proc;

/// At most this many names are read in one pod's log directory, as a pod that may write there can
/// make any number. Beyond that the pod's logs are counted too low.
const MOST_ENTRIES: usize = 65_536;

/// At most this many of its log files are listed.
pub(super) const MOST_LOGS: usize = 1024;

impl Leftovers {
    /// Everything there is, that of living pods too; of one pod's log files 1024 at most. What vanishes meanwhile is
    /// left out; so are links and what is mounted.
    ///
    /// The errors are of what could not be read; they cost nothing else.
    #[must_use]
    pub fn list(&self) -> (Vec<Leftover>, Vec<Error>) {
        let mut list = List {
            proc: &self.proc,
            found: Vec::new(),
            errors: Vec::new(),
        };
        if let Some(root) = &self.logs {
            list.each(root, &mut |list, name, dir| list.logs(root, name, dir));
        }
        if let Some(root) = &self.pods {
            list.each(root, &mut |list, name, dir| list.volumes(root, name, dir));
        }
        (list.found, list.errors)
    }
}

struct List<'a> {
    proc: &'a Proc,
    found: Vec<Leftover>,
    errors: Vec<Error>,
}

/// What looks into the directory of a pod.
type Look<'a, 'b> = &'b mut dyn FnMut(&mut List<'a>, &CStr, BorrowedFd<'_>) -> Result<(), Errno>;

impl<'a> List<'a> {
    /// Calls `look` with each directory of a root.
    fn each(&mut self, root: &Root, look: Look<'a, '_>) {
        let listed = names(root.dir.as_fd(), &mut |name| {
            let looked = self
                .enter(root, root.dir.as_fd(), name)
                .and_then(|dir| dir.map_or(Ok(()), |dir| look(self, name, dir.as_fd())));
            if let Err(errno) = looked
                && !is_gone(errno)
            {
                let path = root.path.join(name.to_string_lossy().as_ref());
                self.errors.push(Error { path, errno });
            }
            Ok(())
        });
        if let Err(errno) = listed {
            let path = root.path.clone();
            self.errors.push(Error { path, errno });
        }
    }

    /// A directory, or nothing where there is none to be entered.
    fn enter(
        &self,
        root: &Root,
        at: BorrowedFd<'_>,
        name: &CStr,
    ) -> Result<Option<OwnedFd>, Errno> {
        match enter(self.proc, at, name, root.mount) {
            Ok(dir) => Ok(Some(dir)),
            Err(Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => Ok(None),
            Err(errno) if is_gone(errno) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// The logs of a pod: the directory, and each file in those of containers.
    fn logs(&mut self, root: &Root, pod: &CStr, dir: BorrowedFd<'_>) -> Result<(), Errno> {
        let mut whole = Sum::of(&fstat(dir)?);
        let (mut entries, mut logs) = (0_usize, 0_usize);
        let mut count = || {
            entries = entries.saturating_add(1);
            entries < MOST_ENTRIES
        };
        names_while(dir, &mut |container| {
            whole.add_entry(dir, container)?;
            let goes_on = count();
            let Some(below) = self.enter(root, dir, container)? else {
                return Ok(goes_on);
            };
            names_while(below.as_fd(), &mut |file| {
                let Some(stat) = stat(below.as_fd(), file)? else {
                    return Ok(count());
                };
                let one = Sum::of(&stat);
                whole.add(&one);
                let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
                if is_file && logs < MOST_LOGS {
                    logs = logs.saturating_add(1);
                    let kind = LeftoverKind::LogFile;
                    self.found.push(one.leftover(kind, [pod, container, file]));
                }
                Ok(count())
            })?;
            Ok(goes_on)
        })?;
        let kind = LeftoverKind::PodLogs;
        self.found.push(whole.leftover(kind, [pod, c"", c""]));
        Ok(())
    }

    /// The directory of a pod, as new as it and its emptyDir volumes are.
    fn volumes(&mut self, root: &Root, pod: &CStr, dir: BorrowedFd<'_>) -> Result<(), Errno> {
        let mut whole = Sum::of(&fstat(dir)?);
        let mut below = None;
        for name in EMPTY_DIRS {
            let name = CString::new(name).map_err(|_| Errno::INVAL)?;
            let at = below.as_ref().map_or(dir, AsFd::as_fd);
            match self.enter(root, at, &name)? {
                Some(dir) => below = Some(dir),
                None => {
                    below = None;
                    break;
                }
            }
        }
        if let Some(volumes) = below {
            names(volumes.as_fd(), &mut |name| {
                whole.add_entry(volumes.as_fd(), name)
            })?;
        }
        let kind = LeftoverKind::Volumes;
        let leftover = whole.leftover(kind, [pod, c"", c""]);
        self.found.push(Leftover {
            bytes: None,
            ..leftover
        });
        Ok(())
    }
}

/// The bytes and the newest time of several files.
struct Sum {
    bytes: u64,
    modified_seconds: i64,
}

impl Sum {
    fn of(stat: &Stat) -> Self {
        // Blocks of 512 bytes, whatever the filesystem's own are.
        let blocks = u64::try_from(stat.st_blocks).unwrap_or(0);
        Self {
            bytes: blocks.saturating_mul(512),
            modified_seconds: stat.st_mtime,
        }
    }

    fn add(&mut self, other: &Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.modified_seconds = self.modified_seconds.max(other.modified_seconds);
    }

    fn add_entry(&mut self, at: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
        if let Some(stat) = stat(at, name)? {
            self.add(&Self::of(&stat));
        }
        Ok(())
    }

    fn leftover(&self, kind: LeftoverKind, [pod, container, file]: [&CStr; 3]) -> Leftover {
        Leftover {
            kind,
            pod: pod.to_owned(),
            container: container.to_owned(),
            file: file.to_owned(),
            bytes: Some(self.bytes),
            modified_seconds: self.modified_seconds,
        }
    }
}

/// The file itself, not what a link leads to; `None` when it is gone.
pub(super) fn stat(at: BorrowedFd<'_>, name: &CStr) -> Result<Option<Stat>, Errno> {
    match statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(errno) if is_gone(errno) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Calls `visit` with the name of each entry.
fn names(
    dir: BorrowedFd<'_>,
    visit: &mut dyn FnMut(&CStr) -> Result<(), Errno>,
) -> Result<(), Errno> {
    names_while(dir, &mut |name| visit(name).map(|()| true))
}

/// Calls `visit` with the name of each entry, as long as it returns `true`.
fn names_while(
    dir: BorrowedFd<'_>,
    visit: &mut dyn FnMut(&CStr) -> Result<bool, Errno>,
) -> Result<(), Errno> {
    let mut visit = |name: &CStr, _| {
        Ok(if visit(name)? {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    };
    each_entry(dir, &mut visit).map(drop)
}
