use core::ops::ControlFlow;
use std::path::Path;

use evictd_kerntext::parse_u64;
use evictd_stats::{Hierarchies, Version, is_gone};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;

use crate::dir::{by_rank, read_start, walk, write_file};
use crate::process::Proc;
use crate::procs::Procs;

/// A pod's cgroup, opened for killing.
///
/// The first hierarchy that has the cgroup says who belongs to it: memory, then
/// pids, then the unified one, then the freezer. On v1 the cgroup of the same
/// name in the freezer hierarchy, if there is one, is opened too.
#[derive(Debug)]
pub struct Target {
    members: Option<OwnedFd>,
    version: Version,
    freezer: Option<OwnedFd>,
    /// Where the pod's tasks are counted.
    pids: Option<OwnedFd>,
    frozen: bool,
    proc: Proc,
}

impl Target {
    /// Opens `cgroup`, a path below the hierarchies' mount points. A cgroup
    /// that no hierarchy has is one without processes.
    ///
    /// # Errors
    ///
    /// When `proc` or a cgroup that exists cannot be opened.
    pub fn open(hierarchies: &Hierarchies, proc: &Path, cgroup: &Path) -> Result<Self, Errno> {
        Self::open_with(hierarchies, Proc::open(proc)?, cgroup)
    }

    pub(crate) fn open_with(
        hierarchies: &Hierarchies,
        proc: Proc,
        cgroup: &Path,
    ) -> Result<Self, Errno> {
        let mut target = Self {
            members: None,
            version: Version::V1,
            freezer: None,
            pids: None,
            frozen: false,
            proc,
        };
        for hierarchy in by_rank(hierarchies) {
            if let Some(dir) = hierarchy.open(cgroup)? {
                target.members = Some(dir);
                target.version = hierarchy.version;
                break;
            }
        }
        let freezer = hierarchies.freezer.as_ref();
        if let (Version::V1, Some(freezer)) = (target.version, freezer)
            && freezer.version == Version::V1
        {
            target.freezer = freezer.open(cgroup)?;
        }
        if let Some(pids) = hierarchies.pids.as_ref() {
            target.pids = pids.open(cgroup)?;
        }
        Ok(target)
    }

    /// `pids.current`: tasks, also those that have ended and that nobody has
    /// waited for; 0 where nobody counts, or the cgroup is gone.
    pub(super) fn task_count(&self) -> u64 {
        let mut room = [0; 32];
        let Some(dir) = &self.pids else {
            return 0;
        };
        let text = read_start(dir.as_fd(), c"pids.current", &mut room);
        text.map_or(0, |text| parse_u64(text).unwrap_or(0))
    }

    pub(super) fn members(&self) -> Option<BorrowedFd<'_>> {
        self.members.as_ref().map(AsFd::as_fd)
    }

    pub(super) const fn version(&self) -> Version {
        self.version
    }

    pub(super) const fn proc(&self) -> &Proc {
        &self.proc
    }

    pub(super) fn kill_cgroup(&self) -> Result<(), Errno> {
        let dir = self.members.as_ref().ok_or(Errno::NOENT)?;
        write_file(dir.as_fd(), c"cgroup.kill", b"1")
    }

    /// Whether the pod lies in a v1 freezer.
    pub(super) const fn has_freezer(&self) -> bool {
        self.freezer.is_some()
    }

    /// Begins to freeze the pod; false where that cannot be.
    ///
    /// The freezer's cgroup may hold others than the memory controller's: were
    /// we or an ancestor in it, we would freeze ourselves for good.
    pub(super) fn freeze(&mut self) -> bool {
        let Some(freezer) = &self.freezer else {
            return false;
        };
        let mut procs = Procs::default();
        let listed = procs.list(freezer.as_fd());
        if listed.is_err() || procs.is_empty() || self.proc.protected_among(&procs).is_some() {
            return false;
        }
        // Noted before it is done, so that it is undone in any case.
        self.frozen = true;
        write_file(freezer.as_fd(), c"freezer.state", b"FROZEN").is_ok()
    }

    /// Whether all of it stands still; `FREEZING` while some do not yet.
    pub(super) fn is_frozen(&self) -> bool {
        let mut room = [0; 16];
        self.freezer.as_ref().is_some_and(|freezer| {
            let state = read_start(freezer.as_fd(), c"freezer.state", &mut room);
            state.is_ok_and(|state| state.trim_ascii_end() == b"FROZEN")
        })
    }

    /// Thaws what we have frozen.
    pub(super) fn thaw(&mut self) {
        if self.frozen {
            self.thaw_all();
        }
    }

    /// Thaws the pod and each cgroup below, which somebody may have frozen before
    /// we came: SIGKILL acts on no frozen process of v1.
    pub(super) fn thaw_all(&mut self) {
        let Some(freezer) = self.freezer.as_ref() else {
            return;
        };
        let walked = walk(freezer.as_fd(), &mut |dir| match write_file(
            dir,
            c"freezer.state",
            b"THAWED",
        ) {
            Err(errno) if !is_gone(errno) => Err(errno),
            _ => Ok(ControlFlow::Continue(())),
        });
        self.frozen = walked.is_err();
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.thaw();
    }
}
