//! How a directory is reached whose path others may have a hand in.
//!
//! A process in a pod may own a part of the path, as root of its container too: it puts a
//! link in the place of a directory, and what is done there is done elsewhere. A rule of
//! owners alone does not help, as its links and directories belong to root. So links count
//! near the root of the machine only, where whoever could write has the machine already.

use alloc::ffi::CString;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, Stat, fstat, openat, readlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

/// More links in one path are a circle; as the kernel counts.
const MOST_LINKS: usize = 40;

/// How many directories deep a link may lie: in `/`, `/var` or `/var/log`.
const DEEPEST_LINK: usize = 2;

/// Which links of a path are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Those that root has made to arrange the machine, as `/var/run`, `/var/log/pods` and
    /// `/var/lib/docker`: the directory with the link and each above it belong to root (or
    /// to this process' user), nobody else may write there, and it lies in `/` or at most
    /// two levels below.
    OfRoot,
    /// None.
    None,
}

/// Opens a directory. No link is followed but those that `links` says; one that is not is no
/// directory.
///
/// Everything in it is then reached by this descriptor, with [`open_below`] and the calls
/// that end with `at`: whatever happens to the path from now on leads nobody elsewhere.
///
/// # Errors
/// The kernel's; `ENOTDIR` for a link, `EINVAL` for a path with `..` in it.
pub fn open_directory(path: &Path, links: Links) -> Result<OwnedFd, Errno> {
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(Errno::INVAL);
    }
    let mut way = if path.has_root() {
        Way::at_root()?
    } else {
        Way::from_here()?
    };
    let mut left = parts(path);
    let mut followed = 0_usize;
    while let Some(part) = left.pop() {
        let Err(errno) = way.enter(&part) else {
            continue;
        };
        let may_follow = links == Links::OfRoot && way.may_hold_links();
        if errno != Errno::NOTDIR || !may_follow || followed >= MOST_LINKS {
            return Err(errno);
        }
        let target = way.read_link(&part)?;
        followed = followed.saturating_add(1);
        if target.has_root() {
            way = Way::at_root()?;
        }
        left.extend(parts(&target));
    }
    open_below(&way.dir, OsStr::new("."))
}

/// Opens a directory by its name in another one.
///
/// # Errors
/// The kernel's; `ENOTDIR` for a link, `EINVAL` for what is no single name.
pub fn open_below(at: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    open(at, name, OFlags::RDONLY)
}

fn open(at: impl AsFd, name: &OsStr, how: OFlags) -> Result<OwnedFd, Errno> {
    let is_name = !name.as_encoded_bytes().contains(&b'/');
    let flags = how | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if is_name {
        openat(at, name, flags, Mode::empty())
    } else {
        Err(Errno::INVAL)
    }
}

/// The names of a path, the last first.
fn parts(path: &Path) -> Vec<OsString> {
    let named = path.components().rev().filter_map(|part| match part {
        Component::Normal(_) | Component::ParentDir => Some(part.as_os_str().to_owned()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    named.collect()
}

/// How far along a path it is.
struct Way {
    dir: OwnedFd,
    /// How many directories are above.
    depth: usize,
    /// Nobody but root, or this process' user, can change what is in it or above.
    is_roots: bool,
}

impl Way {
    fn at_root() -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(CWD, "/", flags, Mode::empty())?;
        let is_roots = is_roots(&fstat(&dir)?);
        Ok(Self {
            dir,
            depth: 0,
            is_roots,
        })
    }

    /// A relative path: what is above is not known.
    fn from_here() -> Result<Self, Errno> {
        Ok(Self {
            dir: open(CWD, OsStr::new("."), OFlags::PATH)?,
            depth: 0,
            is_roots: false,
        })
    }

    const fn may_hold_links(&self) -> bool {
        self.is_roots && self.depth <= DEEPEST_LINK
    }

    /// Goes into a directory. A link may lead up, where nobody else can have moved what it
    /// leads up from.
    fn enter(&mut self, name: &OsStr) -> Result<(), Errno> {
        let leads_up = name == "..";
        if leads_up && !self.is_roots {
            return Err(Errno::INVAL);
        }
        let dir = open(&self.dir, name, OFlags::PATH)?;
        if leads_up {
            self.depth = self.depth.saturating_sub(1);
        } else {
            self.depth = self.depth.saturating_add(1);
            self.is_roots = self.is_roots && is_roots(&fstat(&dir)?);
        }
        self.dir = dir;
        Ok(())
    }

    /// Where a link leads; `ENOTDIR` for what is none.
    fn read_link(&self, name: &OsStr) -> Result<PathBuf, Errno> {
        let target: CString = match readlinkat(&self.dir, name, Vec::new()) {
            Err(Errno::INVAL) => return Err(Errno::NOTDIR),
            target => target?,
        };
        Ok(OsString::from_vec(target.into_bytes()).into())
    }
}

/// Whether nobody but root or this process' user can change what is in a directory.
fn is_roots(found: &Stat) -> bool {
    (found.st_uid == 0 || found.st_uid == geteuid().as_raw()) && found.st_mode & 0o022 == 0
}
