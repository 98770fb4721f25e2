use core::ops::ControlFlow;

use evictd_kerntext::{flat_keyed, pids};
use evictd_stats::{Version, is_gone};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::io::{Errno, pread, retry_on_intr};
use rustix::process::Pid;

use crate::dir::{PAGE, open_file, read_file, read_start, walk};

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
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self {
            pids: Vec::with_capacity(count),
            text: Vec::with_capacity(PAGE),
            ..Self::default()
        }
    }

    /// Lists those of several cgroups anew. A cgroup that is gone has no processes.
    pub(crate) fn list<'a>(
        &mut self,
        cgroups: impl IntoIterator<Item = BorrowedFd<'a>>,
    ) -> Result<(), Errno> {
        self.pids.clear();
        self.hidden = false;
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

/// Whether any process is in the cgroup or below it: on v2 the kernel says so, on v1 the
/// first one that is found.
pub(crate) fn is_populated(cgroup: BorrowedFd<'_>, version: Version) -> Result<bool, Errno> {
    if version == Version::V2
        && let Ok(events) = open_file(cgroup, c"cgroup.events")
        && let Ok(populated) = read_populated(&events)
    {
        return Ok(populated);
    }
    let found = walk(cgroup, &mut |dir| {
        let mut buffer = [0; 16];
        let shown = read_start(dir, c"cgroup.procs", &mut buffer);
        let is_there = readable(shown.map(|text| !text.is_empty()))?;
        Ok(if is_there {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    Ok(found.is_break())
}

/// What `cgroup.events` says, read from its beginning, which also takes back that the
/// kernel has told of a change.
pub(crate) fn read_populated(events: &OwnedFd) -> Result<bool, Errno> {
    let mut buffer = [0; 64];
    let length = match retry_on_intr(|| pread(events, &mut buffer, 0)) {
        Err(errno) if is_gone(errno) => return Ok(false),
        read => read?,
    };
    let mut entries = flat_keyed(buffer.get(..length).unwrap_or_default());
    let populated = entries.find(|entry| entry.key() == b"populated");
    match populated.as_ref().map(|entry| entry.value()) {
        Some(b"0") => Ok(false),
        Some(b"1") => Ok(true),
        _ => Err(Errno::INVAL),
    }
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
