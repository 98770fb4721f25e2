use core::ops::ControlFlow;

use evictd_kerntext::pids;
use evictd_stats::is_gone;
use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::process::Pid;

use crate::dir::{read_file, walk};

/// The processes of a cgroup and everything below it, sorted, each once; the
/// room is used again by the next listing.
#[derive(Debug, Default)]
pub(crate) struct Procs {
    pids: Vec<Pid>,
    /// Some are outside our pid namespace: the kernel shows them as 0.
    hidden: bool,
    text: Vec<u8>,
}

impl Procs {
    /// As if there were none.
    pub(crate) fn clear(&mut self) {
        self.pids.clear();
        self.hidden = false;
    }

    /// Lists anew. A cgroup that is gone has no processes.
    pub(crate) fn list(&mut self, cgroup: BorrowedFd<'_>) -> Result<(), Errno> {
        self.clear();
        let _all = walk(cgroup, &mut |dir| {
            self.add(dir)?;
            Ok(ControlFlow::Continue(()))
        })?;
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
fn key(pid: &Pid) -> i32 {
    pid.as_raw_nonzero().get()
}

/// Whether any process is in the cgroup or below it; stops at the first.
pub(crate) fn is_populated(cgroup: BorrowedFd<'_>, text: &mut Vec<u8>) -> Result<bool, Errno> {
    let walked = walk(cgroup, &mut |dir| {
        let found = read_procs(dir, text)? && pids(text).flatten().next().is_some();
        Ok(if found {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    Ok(walked.is_break())
}

/// False when there is nothing to read: the cgroup is gone, or it is a v2
/// threaded one, whose processes its domain's `cgroup.procs` lists.
pub(crate) fn read_procs(dir: BorrowedFd<'_>, text: &mut Vec<u8>) -> Result<bool, Errno> {
    match read_file(dir, c"cgroup.procs", text) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP) => Ok(false),
        Err(errno) if is_gone(errno) => Ok(false),
        Err(errno) => Err(errno),
    }
}
