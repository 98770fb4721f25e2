//! Who holds memory outside all pods, so that the operator is told whom to look at where no
//! eviction would help.

use alloc::collections::{BTreeMap, BTreeSet};
use core::fmt;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use evictd_kerntext::{Meminfo, parse_meminfo, parse_pid_stat};
use evictd_sys::{Helper, HelperThread, Priority, Writes};
use rustix::param::page_size;

use crate::Hierarchies;
use crate::dir::list_processes;
use crate::file::Buffer;

/// A machine may have tens of thousands of processes, and each takes three files.
const THREAD: HelperThread = HelperThread {
    name: "outside",
    stack_bytes: 64 << 10,
    priority: Priority::Usual,
    writes: Writes::Nowhere,
};

/// More processes than that are not looked at.
const MOST_PROCESSES: usize = 1 << 16;

/// A process that holds less is not worth its name.
const TRIFLE_BYTES: u64 = 1 << 20;

/// What holds the most memory outside all pods.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holder {
    /// What it is.
    pub what: HolderKind,
    /// How much it holds at most: pages that processes share count for each.
    pub bytes: u64,
}

/// What may hold memory outside all pods.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HolderKind {
    /// The processes of a cgroup, which may be a service or a session, or one process that is
    /// in no cgroup below the root.
    Processes {
        /// The largest of them: its name,
        name: String,
        /// and its id.
        pid: i32,
        /// Their cgroup, without a slash at its front; empty for the root.
        cgroup: String,
        /// How many there are.
        count: usize,
    },
    /// Huge pages that are reserved: `vm.nr_hugepages`.
    HugePages,
    /// The kernel itself: slabs that it cannot give back, and page tables.
    Kernel,
}

impl fmt::Display for HolderKind {
    /// `backup (pid 812) of service nightly.service`, `python3 (pid 9)`, `huge pages`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, pid, cgroup, count) = match self {
            Self::HugePages => return f.write_str("huge pages (vm.nr_hugepages)"),
            Self::Kernel => return f.write_str("the kernel itself (slabs and page tables)"),
            Self::Processes {
                name,
                pid,
                cgroup,
                count,
            } => (name, pid, cgroup, count),
        };
        write!(f, "{name} (pid {pid})")?;
        match count.saturating_sub(1) {
            0 => {}
            1 => f.write_str(" and 1 other")?,
            others => write!(f, " and {others} others")?,
        }
        let last = cgroup.rsplit('/').next().unwrap_or(cgroup);
        match last.strip_suffix(".scope").unwrap_or(last) {
            "" => Ok(()),
            session if session.starts_with("session-") => write!(f, " of {session}"),
            service if last.ends_with(".service") => write!(f, " of service {service}"),
            _ => match last.strip_prefix("openrc.") {
                Some(service) => write!(f, " of service {service}"),
                None => write!(f, " of cgroup /{cgroup}"),
            },
        }
    }
}

#[derive(Debug, Default)]
struct Mail {
    /// The cgroups of all pods, until the helper takes them.
    asked: Option<Vec<PathBuf>>,
    found: Option<Holder>,
}

/// Finds out who holds the most memory outside all pods, on a thread of its own.
#[derive(Debug)]
pub struct OutsideReader(Helper<Mail>);

impl OutsideReader {
    /// The first question makes the thread.
    #[must_use]
    pub fn new(proc: &Path, hierarchies: &Hierarchies) -> Self {
        let machine = Machine {
            proc: proc.to_owned(),
            hierarchies: hierarchies.clone(),
            page_bytes: u64::try_from(page_size()).unwrap_or(u64::MAX),
        };
        Self(Helper::new(THREAD, Mail::default(), move |desk| {
            while let Some(pods) = desk.next(|mail| mail.asked.take()) {
                let found = machine.largest_outside(&pods);
                desk.show(|mail| mail.found = found);
            }
        }))
    }

    /// Has it found out; nobody waits. These are the cgroups of all pods.
    pub fn ask(&self, pods: Vec<PathBuf>) {
        // Without a thread nobody is named.
        if self.0.start().is_ok() {
            self.0.change(|mail| mail.asked = Some(pods));
        }
    }

    /// What was found out since it was last asked; once.
    pub fn take(&self) -> Option<Holder> {
        self.0.look(|mail| mail.found.take())
    }
}

struct Machine {
    proc: PathBuf,
    hierarchies: Hierarchies,
    page_bytes: u64,
}

/// What the processes of a cgroup hold, and the largest of them.
#[derive(Default)]
struct Group {
    bytes: u64,
    count: usize,
    largest: (u64, i32, String),
}

impl Machine {
    fn largest_outside(&self, pods: &[PathBuf]) -> Option<Holder> {
        let mut buffer = Buffer::new();
        let inside = self.inside(pods, &mut buffer);
        let mut groups = BTreeMap::<(String, i32), Group>::new();
        for pid in self.processes().take(MOST_PROCESSES) {
            if !inside.contains(&pid) {
                self.note(pid, &mut groups, &mut buffer);
            }
        }
        let processes = groups.into_iter().map(|((cgroup, _), group)| Holder {
            bytes: group.bytes,
            what: HolderKind::Processes {
                name: group.largest.2,
                pid: group.largest.1,
                cgroup,
                count: group.count,
            },
        });
        let others = self.meminfo(&mut buffer).into_iter().flat_map(|info| {
            let kernel = [info.unreclaimable_slab_bytes, info.page_tables_bytes];
            let kernel = kernel.into_iter().flatten().fold(0, u64::saturating_add);
            let huge = info.huge_page_pool_bytes().unwrap_or(0);
            [(HolderKind::HugePages, huge), (HolderKind::Kernel, kernel)]
        });
        let others = others.map(|(what, bytes)| Holder { what, bytes });
        let all = processes.chain(others);
        all.filter(|holder| holder.bytes >= TRIFLE_BYTES)
            .max_by_key(|holder| holder.bytes)
    }

    /// The processes of all pods.
    fn inside(&self, pods: &[PathBuf], buffer: &mut Buffer) -> BTreeSet<i32> {
        let mut inside = Vec::new();
        let of = &self.hierarchies;
        for of in [&of.memory, &of.pids, &of.services].into_iter().flatten() {
            for dir in pods.iter().filter_map(|pod| of.open(pod).ok().flatten()) {
                // One that has vanished has no process.
                let _ = list_processes(dir.as_fd(), buffer, &mut inside);
            }
        }
        inside.into_iter().collect()
    }

    fn processes(&self) -> impl Iterator<Item = i32> {
        let entries = std::fs::read_dir(&self.proc).into_iter().flatten();
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
    }

    /// Counts a process for its group; in the root cgroup each is one of its own.
    fn note(&self, pid: i32, groups: &mut BTreeMap<(String, i32), Group>, buffer: &mut Buffer) {
        let Some((bytes, name)) = self.read(pid, "stat", buffer).and_then(|()| {
            let stat = parse_pid_stat(buffer.text()).ok()?;
            let name = String::from_utf8_lossy(stat.comm);
            let bytes = stat.rss_pages?.checked_mul(self.page_bytes)?;
            Some((bytes, name.escape_debug().to_string()))
        }) else {
            return;
        };
        if bytes < TRIFLE_BYTES {
            return;
        }
        let cgroup = self.read(pid, "cgroup", buffer);
        let cgroup = cgroup.map_or_else(String::new, |()| deepest_cgroup(buffer.text()));
        let own = if cgroup.is_empty() { pid } else { 0 };
        let group = groups.entry((cgroup, own)).or_default();
        group.bytes = group.bytes.saturating_add(bytes);
        group.count += 1;
        if bytes >= group.largest.0 {
            group.largest = (bytes, pid, name);
        }
    }

    fn meminfo(&self, buffer: &mut Buffer) -> Option<Meminfo> {
        buffer.fill_from(&self.proc.join("meminfo")).ok()?;
        Some(parse_meminfo(buffer.text()))
    }

    fn read(&self, pid: i32, name: &str, buffer: &mut Buffer) -> Option<()> {
        let path = self.proc.join(pid.to_string()).join(name);
        buffer.fill_from(&path).ok()
    }
}

/// The path of `/proc/PID/cgroup` that says most, as an init system names its services in one
/// hierarchy and leaves the others at the root: the longest, without a slash at its front.
fn deepest_cgroup(text: &[u8]) -> String {
    let paths = text.split(|byte| *byte == b'\n').filter_map(|line| {
        let mut fields = line.splitn(3, |byte| *byte == b':');
        let path = fields.nth(2)?;
        Some(path.strip_prefix(b"/").unwrap_or(path))
    });
    let longest = paths.max_by_key(|path| path.len()).unwrap_or_default();
    let longest = String::from_utf8_lossy(longest);
    longest.escape_debug().to_string()
}

#[cfg(test)]
mod tests;
