//! What evictd asks of the kernel for its own process.

use std::fs::File;
use std::io;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};

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
