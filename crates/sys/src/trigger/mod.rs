use core::time::Duration;
use std::path::Path;

use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, pread, read, write};

use crate::Error;

/// Something that the kernel tells about memory, as a descriptor for
/// [`Watch::arm`](crate::Watch::arm).
///
/// It says that it is time to look and not what there is to see: it may come for
/// nothing, late, or never.
#[derive(Debug)]
pub struct Trigger {
    /// A file with a condition written to it, or one that is notified of changes; or an
    /// eventfd that usage thresholds write to.
    fd: OwnedFd,
    /// Beside an eventfd: the usage file, which tells whether the cgroup is still there.
    usage: Option<OwnedFd>,
}

impl Trigger {
    /// cgroup v1: fires when the usage of `cgroup`, a directory of the memory
    /// hierarchy, crosses one of `levels` (bytes), up or down; and when the
    /// cgroup is removed (`cgroup.event_control` with
    /// `memory.usage_in_bytes`).
    ///
    /// The kernel looks once in 128 pages on each processor. Each level waits
    /// for an RCU grace period: some milliseconds, more on a busy machine.
    ///
    /// # Errors
    /// `ENOENT` where the cgroup or the file is not there, `EACCES` and `EROFS`
    /// where it cannot be written, `EINVAL` from a kernel without thresholds.
    pub fn usage(cgroup: &Path, levels: &[u64]) -> Result<Self, Error> {
        let failed = Error::doing("set a threshold in cgroup.event_control");
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let fd = eventfd(0, flags).map_err(&failed)?;
        let usage = open(&cgroup.join("memory.usage_in_bytes"), OFlags::RDONLY);
        let usage = usage.map_err(&failed)?;
        let control = open(&cgroup.join("cgroup.event_control"), OFlags::WRONLY);
        let control = control.map_err(&failed)?;
        for level in levels {
            let line = format!("{} {} {level}", fd.as_raw_fd(), usage.as_raw_fd());
            write(&control, line.as_bytes()).map_err(&failed)?;
        }
        let usage = Some(usage);
        Ok(Self { fd, usage })
    }

    /// Fires when tasks were stalled on memory that long within a window, once a
    /// window at most (pressure stall information, Linux 4.20;
    /// `/proc/pressure/memory`, or `memory.pressure` of a cgroup).
    ///
    /// # Errors
    /// `ENOENT` and `EOPNOTSUPP` where the kernel keeps no such information,
    /// `EPERM` and `EINVAL` where it takes no such trigger from a process
    /// without `CAP_SYS_RESOURCE`.
    pub fn pressure(file: &Path, stall: Duration, window: Duration) -> Result<Self, Error> {
        let failed = Error::doing("set a trigger on memory pressure");
        let fd = open(file, OFlags::RDWR | OFlags::NONBLOCK).map_err(&failed)?;
        // A kernel with pressure information switched off may still show the file.
        read(&fd, &mut [0_u8; 16]).map_err(&failed)?;
        // The kernel puts a zero in the last place, whatever is there.
        let line = format!("some {} {}\0", stall.as_micros(), window.as_micros());
        write(&fd, line.as_bytes()).map_err(&failed)?;
        Ok(Self { fd, usage: None })
    }

    /// cgroup v2: fires when a count in `memory.events` changes.
    ///
    /// # Errors
    /// `ENOENT` where there is no such cgroup.
    pub fn events(file: &Path) -> Result<Self, Error> {
        let failed = Error::doing("watch memory.events");
        let fd = open(file, OFlags::RDONLY).map_err(&failed)?;
        let trigger = Self { fd, usage: None };
        // Reading is what the kernel compares later changes with.
        trigger.take()?;
        Ok(trigger)
    }

    /// Takes back that it fired, so that it can fire again once it is armed.
    ///
    /// # Errors
    /// `ENODEV` when the cgroup is gone: it has to be made anew.
    pub fn take(&self) -> Result<(), Error> {
        let mut some = [0_u8; 16];
        if self.usage.is_some() {
            let _ = read(&self.fd, &mut some); // EAGAIN: it did not fire
        }
        match pread(self.usage.as_ref().unwrap_or(&self.fd), &mut some, 0) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(Error::doing("read what a trigger watches")(errno)),
        }
    }

    /// An eventfd becomes readable; of a file, which always is, the kernel says
    /// that something extraordinary has happened.
    pub(crate) const fn flags(&self) -> epoll::EventFlags {
        let ready = match self.usage {
            Some(_) => epoll::EventFlags::IN,
            None => epoll::EventFlags::PRI,
        };
        ready.union(epoll::EventFlags::ONESHOT)
    }
}

impl AsFd for Trigger {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn open(path: &Path, how: OFlags) -> Result<OwnedFd, Errno> {
    openat(CWD, path, how | OFlags::CLOEXEC, Mode::empty())
}

#[cfg(test)]
mod tests;
