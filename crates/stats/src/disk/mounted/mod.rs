//! Which of the directories that are mounted into containers count, and how they are opened.

use alloc::vec::Vec;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use evictd_kerntext::{Escaped, Mount, mounts};
use evictd_node::Mono;
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::open_files::WatchedDisks;
use crate::file::read_file;
use crate::now;

/// What is mounted on this machine may be known for so long.
const KEPT: core::time::Duration = core::time::Duration::from_secs(1);

/// On which filesystem something lies that is mounted into a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MountedOn {
    /// That of volumes and logs.
    Nodefs,
    /// That of writable layers, where it is another one.
    Layers,
}

/// Tells of a path where it lies.
#[derive(Debug)]
pub(crate) struct Guard {
    proc: PathBuf,
    disks: WatchedDisks,
    read: Option<(Mono, Table)>,
}

impl Guard {
    pub(crate) const fn new(proc: PathBuf, disks: WatchedDisks) -> Self {
        Self {
            proc,
            disks,
            read: None,
        }
    }

    /// Where a path lies; `None` where what it holds counts for nobody. Asks no filesystem
    /// but the two that are watched: another one may be dead.
    pub(crate) fn place(&mut self, path: &Path) -> Option<MountedOn> {
        let is_old = |(read, _): &(Mono, _)| now().since(*read) >= KEPT;
        if self.read.as_ref().is_none_or(is_old) {
            let text = read_file(&self.proc.join("self/mountinfo")).unwrap_or_default();
            self.read = Some((now(), Table::new(&text, &self.disks)));
        }
        self.read.as_ref()?.1.place(path)
    }
}

/// What is mounted where.
#[derive(Debug)]
struct Table {
    points: Vec<Point>,
    nodefs: Option<Device>,
    layers: Option<Device>,
}

/// As mountinfo has it, which is the same for all subvolumes of a btrfs.
type Device = (u32, u32);

#[derive(Debug)]
struct Point {
    path: PathBuf,
    device: Device,
    /// The whole filesystem is mounted there, and not a part of it.
    is_whole: bool,
}

impl Table {
    fn new(text: &[u8], disks: &WatchedDisks) -> Self {
        let point = |mount: Mount<'_>| Point {
            path: path(mount.mount_point),
            device: (mount.major, mount.minor),
            is_whole: mount.root.is(b"/"),
        };
        let mut table = Self {
            points: mounts(text).flatten().map(point).collect(),
            nodefs: None,
            layers: None,
        };
        let device_of = |path: &Path| Some(table.point(&path.canonicalize().ok()?)?.device);
        let nodefs = device_of(&disks.nodefs);
        let layers = disks.layers.as_deref().and_then(device_of);
        (table.nodefs, table.layers) = (nodefs, layers);
        table
    }

    /// The mount that shows at a path without symbolic links: of several on one mount point
    /// the last.
    fn point(&self, path: &Path) -> Option<&Point> {
        let above = self
            .points
            .iter()
            .filter(|point| path.starts_with(&point.path));
        above.max_by_key(|point| point.path.components().count())
    }

    fn place(&self, path: &Path) -> Option<MountedOn> {
        let point = self.point(path)?;
        let is_whole_disk = point.is_whole && point.path == path;
        let device = Some(point.device).filter(|_| !is_whole_disk);
        if device.is_some() && device == self.nodefs {
            Some(MountedOn::Nodefs)
        } else if device.is_some() && device == self.layers {
            Some(MountedOn::Layers)
        } else {
            None
        }
    }
}

fn path(text: Escaped<'_>) -> PathBuf {
    OsString::from_vec(text.bytes().collect()).into()
}

/// Opens a path of which no part is a symbolic link, for what `openat` with `O_PATH` is good
/// for: whoever may write to a directory above it could lead it elsewhere, and have others
/// evicted for what lies there.
pub(crate) fn open_plain(path: &Path) -> Result<OwnedFd, Errno> {
    const PART: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    let mut at = openat(CWD, c"/", PART, Mode::empty())?;
    for part in path.components() {
        match part {
            Component::RootDir => {}
            // A link is opened itself, and nothing is below it.
            Component::Normal(name) => at = openat(&at, name, PART, Mode::empty())?,
            Component::CurDir | Component::ParentDir | Component::Prefix(_) => {
                return Err(Errno::LOOP);
            }
        }
    }
    Ok(at)
}

#[cfg(test)]
mod tests;
