//! What the processes of a cgroup hold in memory, where no controller counts it: booted
//! without the memory controller, or nobody has enabled it for the cgroup.

use core::time::Duration;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use evictd_kerntext::{Limit, parse_pss, parse_resident_pages};
use evictd_sys::{Helper, HelperThread, Priority, Writes};

use crate::dir::list_processes;
use crate::file::Buffer;
use crate::take_lack;

/// `smaps_rollup` waits for the lock of the process's memory, which a process in D state
/// may hold for ever: so a helper reads it.
const THREAD: HelperThread = HelperThread {
    name: "smaps",
    stack_bytes: 64 << 10,
    priority: Priority::RealTime(1),
    writes: Writes::Nowhere,
};

/// How long a decision waits for it. Then the largest process counts alone: of all that
/// together nobody knows how much is shared.
const AT_MOST: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
struct Mail {
    /// The processes of the question, until the helper takes them.
    asked: Option<Vec<i32>>,
    /// The helper is at it.
    is_busy: bool,
    /// What it found last.
    sum: Option<u64>,
}

/// Where processes are described, and in pages of which size.
#[derive(Clone, Debug)]
struct Processes {
    proc: PathBuf,
    page_bytes: u64,
}

/// Reads what processes hold in memory.
#[derive(Debug)]
pub(crate) struct Resident {
    processes: Processes,
    pids: Vec<i32>,
    helper: Helper<Mail>,
}

impl Resident {
    pub(crate) fn new(proc: &Path, page_bytes: u64) -> Self {
        let processes = Processes {
            proc: proc.to_owned(),
            page_bytes,
        };
        let theirs = processes.clone();
        let helper = Helper::new(THREAD, Mail::default(), move |desk| {
            let mut buffer = Buffer::new();
            let take = |mail: &mut Mail| {
                let asked = mail.asked.take()?;
                mail.is_busy = true;
                Some(asked)
            };
            while let Some(asked) = desk.next(take) {
                let each = |pid| theirs.shared_out(pid, &mut buffer);
                let sum = asked
                    .into_iter()
                    .filter_map(each)
                    .reduce(u64::saturating_add)
                    .filter(|_| !take_lack());
                desk.show(|mail| (mail.is_busy, mail.sum) = (false, sum));
            }
        });
        Self {
            processes,
            pids: Vec::new(),
            helper,
        }
    }

    /// The resident sets of all processes in a cgroup and below it together: never less
    /// than they hold, as what they share counts for each. `None` where none can be read.
    pub(crate) fn at_most(&mut self, dir: BorrowedFd<'_>, buffer: &mut Buffer) -> Option<u64> {
        self.list(dir, buffer)?;
        let each = |pid: &i32| self.processes.resident(*pid, buffer);
        self.pids
            .iter()
            .filter_map(each)
            .reduce(u64::saturating_add)
            .or(self.none())
    }

    /// Counts a page that several processes share in equal parts for each of them. Where that
    /// cannot be read in time, what the largest process holds.
    pub(crate) fn told_apart(&mut self, dir: BorrowedFd<'_>, buffer: &mut Buffer) -> Option<u64> {
        self.list(dir, buffer)?;
        self.ask().or_else(|| {
            let each = |pid: &i32| self.processes.resident(*pid, buffer);
            self.pids.iter().filter_map(each).max().or(self.none())
        })
    }

    /// Has the helper read it.
    fn ask(&self) -> Option<u64> {
        self.helper.start().ok()?;
        let is_free = |mail: &mut Mail| mail.asked.is_none() && !mail.is_busy;
        if !self.helper.look(is_free) {
            return None; // it hangs
        }
        let asked = self.pids.clone();
        self.helper
            .change(|mail| (mail.asked, mail.sum) = (Some(asked), None));
        let is_read = self.helper.wait_until(AT_MOST, is_free);
        self.helper.look(|mail| mail.sum.filter(|_| is_read))
    }

    /// No process holds nothing; processes that cannot be read hold nobody knows what.
    fn none(&self) -> Option<u64> {
        self.pids.is_empty().then_some(0)
    }

    /// Lists the processes of a cgroup and all below it.
    fn list(&mut self, dir: BorrowedFd<'_>, buffer: &mut Buffer) -> Option<()> {
        self.pids.clear();
        list_processes(dir, buffer, &mut self.pids).ok()
    }
}

/// Whether a process can hold `bytes`.
const fn can_be(bytes: &u64) -> bool {
    *bytes < Limit::UNLIMITED_FROM
}

impl Processes {
    fn resident(&self, pid: i32, buffer: &mut Buffer) -> Option<u64> {
        self.read(pid, "statm", buffer)?;
        let pages = parse_resident_pages(buffer.text()).ok()?;
        pages.checked_mul(self.page_bytes).filter(can_be)
    }

    /// Where the kernel does not let this process see that of another, it counts whole.
    fn shared_out(&self, pid: i32, buffer: &mut Buffer) -> Option<u64> {
        let pss = self.read(pid, "smaps_rollup", buffer);
        let pss = pss.and_then(|()| parse_pss(buffer.text()).ok().flatten());
        pss.filter(can_be).or_else(|| self.resident(pid, buffer))
    }

    fn read(&self, pid: i32, name: &str, buffer: &mut Buffer) -> Option<()> {
        let path = self.proc.join(pid.to_string()).join(name);
        buffer.fill_from(&path).ok()
    }
}
