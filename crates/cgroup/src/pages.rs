//! Asking the kernel for file pages that pods hold and that it can read again: what is
//! tried before a pod is killed for memory.

use std::path::{Path, PathBuf};

use evictd_node::Mono;
use evictd_stats::{FilePages, Hierarchy, PodReader, Version, now, read_swap_total};
use evictd_sys::{Helper, HelperThread, Priority, Writes, write_only_below};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::{Errno, write};

const THREAD: HelperThread = HelperThread {
    name: "file-pages",
    stack_bytes: 64 << 10,
    priority: Priority::Usual,
    writes: Writes::WhereItSays,
};

/// Asks on a helper thread, as the kernel may take its time.
#[derive(Debug)]
pub struct PageReclaimer(Helper<State>);

#[derive(Debug, Default)]
struct State {
    job: Option<Job>,
    /// How much the last job gave back, once it is over.
    given: Option<u64>,
}

#[derive(Debug)]
struct Job {
    cgroups: Vec<PathBuf>,
    bytes: u64,
    until: Mono,
}

impl PageReclaimer {
    /// Of the cgroups in this hierarchy of the memory controller; `proc` tells whether there
    /// is swap. The thread is made with the first job.
    #[must_use]
    pub fn new(memory: Hierarchy, mut reader: PodReader, proc: PathBuf) -> Self {
        Self(Helper::new(THREAD, State::default(), move |desk| {
            // Where the kernel has no Landlock, the daemon has said so.
            let root = memory.open(Path::new("")).ok().flatten();
            let root: Vec<BorrowedFd<'_>> = root.iter().map(AsFd::as_fd).collect();
            let _ = write_only_below(&root);
            while let Some(job) = desk.next(|state: &mut State| state.job.take()) {
                let has_swap = read_swap_total(&proc) != Some(0);
                let given = reclaim(&memory, &mut reader, has_swap, &job);
                desk.show(|state| state.given = Some(given));
            }
        }))
    }

    /// Has that many bytes asked for of these cgroups, the one with most file pages first,
    /// none after `until`. Returns whether it has begun.
    pub fn begin(&self, cgroups: Vec<PathBuf>, bytes: u64, until: Mono) -> bool {
        let job = Job {
            cgroups,
            bytes,
            until,
        };
        self.0.start().is_ok() && {
            self.0
                .change(|state| (state.job, state.given) = (Some(job), None));
            true
        }
    }

    /// How much was given back; `None` while it goes on.
    #[must_use]
    pub fn given(&self) -> Option<u64> {
        self.0.look(|state| state.given)
    }
}

fn reclaim(memory: &Hierarchy, reader: &mut PodReader, has_swap: bool, job: &Job) -> u64 {
    let mut pages = |cgroup: &Path| {
        let dir = memory.open(cgroup).ok().flatten()?;
        reader.read_file_pages(dir)
    };
    let mut holders: Vec<(FilePages, &PathBuf)> = Vec::new();
    for cgroup in &job.cgroups {
        holders.extend(pages(cgroup).map(|held| (held, cgroup)));
    }
    holders.sort_unstable_by_key(|(held, _)| core::cmp::Reverse(held.active_bytes));
    let mut given = 0_u64;
    for (held, cgroup) in holders {
        if given >= job.bytes || held.active_bytes == 0 || now() >= job.until {
            break;
        }
        let wanted = held.active_bytes.min(job.bytes - given);
        // Those that are not in use come first, and count as available already.
        let asked = held.inactive_bytes.saturating_add(wanted);
        if ask(memory, cgroup, asked, has_swap).is_ok() {
            let left = pages(cgroup).unwrap_or_default().active_bytes;
            given = given.saturating_add(held.active_bytes.saturating_sub(left));
        }
    }
    given
}

/// Nothing is to be swapped out for it: where that cannot be said, as on v1 and to older
/// kernels, it is asked only where there is no swap.
fn ask(memory: &Hierarchy, cgroup: &Path, bytes: u64, has_swap: bool) -> Result<(), Errno> {
    let Some(dir) = memory.open(cgroup)? else {
        return Err(Errno::NOENT);
    };
    let put = |name: &str, text: &str| {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let file = openat(&dir, name, flags, Mode::empty())?;
        write(file, text.as_bytes()).map(drop)
    };
    let asked = match (memory.version, has_swap) {
        (Version::V1, true) => Err(Errno::OPNOTSUPP),
        (Version::V1, false) => put("memory.force_empty", "0"),
        (Version::V2, true) => put("memory.reclaim", &format!("{bytes} swappiness=0")),
        (Version::V2, false) => put("memory.reclaim", &bytes.to_string()),
    };
    match asked {
        // As much as there was is given back; the numbers tell.
        Err(Errno::AGAIN | Errno::INTR) => Ok(()),
        asked => asked,
    }
}
