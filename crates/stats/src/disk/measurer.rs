use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::time::Duration;

use evictd_node::Mono;
use evictd_sys::Desk;

use super::measured::Tree;
use super::mounted::Guard;
use super::quota::{read_quota, read_tree_project};
use super::tree::DiskTree;
use super::turns::Turn;
use super::usage::{Pace, Progress, TreeUsage};
use super::walk::{BUFFER_BYTES, Walk};
use crate::now;

/// Entries of a step, after which results are published and a rest may come.
const STEP: u64 = 1024;

/// A rest within a cycle, and a wait with nothing to do, at most.
const LONGEST_REST: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The trees to measure, sorted and without duplicates.
pub(crate) type Trees = Arc<[DiskTree]>;

/// What both sides see, whole after each statement.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// What the caller wants, until the helper takes it.
    pub(crate) wanted: Option<Trees>,
    /// What was measured before then is wanted anew.
    pub(crate) anew: Option<Mono>,
    pub(crate) found: Found,
}

/// What the helper has found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// These very trees it is about: another set of the same paths is another one.
    pub(crate) trees: Trees,
    /// In the order of the trees.
    pub(crate) usages: Arc<[Option<TreeUsage>]>,
    pub(crate) progress: Progress,
    /// Some tree has not been measured to its end yet.
    pub(crate) missing: bool,
}

/// A walk that is to begin; `None` where the tree counts for nobody.
fn open_walk(guard: Option<&mut Guard>, tree: &DiskTree, begun: Mono) -> Option<Walk> {
    let Some(guard) = guard else {
        return Some(Walk::open_tree(tree, begun));
    };
    let on = match tree.among {
        None => guard.place(&tree.path)?,
        // A disk may be there for volumes alone: these are no whole disk.
        Some(_) => guard.place(&tree.path.join("volume"))?,
    };
    Some(Walk::open_mounted(tree, begun, on))
}

/// What the helper thread does.
pub(crate) struct Measurer {
    desk: Desk<State>,
    pace: Pace,
    /// Where the trees are what is mounted into containers: tells which of them count.
    guard: Option<Guard>,
    paths: Trees,
    /// In the order of the paths.
    trees: Vec<Tree>,
    /// The tree under way, by its place.
    walk: Option<(usize, Walk)>,
    buffer: Vec<MaybeUninit<u8>>,
    /// Somebody waits for the numbers,
    anew: bool,
    /// and for those from then on.
    since: Mono,
    /// Entries of the trees that were done in this cycle.
    entries: u64,
    /// What this cycle has worked, and what since the last rest.
    worked: Duration,
    unrested: Duration,
    /// When the last cycle ended.
    ended: Mono,
}

impl Measurer {
    pub(crate) fn new(desk: Desk<State>, pace: Pace, guard: Option<Guard>) -> Self {
        Self {
            desk,
            pace,
            guard,
            paths: Trees::default(),
            trees: Vec::new(),
            walk: None,
            buffer: vec![MaybeUninit::uninit(); BUFFER_BYTES],
            anew: false,
            since: Mono::ZERO,
            entries: 0,
            worked: Duration::ZERO,
            unrested: Duration::ZERO,
            ended: Mono::ZERO,
        }
    }

    pub(crate) fn run(mut self) {
        loop {
            self.take_orders();
            if self.desk.is_closing() {
                return;
            }
            if self.begin_next() {
                self.work();
                self.rest();
            } else {
                self.pause();
            }
        }
    }

    fn take_orders(&mut self) {
        let take = |state: &mut State| Some((state.wanted.take(), state.anew.take()));
        let taken = self.desk.next_within(Duration::ZERO, take);
        let (wanted, anew) = taken.unwrap_or_default();
        let is_new = wanted.is_some() || anew.is_some();
        if let Some(wanted) = wanted {
            self.follow(wanted);
        }
        if let Some(since) = anew {
            self.anew(since);
        }
        if is_new {
            self.publish();
        }
    }

    /// What was measured before then is due, and only that.
    fn anew(&mut self, since: Mono) {
        if !self.is_due() {
            (self.entries, self.worked) = (0, Duration::ZERO);
        }
        self.since = self.since.max(since);
        for tree in &mut self.trees {
            if tree.last.is_some_and(|last| last.sampled < since) {
                tree.make_due();
            }
        }
        self.anew = self.is_due();
    }

    fn is_due(&self) -> bool {
        self.trees.iter().any(Tree::is_due)
    }

    /// Changes to another set of trees; those that stay keep what they have.
    fn follow(&mut self, paths: Trees) {
        let place = |tree: &DiskTree| paths.binary_search(tree).ok();
        let mut new = Tree::default();
        new.make_due();
        let mut trees = vec![new; paths.len()];
        for (path, tree) in self.paths.iter().zip(self.trees.drain(..)) {
            if let Some(kept) = place(path).and_then(|index| trees.get_mut(index)) {
                *kept = tree;
            }
        }
        self.walk = self.walk.take().and_then(|(index, walk)| {
            let path = self.paths.get(index)?;
            Some((place(path)?, walk))
        });
        self.trees = trees;
        self.paths = paths;
    }

    /// Makes sure that a tree is under way; `false` when none is due yet.
    fn begin_next(&mut self) -> bool {
        if self.walk.is_some() {
            return true;
        }
        if !self.is_due() {
            if self.trees.is_empty() || now() < self.next_cycle() {
                return false;
            }
            self.trees.iter_mut().for_each(Tree::make_due);
            (self.entries, self.worked) = (0, Duration::ZERO);
        }
        let begun = now();
        let due = self.trees.iter().map(|tree| tree.due).enumerate();
        let due = due.filter_map(|(index, turn)| Some((index, turn?)));
        let next = due.min_by_key(|(_, turn)| turn.order());
        let Some((index, tree)) = next.and_then(|(i, _)| Some((i, self.paths.get(i)?))) else {
            return false;
        };
        let Some(walk) = open_walk(self.guard.as_mut(), tree, begun) else {
            self.finish(index, TreeUsage::nobodys(begun), 1);
            return true;
        };
        self.walk = Some((index, walk));
        if let Some(usage) = self.ask_quota(index, begun) {
            self.walk = None;
            self.finish(index, usage, 1);
        }
        true
    }

    /// What the filesystem accounts to a tree that is a project of its own; of
    /// trees that share one, none is.
    fn ask_quota(&mut self, index: usize, begun: Mono) -> Option<TreeUsage> {
        let (_, walk) = self.walk.as_ref()?;
        let project = read_tree_project(walk.root()?);
        let mut usage = read_quota(walk.root()?, project?, begun);
        if let Some(usage) = &mut usage {
            usage.mounted_on = walk.usage().mounted_on;
        }
        let mut shared = false;
        for (other, tree) in self.trees.iter_mut().enumerate() {
            if other == index {
                tree.project = project;
            } else if tree.project == project {
                shared = true;
                if tree.last.is_some_and(|last| last.by_quota) {
                    tree.make_due();
                }
            }
        }
        usage.filter(|_| !shared)
    }

    /// Does a step of the tree under way.
    fn work(&mut self) {
        let Some((index, mut walk)) = self.walk.take() else {
            return;
        };
        let begun = now();
        let done = walk.step(STEP, &mut self.buffer, &|| self.desk.is_called());
        let took = now().since(begun);
        self.worked += took;
        self.unrested += took;
        let (usage, entries) = (walk.usage(), walk.entries());
        if done {
            drop(walk);
            self.finish(index, usage, entries);
            return;
        }
        if !self.makes_way(index, entries) {
            self.walk = Some((index, walk));
        } else if let Some(tree) = self.trees.get_mut(index) {
            tree.partial = tree.usage(Some(usage)).filter(|usage| !usage.complete);
            tree.due = tree.due.map(Turn::longer);
            self.entries += entries;
        }
        self.publish();
    }

    /// Whether the walk of that tree, which has come so far, is given up until the others that
    /// are due have had their turn.
    fn makes_way(&self, index: usize, entries: u64) -> bool {
        let turn = self.trees.get(index).and_then(|tree| tree.due);
        let others = self.trees.iter().enumerate();
        let others = others.filter_map(|(at, tree)| tree.due.filter(|_| at != index));
        turn.is_some_and(|turn| turn.makes_way(entries, others))
    }

    fn finish(&mut self, index: usize, usage: TreeUsage, entries: u64) {
        self.entries += entries;
        if let Some(tree) = self.trees.get_mut(index) {
            // One that was under way when somebody asked is too old for him.
            (tree.last, tree.partial, tree.due) = (Some(usage), None, None);
            if usage.sampled < self.since {
                tree.make_due();
            }
        }
        if !self.is_due() {
            self.ended = now();
            self.anew = false;
        }
        self.publish();
    }

    /// The last measurement, or what the walk under way has found where that is more, so
    /// that a tree which grows faster than it is walked is seen to.
    fn shown(&self, (index, tree): (usize, &Tree)) -> Option<TreeUsage> {
        let walk = self.walk.as_ref().filter(|(at, _)| *at == index);
        tree.usage(walk.map(|(_, walk)| walk.usage()))
    }

    fn publish(&self) {
        let under_way = self.walk.as_ref().map_or(0, |(_, walk)| walk.entries());
        let found = Found {
            trees: Arc::clone(&self.paths),
            usages: (0..)
                .zip(&self.trees)
                .map(|tree| self.shown(tree))
                .collect(),
            progress: Progress {
                trees_done: self.trees.iter().filter(|tree| !tree.is_due()).count(),
                trees: self.trees.len(),
                entries: self.entries + under_way,
            },
            missing: self.trees.iter().any(|tree| tree.last.is_none()),
        };
        self.desk.show(|state| state.found = found);
    }

    fn next_cycle(&self) -> Mono {
        let pace = self.pace;
        let for_work = self.worked.saturating_mul(pace.pause_for_work);
        self.ended + pace.pause.max(for_work)
    }

    /// Lets others at the disk, within a cycle.
    fn rest(&mut self) {
        if !self.anew && self.unrested >= self.pace.slice {
            self.wait(self.unrested.min(LONGEST_REST));
            self.unrested = Duration::ZERO;
        }
    }

    fn pause(&self) {
        let wait = if self.trees.is_empty() {
            LONGEST_WAIT
        } else {
            self.next_cycle().since(now()).min(LONGEST_WAIT)
        };
        self.wait(wait);
    }

    /// Waits that long, or until there is something to look at.
    fn wait(&self, at_most: Duration) {
        let is_called =
            |state: &mut State| (state.wanted.is_some() || state.anew.is_some()).then_some(());
        let _ = self.desk.next_within(at_most, is_called);
    }
}
