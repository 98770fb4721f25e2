//! Deleted files that a process holds open: no directory names them, and they fill a disk
//! until the process closes them or ends.

use alloc::sync::Arc;
use core::ops::ControlFlow;
use core::time::Duration;
use std::collections::{HashMap, HashSet};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};

use evictd_node::Mono;
use evictd_sys::{Helper, HelperThread, Priority, Writes};
use rustix::fs::{AtFlags, CWD, FileType, fstatfs, openat};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::look::look_at;
use crate::dir::{each_entry, list_processes, open_dir};
use crate::file::Buffer;
use crate::now;

const THREAD: HelperThread = HelperThread {
    name: "open-files",
    stack_bytes: 128 << 10,
    priority: Priority::Background,
    writes: Writes::Nowhere,
};

/// Descriptors of a pod that are looked at: more are left out.
const MOST_OPEN: usize = 1 << 20;

/// `f_type` of overlayfs: containers' writable layers.
const OVERLAY: i128 = 0x794c_7630;

/// Bytes and inodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Held {
    /// On disk.
    pub bytes: u64,
    /// How many files.
    pub inodes: u64,
}

/// What the processes of a cgroup hold of deleted files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenFiles {
    /// On the filesystem of volumes and logs.
    pub nodefs: Held,
    /// In writable layers, or on the filesystems of images and layers.
    pub layers: Held,
    /// Of these, in writable layers that are overlays: no volume lies there.
    pub own_layer: Held,
}

impl OpenFiles {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            nodefs: self.nodefs.plus(other.nodefs),
            layers: self.layers.plus(other.layers),
            own_layer: self.own_layer.plus(other.own_layer),
        }
    }
}

impl Held {
    const fn plus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            inodes: self.inodes.saturating_add(other.inodes),
        }
    }
}

/// The filesystems that count, by directories on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedDisks {
    /// Volumes and logs.
    pub nodefs: PathBuf,
    /// Writable layers, where these lie elsewhere. What is held of a filesystem of images
    /// alone counts as nobody's, as images do.
    pub layers: Option<PathBuf>,
}

/// Looks at the open files of pods on a helper thread, when somebody asks.
#[derive(Debug)]
pub struct OpenFilesReader {
    helper: Helper<State>,
    found: Arc<Found>,
    /// When it was asked last.
    asked: Option<Mono>,
}

#[derive(Debug, Default)]
struct State {
    wanted: Option<Vec<PathBuf>>,
    found: Arc<Found>,
}

#[derive(Debug, Default)]
struct Found {
    by_cgroup: HashMap<PathBuf, OpenFiles>,
    /// When the look began; `None` before the first.
    sampled: Option<Mono>,
    /// When it was over.
    ended: Mono,
}

/// Whoever looks regularly looks for at most a hundredth of the time: how many descriptors
/// there are, the pods choose.
const PAUSE_FOR_WORK: u32 = 99;

impl OpenFilesReader {
    /// A reader of the processes below `proc`; the first question makes its thread.
    #[must_use]
    pub fn new(proc: PathBuf, disks: WatchedDisks) -> Self {
        let helper = Helper::new(THREAD, State::default(), move |desk| {
            while let Some(cgroups) = desk.next(|state: &mut State| state.wanted.take()) {
                let sampled = Some(now());
                let look = |cgroup: PathBuf| {
                    let found = read_open_files(&proc, &cgroup, &disks);
                    (cgroup, found)
                };
                let by_cgroup = cgroups.into_iter().map(look).collect();
                let found = Found {
                    by_cgroup,
                    sampled,
                    ended: now(),
                };
                let found = Arc::new(found);
                desk.show(|state| state.found = found);
            }
        });
        Self {
            helper,
            found: Arc::default(),
            asked: None,
        }
    }

    /// Has the processes of these cgroups, by their directories, looked at now. Where there
    /// is no thread to have, nothing is found.
    pub fn ask(&mut self, cgroups: Vec<PathBuf>) {
        if self.helper.start().is_ok() {
            self.asked = Some(now());
            self.helper.change(|state| state.wanted = Some(cgroups));
        }
    }

    /// Whether it is time for a further look, where one is taken as often as `least` at most,
    /// as of the last poll.
    #[must_use]
    pub fn is_due(&self, now: Mono, least: Duration) -> bool {
        let Found { sampled, ended, .. } = &*self.found;
        let took = sampled.map_or(Duration::ZERO, |sampled| ended.since(sampled));
        let pause = least.max(took.saturating_mul(PAUSE_FOR_WORK));
        let is_under_way = self.asked > *sampled;
        !is_under_way && (sampled.is_none() || now.since(*ended) >= pause)
    }

    /// Takes over what was found.
    pub fn poll(&mut self) {
        self.found = self.helper.look(|state| Arc::clone(&state.found));
    }

    /// When the last look began that was over at the last poll.
    #[must_use]
    pub fn sampled(&self) -> Option<Mono> {
        self.found.sampled
    }

    /// What was found of a cgroup.
    #[must_use]
    pub fn of(&self, cgroup: &Path) -> OpenFiles {
        let found = self.found.by_cgroup.get(cgroup);
        found.copied().unwrap_or_default()
    }
}

/// Looks at the open files of all processes in a cgroup and below it, in the caller's own
/// time. What vanishes meanwhile, and what may not be looked at, is left out.
#[must_use]
fn read_open_files(proc: &Path, cgroup: &Path, disks: &WatchedDisks) -> OpenFiles {
    let device_of = |path: &Path| Some(look_at(CWD, path, AtFlags::empty()).ok()?.device);
    let mut look = Look {
        nodefs: device_of(&disks.nodefs),
        layers: disks.layers.as_deref().and_then(device_of),
        ..Look::default()
    };
    let mut pids = Vec::new();
    if let Ok(dir) = open_dir(CWD, cgroup) {
        let _ = list_processes(dir.as_fd(), &mut Buffer::new(), &mut pids);
    }
    for pid in pids {
        look.process(&proc.join(pid.to_string()).join("fd"));
    }
    look.found
}

/// A look at the processes of a pod.
#[derive(Default)]
struct Look {
    nodefs: Option<u64>,
    layers: Option<u64>,
    /// Which devices are overlays.
    overlays: Vec<(u64, bool)>,
    /// What was counted already: several processes may hold the same file.
    seen: HashSet<(u64, u64)>,
    opened: usize,
    found: OpenFiles,
}

impl Look {
    fn process(&mut self, fds: &Path) {
        let Ok(dir) = open_dir(CWD, fds) else {
            return;
        };
        let _ = each_entry(dir.as_fd(), &mut |name, _| {
            self.opened += 1;
            if self.opened > MOST_OPEN {
                return Ok(ControlFlow::Break(()));
            }
            let _ = self.descriptor(dir.as_fd(), name);
            Ok(ControlFlow::Continue(()))
        });
    }

    fn descriptor(&mut self, dir: BorrowedFd<'_>, name: &core::ffi::CStr) -> Result<(), Errno> {
        // Whatever the link leads to.
        let found = look_at(dir, name, AtFlags::empty())?;
        let (is_file, on) = (found.kind == FileType::RegularFile, found.device);
        if !is_file || found.names > 0 || self.seen.contains(&(found.inode, on)) {
            return Ok(());
        }
        let held = Held {
            bytes: found.bytes,
            inodes: 1,
        };
        let all = &mut self.found;
        if Some(on) == self.nodefs {
            all.nodefs = all.nodefs.plus(held);
        } else if Some(on) == self.layers {
            all.layers = all.layers.plus(held);
        } else if self.is_overlay(on, dir, name) {
            let all = &mut self.found;
            all.layers = all.layers.plus(held);
            all.own_layer = all.own_layer.plus(held);
        } else {
            return Ok(());
        }
        self.seen.insert((found.inode, on));
        Ok(())
    }

    fn is_overlay(&mut self, on: u64, dir: BorrowedFd<'_>, name: &core::ffi::CStr) -> bool {
        if let Some((_, known)) = self.overlays.iter().find(|(of, _)| *of == on) {
            return *known;
        }
        // Opened by its path alone, so that nothing is done to it.
        let file = openat(dir, name, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        let kind = file.and_then(fstatfs).map(|found| found.f_type);
        let is_overlay = kind.is_ok_and(|kind| i128::from(kind) == OVERLAY);
        self.overlays.push((on, is_overlay));
        is_overlay
    }
}

#[cfg(test)]
mod tests;
