//! How much of a list without end is kept.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;

/// So many more than are kept may come before those beyond are dropped.
const ROOM: usize = 256;

/// How many items are kept for what they use alone.
const MOST_USED: usize = 1024;

/// An item of a list.
pub(super) trait Item {
    type Rank: Copy + Ord;

    /// How many items are kept that have a rank.
    const MOST: usize;
    /// What such an item is called.
    const KIND: &'static str;
    /// What is said where items were left out.
    const LEFT_OUT: &'static str;

    /// Its name, else its id.
    fn name(&self) -> &str;

    /// Which are kept: those with the lowest rank, and all that have none.
    fn rank(&self) -> Option<Self::Rank>;

    /// What must not be forgotten of an item that is left out: one of those that have it in
    /// common is kept.
    fn uses(&self) -> Option<&Arc<str>>;
}

/// The items of a list that are kept, in its order.
pub(super) struct Kept<T> {
    all: Vec<T>,
    ranked: usize,
    trim_at: usize,
    has_left_out: bool,
}

impl<T: Item> Kept<T> {
    pub(super) const fn new() -> Self {
        Self {
            all: Vec::new(),
            ranked: 0,
            trim_at: T::MOST.saturating_add(ROOM),
            has_left_out: false,
        }
    }

    pub(super) fn push(&mut self, item: T) {
        self.ranked = self
            .ranked
            .saturating_add(usize::from(item.rank().is_some()));
        self.all.push(item);
        if self.ranked >= self.trim_at {
            self.trim();
        }
    }

    /// The items, and whether others were left out.
    pub(super) fn finish(mut self) -> (Vec<T>, bool) {
        self.trim();
        (self.all, self.has_left_out)
    }

    fn trim(&mut self) {
        let ranks = self.all.iter().enumerate();
        let ranks = ranks.filter_map(|(at, item)| Some((item.rank()?, at)));
        let mut ranks: Vec<(T::Rank, usize)> = ranks.collect();
        if ranks.len() <= T::MOST {
            return;
        }
        let last = *ranks.select_nth_unstable(T::MOST.saturating_sub(1)).1;
        let is_first = |at, item: &T| item.rank().is_none_or(|rank| (rank, at) <= last);
        let first = self.all.iter().enumerate();
        let first = first.filter(|(at, item)| is_first(*at, item));
        let mut used: BTreeSet<Arc<str>> =
            first.filter_map(|(_, item)| item.uses().cloned()).collect();
        let most = used.len().saturating_add(MOST_USED);
        let mut at = 0_usize;
        let before = self.all.len();
        self.all.retain(|item| {
            let is_kept = is_first(at, item)
                || item
                    .uses()
                    .is_some_and(|of| used.len() < most && used.insert(Arc::clone(of)));
            at = at.saturating_add(1);
            is_kept
        });
        self.has_left_out |= self.all.len() < before;
        self.ranked = self.all.iter().filter(|item| item.rank().is_some()).count();
        self.trim_at = self.ranked.saturating_add(ROOM);
    }
}
