//! What evictd asks of the kernel for its own process.

use std::fs::File;
use std::io;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::{
    Resource, Rlimit, Signal, getppid, getrlimit, set_parent_process_death_signal, setrlimit,
};

use crate::kill::AT_ONCE;

/// Descriptors that are open beside those of a kill.
const OTHERS: usize = 88;

/// Makes the kernel kill this process when `parent`, which started it, ends.
///
/// # Errors
///
/// `ESRCH` when the parent has ended already, so that no signal would come.
pub fn end_with_parent(parent: i32) -> Result<(), Errno> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    match getppid() {
        Some(pid) if pid.as_raw_nonzero().get() == parent => Ok(()),
        _ => Err(Errno::SRCH),
    }
}

/// Raises the limit of descriptors, where the hard limit lets it: to these, which are needed,
/// and as many again as a kill of many processes uses. Lowers nothing.
///
/// # Errors
///
/// How many are allowed, where that is fewer than needed.
pub fn allow_descriptors(needed: u64) -> Result<(), u64> {
    let limit = getrlimit(Resource::Nofile);
    // No limit is larger than any number.
    let [soft, hard] = [limit.current, limit.maximum].map(|limit| limit.unwrap_or(u64::MAX));
    let of_a_kill = u64::try_from(AT_ONCE).unwrap_or(u64::MAX);
    let wanted = needed.saturating_add(of_a_kill).min(hard);
    let current = Some(wanted);
    let raised = soft < wanted && setrlimit(Resource::Nofile, Rlimit { current, ..limit }).is_ok();
    let allowed = if raised { wanted } else { soft };
    if allowed < needed {
        Err(allowed)
    } else {
        Ok(())
    }
}

/// Has the kernel make the table of this process's descriptors as large as a kill needs it;
/// to be called before there are threads.
///
/// A process with threads waits each time that its table grows until each processor has
/// done something else (`synchronize_rcu` in `expand_fdtable`): seen on Linux 6.18, 60 ms
/// between the decision to kill a pod of a thousand processes and the first signal. It never
/// shrinks.
///
/// # Errors
///
/// The kernel's; the table is as it was then.
pub fn make_room_for_descriptors() -> Result<(), Errno> {
    let allowed = getrlimit(Resource::Nofile).current;
    let allowed = allowed.and_then(|most| usize::try_from(most).ok());
    let wanted = AT_ONCE.saturating_add(OTHERS);
    let last = allowed
        .map_or(wanted, |most| most.min(wanted))
        .saturating_sub(1);
    let any = open(c"/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let last = i32::try_from(last).map_err(|_| Errno::INVAL)?;
    fcntl_dupfd_cloexec(&any, last).map(drop)
}

/// Locks a file (`flock(2)`), for itself alone or together with others, unless
/// another process holds a lock against it; returns whether it is locked. The
/// lock ends with the file.
///
/// # Errors
///
/// Where the filesystem knows no locks.
pub fn try_lock(file: &File, exclusive: bool) -> io::Result<bool> {
    let how = if exclusive {
        FlockOperation::NonBlockingLockExclusive
    } else {
        FlockOperation::NonBlockingLockShared
    };
    match flock(file, how) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
