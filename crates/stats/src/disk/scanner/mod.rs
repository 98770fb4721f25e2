use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;
use std::io;
use std::path::{Path, PathBuf};

use evictd_node::Mono;
use evictd_sys::{Helper, HelperThread, Priority, Writes};

use super::measurer::{Found, Measurer, State};
use super::mounted::Guard;
use super::open_files::WatchedDisks;
use super::tree::DiskTree;
use super::usage::{Pace, Progress, TreeUsage};
use super::walk::Bounds;

/// One walk, one listing buffer on the heap.
const THREAD: HelperThread = HelperThread {
    name: "disk-usage",
    stack_bytes: 64 << 10,
    priority: Priority::Background,
    writes: Writes::Nowhere,
};

/// Measures the disk usage of directory trees on a helper thread.
///
/// It goes through all trees, pauses, and begins again. Small ones are done first: one that
/// takes long makes way for the others, and begins again when they are done; until then at
/// least what it had found counts. The thread exists from
/// the start, has the lowest priority for processor and disk, holds bounded
/// memory, and works in slices: the set of trees may change at any time. Where
/// a tree is a quota project of its own, the filesystem is asked instead
/// (ext4, xfs; Linux 5.14, `CAP_SYS_ADMIN`).
///
/// A caller never waits: every call but [`DiskScanner::wait_for_all`]
/// returns what was taken over by the latest [`DiskScanner::poll`].
///
/// A tree on a dead mount makes the helper hang, and the trees after it stale.
/// Give trees that may lie on one (`hostPath`) a scanner of their own.
#[derive(Debug)]
pub struct DiskScanner {
    helper: Arc<Helper<State>>,
    /// The helper has the trees, or they lie ready for it.
    handed: bool,
    anew: Option<Mono>,
    /// As of the latest poll, for the trees that are wanted.
    found: Found,
}

impl DiskScanner {
    /// How many descriptors its thread may have open at once: those of a walk, with its root,
    /// one that is being opened, and one that asks for a quota.
    pub const DESCRIPTORS: usize = Bounds::USUAL.descriptors() + 3;

    /// Starts the helper thread; it has nothing to do yet.
    ///
    /// # Errors
    /// When the kernel gives no thread.
    pub fn start() -> io::Result<Self> {
        Self::start_with(Pace::GENTLE)
    }

    /// As [`DiskScanner::start`], at another pace.
    ///
    /// # Errors
    /// As there.
    pub fn start_with(pace: Pace) -> io::Result<Self> {
        Self::start_guarded(pace, None)
    }

    /// Starts one whose trees are what is mounted into containers, with `proc` for where
    /// procfs is. A tree counts that lies on one of these filesystems; see
    /// [`TreeUsage::mounted_on`]. One that is the whole of a filesystem counts for nobody,
    /// nor does one whose path leads through a symbolic link. No other filesystem is asked.
    ///
    /// # Errors
    /// When the kernel gives no thread.
    pub fn start_for_mounts(proc: PathBuf, disks: WatchedDisks) -> io::Result<Self> {
        Self::start_guarded(Pace::SELDOM, Some(Guard::new(proc, disks)))
    }

    fn start_guarded(pace: Pace, guard: Option<Guard>) -> io::Result<Self> {
        let (found, mut state) = (Found::default(), State::default());
        state.found.trees = Arc::clone(&found.trees);
        let helper = Helper::new(THREAD, state, move |desk| {
            Measurer::new(desk, pace, guard).run()
        });
        helper.start()?;
        Ok(Self {
            helper: Arc::new(helper),
            handed: true,
            anew: None,
            found,
        })
    }

    /// Replaces the set of trees. Those that stay keep their results and, if
    /// they are being walked, go on; new ones are measured at once. Also polls.
    /// Nothing is copied where the set is as it was.
    pub fn watch(&mut self, trees: impl Iterator<Item = DiskTree>) {
        // What is there already is not there twice.
        let known = |tree: &DiskTree| self.found.trees.get(self.place(tree)?).cloned();
        let share = |tree: DiskTree| known(&tree).unwrap_or(tree);
        let mut wanted: Vec<DiskTree> = trees.map(share).collect();
        wanted.sort_unstable();
        wanted.dedup();
        self.poll();
        if *self.found.trees == *wanted {
            return;
        }
        self.found.usages = wanted.iter().map(|tree| self.usage_of(tree)).collect();
        self.found.trees = wanted.into();
        self.handed = false;
        self.poll();
    }

    /// Numbers from that moment on are wanted: what was measured before it is measured anew
    /// now, and all that is under way goes on without rests.
    pub fn measure_anew(&mut self, since: Mono) {
        self.anew = self.anew.max(Some(since));
        self.poll();
    }

    /// Takes over what the helper has found, and hands over what it is to do;
    /// never waits. To be called once a round.
    pub fn poll(&mut self) {
        let helper = Arc::clone(&self.helper);
        // Where the helper is just at its state: in the next round.
        let _ = helper.try_look(|state| self.exchange(state));
    }

    fn exchange(&mut self, state: &mut State) {
        if !self.handed {
            state.wanted = Some(Arc::clone(&self.found.trees));
        }
        state.anew = state.anew.max(self.anew);
        if !self.handed || self.anew.is_some() {
            self.helper.wake();
        }
        (self.handed, self.anew) = (true, None);
        if Arc::ptr_eq(&state.found.trees, &self.found.trees) {
            self.found.usages = Arc::clone(&state.found.usages);
            self.found.progress = state.found.progress;
        }
    }

    /// What a tree holds: the last measurement that went to its end, or what
    /// the one under way has found so far where that is more; `None` before the
    /// first, for a tree that is not watched, and for one that cannot be opened.
    #[must_use]
    pub fn usage(&self, tree: &Path) -> Option<TreeUsage> {
        let whole = |other: &DiskTree| (&*other.path, &other.among).cmp(&(tree, &None));
        self.shown(self.found.trees.binary_search_by(whole).ok()?)
    }

    /// What a tree holds that may be some of what lies in a directory, as [`usage`](Self::usage).
    #[must_use]
    pub fn usage_of(&self, tree: &DiskTree) -> Option<TreeUsage> {
        self.shown(self.place(tree)?)
    }

    fn shown(&self, place: usize) -> Option<TreeUsage> {
        let usage = *self.found.usages.get(place)?;
        usage.filter(|usage| usage.complete || usage.inodes_used > 0)
    }

    /// Which of the trees it is.
    fn place(&self, tree: &DiskTree) -> Option<usize> {
        self.found.trees.binary_search(tree).ok()
    }

    /// Whether every tree was measured to its end, as of the latest poll, by a walk
    /// that began at `since` or later.
    #[must_use]
    pub fn is_measured_since(&self, since: Mono) -> bool {
        let is_whole = |usage: &Option<TreeUsage>| usage.is_some_and(|u| u.sampled >= since);
        let Found {
            usages, progress, ..
        } = &self.found;
        self.handed && !progress.is_under_way() && usages.iter().all(is_whole)
    }

    /// How far the cycle has come.
    #[must_use]
    pub const fn progress(&self) -> Progress {
        self.found.progress
    }

    /// Waits until every tree has been measured to its end, that long at most,
    /// and polls. Returns whether they have. For commands, which have nothing
    /// else to do; the daemon's loop must not call it.
    pub fn wait_for_all(&mut self, at_most: Duration) -> bool {
        let helper = Arc::clone(&self.helper);
        helper.look(|state| self.exchange(state));
        let is_done = |state: &mut State| {
            Arc::ptr_eq(&state.found.trees, &self.found.trees) && !state.found.missing
        };
        let is_measured = helper.wait_until(at_most, is_done);
        helper.look(|state| self.exchange(state));
        is_measured
    }
}

#[cfg(test)]
mod tests;
