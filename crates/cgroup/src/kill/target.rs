use core::ops::ControlFlow;
use std::path::Path;

use evictd_kerntext::parse_u64;
use evictd_stats::{Hierarchies, Version, is_gone};
use rustix::event::epoll;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use smallvec::SmallVec;

use crate::dir::{by_rank, inode_of, open_file, read_start, twice, walk, write_file};
use crate::process::Proc;
use crate::procs::{Procs, read_populated};

/// Cgroups of a pod for which no kill has to ask memory: a container runtime may keep each
/// container in one of its own.
const SEVERAL: usize = 4;

/// A pod's cgroups, opened for killing; mostly one. On v2 with the kernel's notice of
/// when nothing runs in them any more.
///
/// The first hierarchy that has a cgroup says what belongs to it: memory, then
/// pids, then the unified one, then the freezer. On v1 the cgroup of the same
/// name in the freezer hierarchy, if there is one, is opened too.
#[derive(Debug)]
pub struct Target {
    parts: SmallVec<[Part; SEVERAL]>,
    /// Becomes readable when one of [`Part::events`] has news.
    notice: Option<OwnedFd>,
    frozen: bool,
    proc: Proc,
}

/// One of the cgroups.
#[derive(Debug)]
struct Part {
    members: OwnedFd,
    version: Version,
    /// `cgroup.events` of v2.
    events: Option<OwnedFd>,
    freezer: Option<OwnedFd>,
    /// Where the tasks are counted.
    pids: Option<OwnedFd>,
}

impl Part {
    /// `None` for a cgroup that no hierarchy has, and for one that is another than the one
    /// with this `inode` in the first hierarchy.
    fn open(
        hierarchies: &Hierarchies,
        cgroup: &Path,
        inode: Option<u64>,
    ) -> Result<Option<Self>, Errno> {
        for (rank, hierarchy) in by_rank(hierarchies).enumerate() {
            let Some(members) = hierarchy.open(cgroup)? else {
                continue;
            };
            if rank == 0 && inode.is_some() && inode_of(&members) != inode {
                return Ok(None);
            }
            let freezer = hierarchies.freezer.as_ref().filter(|freezer| {
                (hierarchy.version, freezer.version) == (Version::V1, Version::V1)
            });
            let freezer = freezer.map(|freezer| freezer.open(cgroup)).transpose()?;
            let pids = hierarchies.pids.as_ref();
            // Without it nothing is counted, and all is killed.
            let pids = pids.and_then(|pids| pids.open(cgroup).ok());
            let is_v2 = hierarchy.version == Version::V2;
            let events = is_v2.then(|| open_file(&members, c"cgroup.events").ok());
            return Ok(Some(Self {
                events: events.flatten(),
                members,
                version: hierarchy.version,
                freezer: freezer.flatten(),
                pids: pids.flatten(),
            }));
        }
        Ok(None)
    }
}

impl Target {
    /// Opens `cgroup`, a path below the hierarchies' mount points.
    ///
    /// # Errors
    ///
    /// When `proc` or the cgroup cannot be opened; `ENOENT` where no hierarchy has it, as
    /// nobody can tell a cgroup that has gone from a wrong path.
    pub fn open(hierarchies: &Hierarchies, proc: &Path, cgroup: &Path) -> Result<Self, Errno> {
        let mut target = Self::empty(Proc::open(proc)?);
        target.add(hierarchies, cgroup, None)?;
        if target.parts.is_empty() {
            return Err(Errno::NOENT);
        }
        Ok(target)
    }

    /// No cgroup yet. One that was found and has gone since is one without processes.
    pub(crate) fn empty(proc: Proc) -> Self {
        Self {
            parts: SmallVec::new(),
            notice: None,
            frozen: false,
            proc,
        }
    }

    /// Opens a cgroup and adds it, unless it is another than the one with that inode.
    pub(crate) fn add(
        &mut self,
        hierarchies: &Hierarchies,
        cgroup: &Path,
        inode: Option<u64>,
    ) -> Result<(), Errno> {
        self.parts.extend(Part::open(hierarchies, cgroup, inode)?);
        Ok(())
    }

    /// Has the kernel tell when nothing runs in the pod any more, where it can.
    pub(super) fn listen(&mut self) {
        let events = self.parts.iter().map(|part| part.events.as_ref());
        self.notice = events
            .collect::<Option<SmallVec<[_; SEVERAL]>>>()
            .and_then(|all| {
                let set = epoll::create(epoll::CreateFlags::CLOEXEC).ok()?;
                // The files are always readable; what is extraordinary is a change.
                let (data, news) = (epoll::EventData::new_u64(0), epoll::EventFlags::PRI);
                let add = |file: &OwnedFd| epoll::add(&set, file, data, news);
                all.into_iter().try_for_each(add).ok()?;
                Some(set)
            });
    }

    /// Becomes readable when the kernel has news of whether anything runs in the pod.
    pub(super) fn notice(&self) -> Option<BorrowedFd<'_>> {
        self.notice.as_ref().map(AsFd::as_fd)
    }

    /// Whether anything runs in the pod, as the kernel says; `None` where it does not.
    pub(super) fn populated(&self) -> Option<bool> {
        let mut any = false;
        for part in &self.parts {
            any |= read_populated(part.events.as_ref()?).ok()?;
        }
        Some(any)
    }

    /// `pids.current`: tasks, also those that have ended and that nobody has
    /// waited for; 0 where nobody counts, or the cgroup is gone.
    pub(super) fn task_count(&self) -> u64 {
        let count = |dir: &OwnedFd| {
            let mut buffer = [0; 32];
            let text = read_start(dir.as_fd(), c"pids.current", &mut buffer);
            text.map_or(0, |text| parse_u64(text).unwrap_or(0))
        };
        let counted = self.parts.iter().filter_map(|part| part.pids.as_ref());
        counted.map(count).sum()
    }

    /// What the pod holds in memory, where that is counted.
    pub(super) fn memory_bytes(&self) -> Option<u64> {
        let read = |part: &Part| {
            let name = match part.version {
                Version::V1 => c"memory.usage_in_bytes",
                Version::V2 => c"memory.current",
            };
            let mut buffer = [0; 32];
            parse_u64(read_start(part.members.as_fd(), name, &mut buffer).ok()?).ok()
        };
        self.parts.iter().map(read).sum()
    }

    pub(super) fn members(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.parts.iter().map(|part| part.members.as_fd())
    }

    pub(super) const fn proc(&self) -> &Proc {
        &self.proc
    }

    /// Writes `cgroup.kill`; false where that does not kill all of the pod: on v1 and before
    /// Linux 5.14, in a threaded cgroup, on a read-only mount. Signals may do all the same.
    pub(super) fn kill_cgroups(&self) -> bool {
        let (mut any, mut all) = (false, true);
        for part in &self.parts {
            if part.version == Version::V1 {
                return false;
            }
            let kill = || write_file(part.members.as_fd(), c"cgroup.kill", b"1");
            match twice(kill) {
                Ok(()) => any = true,
                Err(errno) => all &= is_gone(errno), // removed meanwhile, or an old kernel
            }
        }
        any && all
    }

    fn freezers(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let freezers = self.parts.iter().filter_map(|part| part.freezer.as_ref());
        freezers.map(AsFd::as_fd)
    }

    /// Whether the pod lies in a v1 freezer.
    pub(super) fn has_freezer(&self) -> bool {
        self.freezers().next().is_some()
    }

    /// Begins to freeze the pod; false where that cannot be.
    ///
    /// The freezer's cgroup may hold others than the memory controller's: were
    /// we or an ancestor in it, we would freeze ourselves for good.
    pub(super) fn freeze(&mut self) -> bool {
        let mut procs = Procs::default();
        let listed = procs.list(self.freezers());
        if listed.is_err() || procs.is_empty() || self.proc.protected_among(&procs).is_some() {
            return false;
        }
        // Noted before it is done, so that it is undone in any case.
        self.frozen = true;
        let freeze = |freezer| twice(|| write_file(freezer, c"freezer.state", b"FROZEN"));
        self.freezers().map(freeze).all(|done| done.is_ok())
    }

    /// Whether all of it stands still; `FREEZING` while some do not yet.
    pub(super) fn is_frozen(&self) -> bool {
        self.freezers().all(|freezer| {
            let mut buffer = [0; 16];
            let state = read_start(freezer, c"freezer.state", &mut buffer);
            state.map_or_else(is_gone, |state| state.trim_ascii_end() == b"FROZEN")
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
        let thaw =
            |dir: BorrowedFd<'_>| match twice(|| write_file(dir, c"freezer.state", b"THAWED")) {
                Err(errno) if !is_gone(errno) => Err(errno),
                _ => Ok(ControlFlow::Continue(())),
            };
        let failed = |freezer: &BorrowedFd<'_>| walk(*freezer, &mut |dir| thaw(dir)).is_err();
        self.frozen = self.freezers().filter(failed).count() > 0;
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.thaw();
    }
}
