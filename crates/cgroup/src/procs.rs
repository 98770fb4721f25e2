use core::ops::ControlFlow;

use evictd_kerntext::pids;
use evictd_stats::is_gone;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::dir::{DEEPEST, PAGE, each_child, is_leaf, open_dir, read_file, read_start, walk};

/// The processes of cgroups and everything below them, sorted, each once; the
/// room is used again by the next listing.
#[derive(Debug, Default)]
pub(crate) struct Procs {
    pids: Vec<Pid>,
    /// Some are outside our pid namespace: the kernel shows them as 0.
    hidden: bool,
    text: Vec<u8>,
}

impl Procs {
    /// With room for so many.
    pub(crate) fn for_usual(count: usize) -> Self {
        Self {
            pids: Vec::with_capacity(count),
            text: Vec::with_capacity(PAGE),
            ..Self::default()
        }
    }

    /// As if there were none.
    pub(crate) fn clear(&mut self) {
        self.pids.clear();
        self.hidden = false;
    }

    /// Lists those of several cgroups anew. A cgroup that is gone has no processes.
    pub(crate) fn list<'a>(
        &mut self,
        cgroups: impl IntoIterator<Item = BorrowedFd<'a>>,
    ) -> Result<(), Errno> {
        self.clear();
        for cgroup in cgroups {
            let _all = walk(cgroup, &mut |dir| {
                self.add(dir)?;
                Ok(ControlFlow::Continue(()))
            })?;
        }
        self.pids.sort_unstable_by_key(key);
        self.pids.dedup();
        Ok(())
    }

    fn add(&mut self, dir: BorrowedFd<'_>) -> Result<(), Errno> {
        if !read_procs(dir, &mut self.text)? {
            return Ok(());
        }
        for pid in pids(&self.text).flatten() {
            match Pid::from_raw(pid) {
                Some(pid) => self.pids.push(pid),
                None => self.hidden = true,
            }
        }
        Ok(())
    }

    pub(crate) fn pids(&self) -> &[Pid] {
        &self.pids
    }

    pub(crate) fn contains(&self, pid: Pid) -> bool {
        self.pids.binary_search_by_key(&key(&pid), key).is_ok()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.pids.is_empty() && !self.hidden
    }

    pub(crate) const fn has_hidden(&self) -> bool {
        self.hidden
    }
}

/// The order of pids, which rustix's type does not have.
pub(crate) fn key(pid: &Pid) -> i32 {
    pid.as_raw_nonzero().get()
}

/// Whether any process is in the cgroup or below it; stops at the first. What is below
/// comes first: a pod's processes are mostly in the cgroups of its containers.
pub(crate) fn is_populated(cgroup: BorrowedFd<'_>) -> Result<bool, Errno> {
    is_populated_to(cgroup, DEEPEST)
}

fn is_populated_to(cgroup: BorrowedFd<'_>, depth: u32) -> Result<bool, Errno> {
    let below = depth.checked_sub(1).ok_or(Errno::LOOP)?;
    if !is_leaf(cgroup) {
        let walked = each_child(cgroup, &mut |name| {
            let found =
                open_dir(cgroup, name).and_then(|child| is_populated_to(child.as_fd(), below));
            match found {
                Ok(true) => Ok(ControlFlow::Break(())),
                Ok(false) => Ok(ControlFlow::Continue(())),
                Err(errno) if is_gone(errno) => Ok(ControlFlow::Continue(())),
                Err(errno) => Err(errno),
            }
        });
        match walked {
            Ok(ControlFlow::Break(())) => return Ok(true),
            Err(errno) if !is_gone(errno) => return Err(errno),
            _ => {}
        }
    }
    let mut room = [0; 16];
    let shown = read_start(cgroup, c"cgroup.procs", &mut room);
    readable(shown.map(|text| !text.is_empty()))
}

/// False when there is nothing to read: the cgroup is gone, or it is a v2
/// threaded one, whose processes its domain's `cgroup.procs` lists.
pub(crate) fn read_procs(dir: BorrowedFd<'_>, text: &mut Vec<u8>) -> Result<bool, Errno> {
    readable(read_file(dir, c"cgroup.procs", text).map(|()| true))
}

fn readable(read: Result<bool, Errno>) -> Result<bool, Errno> {
    match read {
        Err(Errno::OPNOTSUPP) => Ok(false),
        Err(errno) if is_gone(errno) => Ok(false),
        read => read,
    }
}
