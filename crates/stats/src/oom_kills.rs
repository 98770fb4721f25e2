//! What the kernel's own OOM killer has done.

use core::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use evictd_kerntext::flat_keyed;
use rustix::io::Errno;

use crate::dir::walk;
use crate::file::{Buffer, KeptFile, open_from};
use crate::{Hierarchy, Version};

/// Cgroups of a pod that are looked at: more are left out.
const MOST_CGROUPS: usize = 1024;

/// So much below its limit a v1 cgroup counts as at it: a kernel that is denied one page more
/// leaves room for less than that.
const CLOSE_TO_LIMIT: u64 = 256 << 10;

/// What the OOM killer has done in a cgroup since that was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OomKills {
    /// Processes that it killed.
    pub kills: u64,
    /// How often a limit of the cgroup's own, or of one below, was reached. On v1 the processes
    /// killed in those whose usage has ever been at their limit: that may have been long before.
    pub at_limit: u64,
}

/// How many processes the OOM killer has killed on this machine: `oom_kill` in
/// `/proc/vmstat` (Linux 4.13). The file stays open and nothing is allocated to read it
/// again.
#[derive(Debug)]
pub struct OomKillCounter {
    file: KeptFile,
    buffer: Buffer,
}

impl OomKillCounter {
    /// That of the machine whose `/proc` this is.
    #[must_use]
    pub fn new(proc: &Path) -> Self {
        Self {
            file: KeptFile::new(proc.join("vmstat")),
            buffer: Buffer::new(),
        }
    }

    /// How many since the boot; `None` where that cannot be read.
    pub fn read(&mut self) -> Option<u64> {
        let count = |text: &Buffer| Ok(number(text, b"oom_kill"));
        self.file.parse(&mut self.buffer, count).ok()?
    }
}

/// What it has done in a cgroup and all below it, by its path from the root.
#[must_use]
pub fn read_cgroup_oom_kills(memory: &Hierarchy, cgroup: &Path) -> OomKills {
    let mut sum = OomKills::default();
    let Ok(Some(dir)) = memory.open(cgroup) else {
        return sum;
    };
    let mut buffer = Buffer::new();
    if memory.version == Version::V2 {
        // Those below are in it.
        let _ = add_v2(&dir, &mut buffer, &mut sum);
        return sum;
    }
    let mut most = MOST_CGROUPS;
    let _ = walk(dir.as_fd(), &mut |dir| {
        let _ = add_v1(dir, &mut buffer, &mut sum);
        most -= 1;
        Ok(if most == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    });
    sum
}

/// How often the limit of that cgroup itself was reached, whoever of those below reached it;
/// `None` where the kernel does not say (v2: Linux 5.2). On v1 1 where its usage has ever been
/// at its limit, else 0.
#[must_use]
pub fn read_cgroup_limit_hits(memory: &Hierarchy, cgroup: &Path) -> Option<u64> {
    let dir = memory.open(cgroup).ok()??;
    let mut buffer = Buffer::new();
    if memory.version == Version::V2 {
        buffer
            .fill(open_from(&dir, "memory.events.local").ok()?)
            .ok()?;
        return number(&buffer, b"oom");
    }
    has_been_at_limit(dir.as_fd(), &mut buffer)
        .ok()
        .map(u64::from)
}

/// Of a v1 cgroup. `memory.failcnt` would not do: it counts what was reclaimed in time, too,
/// and nothing at all where the limit with swap is the same (seen with Linux 6.18).
fn has_been_at_limit(dir: BorrowedFd<'_>, buffer: &mut Buffer) -> Result<bool, Errno> {
    let mut limit = |name| {
        buffer.fill(open_from(dir, name)?)?;
        buffer.limit().map_err(|_| Errno::BADMSG)
    };
    let most = limit("memory.max_usage_in_bytes")?.value();
    let limit = limit("memory.limit_in_bytes")?.value();
    let both = most.zip(limit);
    Ok(both.is_some_and(|(most, limit)| most > 0 && most + CLOSE_TO_LIMIT >= limit))
}

fn add_v2(dir: &OwnedFd, buffer: &mut Buffer, sum: &mut OomKills) -> Result<(), Errno> {
    buffer.fill(open_from(dir, "memory.events")?)?;
    sum.kills = number(buffer, b"oom_kill").unwrap_or(0);
    sum.at_limit = number(buffer, b"oom").unwrap_or(0);
    Ok(())
}

fn add_v1(dir: BorrowedFd<'_>, buffer: &mut Buffer, sum: &mut OomKills) -> Result<(), Errno> {
    buffer.fill(open_from(dir, "memory.oom_control")?)?;
    let kills = number(buffer, b"oom_kill").unwrap_or(0);
    if kills == 0 {
        return Ok(());
    }
    let is_at_limit = has_been_at_limit(dir, buffer).unwrap_or(false);
    let at_limit = if is_at_limit { kills } else { 0 };
    sum.kills = sum.kills.saturating_add(kills);
    sum.at_limit = sum.at_limit.saturating_add(at_limit);
    Ok(())
}

fn number(buffer: &Buffer, key: &[u8]) -> Option<u64> {
    let entry = flat_keyed(buffer.text()).find(|entry| entry.key() == key)?;
    entry.number().ok()
}
