//! What is asked of a pod while memory gets short: how it fares, a little of its memory, and
//! that it gives up by itself what it can.

use core::time::Duration;
use std::path::Path;

use evictd_kerntext::{parse_memory_stat, parse_some_stall};
use evictd_stats::{Hierarchy, Version};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::fstat;
use rustix::io::Errno;
use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, Signal};

use crate::dir::{read_file, read_start, write_file};
use crate::held::{Held, NAME_BYTES, file_of};
use crate::process::Proc;
use crate::procs::Procs;

/// The files are a page at most.
const MOST_PIDS: usize = 4096;

/// How a cgroup fares: counters since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fares {
    /// Which one it is: one of the same name that was made anew has another number.
    pub inode: u64,
    /// What it uses of memory.
    pub usage_bytes: u64,
    /// How long any of it has waited for memory, in microseconds; `None` where the kernel does
    /// not say.
    pub waited_usec: Option<u64>,
    /// How many pages it has read back that were taken from it.
    pub refaulted_pages: u64,
}

impl Fares {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let waited = self.waited_usec.zip(other.waited_usec);
        Self {
            inode: self.inode.wrapping_add(other.inode),
            usage_bytes: self.usage_bytes.saturating_add(other.usage_bytes),
            // Whoever waits longest: they wait at the same time.
            waited_usec: waited.map(|(one, other)| one.max(other)),
            refaulted_pages: self.refaulted_pages.saturating_add(other.refaulted_pages),
        }
    }
}

/// Asks cgroups of one hierarchy.
#[derive(Debug)]
pub struct Presser {
    memory: Hierarchy,
    proc: Proc,
    procs: Procs,
    text: Vec<u8>,
}

impl Presser {
    /// Of this hierarchy of the memory controller.
    ///
    /// # Errors
    /// The kernel's, where there is no `/proc`.
    pub fn open(memory: Hierarchy, proc: &Path) -> Result<Self, Errno> {
        Ok(Self {
            memory,
            proc: Proc::open(proc)?,
            procs: Procs::default(),
            text: Vec::new(),
        })
    }

    fn dir(&self, cgroup: &Path) -> Result<OwnedFd, Errno> {
        self.memory.open(cgroup)?.ok_or(Errno::NOENT)
    }

    /// How a cgroup fares; `None` where it is gone or does not say what it uses.
    pub fn fares(&mut self, cgroup: &Path) -> Option<Fares> {
        let dir = self.dir(cgroup).ok()?;
        let inode = fstat(&dir).ok()?.st_ino;
        let usage = match self.memory.version {
            Version::V1 => c"memory.usage_in_bytes",
            Version::V2 => c"memory.current",
        };
        let mut text = [0; 512];
        let read = read_start(dir.as_fd(), usage, &mut text).ok()?;
        let usage_bytes = core::str::from_utf8(read.trim_ascii()).ok()?.parse().ok()?;
        let pressure = read_start(dir.as_fd(), c"memory.pressure", &mut text);
        let waited = pressure.ok().and_then(|text| parse_some_stall(text).ok());
        let waited_usec = waited.and_then(|waited| u64::try_from(waited.as_micros()).ok());
        let stat = read_file(&dir, c"memory.stat", &mut self.text);
        let refaulted_pages = stat.map_or(0, |()| refaults(&self.text));
        Some(Fares {
            inode,
            usage_bytes,
            waited_usec,
            refaulted_pages,
        })
    }

    /// How long ago the oldest process of a cgroup began, or of one that is old enough; `None`
    /// where it has none.
    ///
    /// # Errors
    /// The kernel's; `ESRCH` where not all of its processes can be seen.
    pub fn age(&mut self, cgroup: &Path, enough: Duration) -> Result<Option<Duration>, Errno> {
        let dir = self.dir(cgroup)?;
        self.procs.list([dir.as_fd()])?;
        if self.procs.has_hidden() {
            return Err(Errno::SRCH);
        }
        let mut text = [0; 64];
        let up = seconds_up(read_start(self.proc.fd(), c"uptime", &mut text)?)?;
        let mut oldest = None;
        for pid in self.procs.pids() {
            let began = self.proc.stat(*pid, |stat| stat.start_time_ticks);
            let began = began.map(|ticks| ticks / clock_ticks_per_second());
            let age = began.map(|began| Duration::from_secs(up.saturating_sub(began)));
            oldest = oldest.max(age);
            if oldest.is_some_and(|oldest| oldest >= enough) {
                break;
            }
        }
        Ok(oldest)
    }

    /// Asks the kernel for so many bytes of a cgroup's memory, and returns how many it gave.
    /// It may take its time.
    ///
    /// # Errors
    /// The kernel's: `ENOENT` where it cannot be asked, as on v1 and before Linux 5.19.
    pub fn reclaim(&self, cgroup: &Path, bytes: u64) -> Result<u64, Errno> {
        let dir = self.dir(cgroup)?;
        let used = || used(dir.as_fd());
        let before = used()?;
        match write_file(dir.as_fd(), c"memory.reclaim", bytes.to_string().as_bytes()) {
            // As much as there was is given back.
            Ok(()) | Err(Errno::AGAIN) => Ok(before.saturating_sub(used()?).min(bytes)),
            Err(errno) => Err(errno),
        }
    }

    /// Sends a signal to the first process of a container: the one that is process 1 of its
    /// own namespace, for which the kernel drops a signal that it has no handler for. Returns
    /// whether there is one.
    ///
    /// # Errors
    /// The kernel's.
    pub fn tell(&mut self, cgroup: &Path, signal: Signal) -> Result<bool, Errno> {
        let dir = self.dir(cgroup)?;
        self.procs.list([dir.as_fd()])?;
        let pids: Vec<Pid> = self.procs.pids().iter().copied().take(MOST_PIDS).collect();
        let Some(first) = pids.into_iter().find(|pid| self.is_first(*pid)) else {
            return Ok(false);
        };
        let held = Held::open(self.proc.fd(), first)?;
        // Whoever is still listed is the one that is held.
        self.procs.list([dir.as_fd()])?;
        if !self.procs.contains(first) || !self.is_first(first) {
            return Ok(false);
        }
        held.send(first, signal).map(|()| true)
    }

    fn is_first(&mut self, pid: Pid) -> bool {
        let mut name = [0; NAME_BYTES];
        let read = file_of(pid, "status", &mut name)
            .and_then(|name| read_file(self.proc.fd(), name, &mut self.text).ok());
        read.is_some() && is_first_of_namespace(&self.text)
    }
}

/// The whole seconds of `/proc/uptime`.
fn seconds_up(text: &[u8]) -> Result<u64, Errno> {
    let seconds = text.split(|byte| *byte == b'.').next().unwrap_or_default();
    let seconds = core::str::from_utf8(seconds).map_err(|_| Errno::BADMSG)?;
    seconds.parse().map_err(|_| Errno::BADMSG)
}

fn used(dir: BorrowedFd<'_>) -> Result<u64, Errno> {
    let mut text = [0; 32];
    let text = read_start(dir, c"memory.current", &mut text)?;
    let text = core::str::from_utf8(text.trim_ascii()).map_err(|_| Errno::BADMSG)?;
    text.parse().map_err(|_| Errno::BADMSG)
}

/// Pages that were read back, of the cgroup and all below it.
fn refaults(stat: &[u8]) -> u64 {
    let stat = parse_memory_stat(stat).unwrap_or_default();
    let whole = stat.total_refaulted_pages.or(stat.refaulted_pages);
    whole.unwrap_or(0)
}

/// Whether `/proc/PID/status` says of a process that it is the first of a namespace below ours.
fn is_first_of_namespace(status: &[u8]) -> bool {
    let mut lines = status.split(|byte| *byte == b'\n');
    let numbers = lines.find_map(|line| line.strip_prefix(b"NSpid:"));
    let mut numbers = numbers.unwrap_or_default().split(u8::is_ascii_whitespace);
    let inner = numbers.rfind(|number| !number.is_empty());
    let is_below = numbers.any(|number| !number.is_empty());
    is_below && inner == Some(b"1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_of_a_cgroup() {
        let stat = b"anon 1\nworkingset_refault_anon 3\nworkingset_refault_file 4\nworkingset_nodereclaim 9\n";
        assert_eq!(refaults(stat), 7);
        assert_eq!(refaults(b"workingset_refault 5\n"), 5);
        let v1 = b"workingset_refault 5\ntotal_workingset_refault 8\n";
        assert_eq!(refaults(v1), 8, "with all below it");
        assert_eq!(refaults(b""), 0);
    }

    /// Acceptance row 430.
    #[test]
    fn how_long_a_cgroup_is_there_is_told_by_its_oldest_process() {
        let path = std::env::temp_dir().join(format!("evictd-age-{}", std::process::id()));
        std::fs::create_dir_all(path.join("pod")).unwrap();
        let memory = Hierarchy {
            version: Version::V2,
            mount_point: path.clone(),
        };
        let mut presser = Presser::open(memory, Path::new("/proc")).unwrap();
        let mut age = |pids: &str, enough| {
            std::fs::write(path.join("pod/cgroup.procs"), pids).unwrap();
            presser.age(Path::new("pod"), enough)
        };
        let we = std::process::id();
        let ours = age(&format!("{we}\n"), Duration::MAX).unwrap().unwrap();
        let with_init = age(&format!("1\n{we}\n"), Duration::MAX).unwrap().unwrap();
        assert!(with_init >= ours, "{with_init:?} {ours:?}");
        assert!(
            age(&format!("1\n{we}\n"), Duration::ZERO)
                .unwrap()
                .is_some()
        );
        assert_eq!(age("", Duration::MAX), Ok(None));
        assert_eq!(age(&format!("0\n{we}\n"), Duration::MAX), Err(Errno::SRCH));
        let nowhere = presser.age(Path::new("nowhere"), Duration::MAX);
        assert_eq!(nowhere, Err(Errno::NOENT));
        std::fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn how_long_the_machine_is_up_is_read() {
        assert_eq!(seconds_up(b"73512.48 140211.03\n"), Ok(73_512));
        for odd in [&b""[..], b"x.1", b"-1.0 2", b"99999999999999999999.0"] {
            assert_eq!(seconds_up(odd), Err(Errno::BADMSG));
        }
    }

    /// Acceptance row 322: a signal is sent to who can ignore it alone.
    #[test]
    fn the_first_process_of_a_container_is_known_by_its_namespace() {
        assert!(is_first_of_namespace(
            b"Name:\tinit\nNSpid:\t4711\t1\nX:\t1\n"
        ));
        assert!(is_first_of_namespace(b"NSpid:\t4711\t12\t1\n"));
        for other in [
            &b"NSpid:\t1\n"[..],
            b"NSpid:\t4711\t2\n",
            b"NSpid:\t4711\n",
            b"NSpid:\t1\t2\n",
            b"Name:\tNSpid:\t4711\t1\n",
            b"",
        ] {
            assert!(
                !is_first_of_namespace(other),
                "{}",
                String::from_utf8_lossy(other)
            );
        }
    }
}
