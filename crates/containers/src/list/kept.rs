//! How much of a list of any length is kept.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;

use super::Ranked;

/// What the texts may take of the items that are kept by their rank.
const MOST_BYTES: usize = 2 << 20;

/// What is kept for what it uses.
const FOR_USE: Budget = Budget {
    items: 1024,
    bytes: 1 << 20,
};

/// How much more than is kept may come before the rest is dropped.
const ROOM: Budget = Budget {
    items: 256,
    bytes: 512 << 10,
};

/// The items of a list that are kept, in its order: all that have no rank, of the others the
/// first, and of those beyond one for each thing that they use. One that is too long is left
/// out, and costs no other.
#[derive(Debug)]
pub(super) struct Kept<T> {
    all: Vec<T>,
    /// How much more may come of those that have a rank.
    room: Budget,
    left_out: Option<&'static str>,
}

/// How many items, and how many bytes of their texts.
#[derive(Clone, Copy, Debug)]
struct Budget {
    items: usize,
    bytes: usize,
}

impl Budget {
    /// Takes room for an item of `bytes`. Returns `false` where there is no such room left.
    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.items.checked_sub(1).zip(self.bytes.checked_sub(bytes));
        if let Some((items, bytes)) = left {
            *self = Self { items, bytes };
        }
        left.is_some()
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            room: ROOM,
            left_out: None,
        }
    }
}

impl<T: Ranked> Kept<T> {
    /// Takes the next item.
    pub(super) fn push(&mut self, item: T) {
        let has_room = item.rank().is_none() || self.room.spend(item.bytes());
        self.all.push(item);
        if !has_room {
            self.trim();
        }
    }

    /// The items, and what to say where others were left out.
    pub(super) fn finish(mut self) -> (Vec<T>, Option<&'static str>) {
        self.trim();
        (self.all, self.left_out)
    }

    fn trim(&mut self) {
        let dropped = self.find_dropped();
        let mut at = 0_usize;
        self.all.retain(|item| {
            let is_dropped = dropped.contains(&at);
            if is_dropped {
                self.left_out = Some(item.left_out());
            }
            at = at.saturating_add(1);
            !is_dropped
        });
        self.room = ROOM;
    }

    /// The places of those that are too many.
    fn find_dropped(&self) -> BTreeSet<usize> {
        let ranks = self.all.iter().enumerate();
        let ranks = ranks.filter_map(|(at, item)| Some((item.rank()?, at, item)));
        let mut ranks: Vec<(T::Rank, usize, &T)> = ranks.collect();
        ranks.sort_unstable_by_key(|(rank, at, _)| (*rank, *at));
        let mut by_rank = Budget {
            items: T::MOST,
            bytes: MOST_BYTES,
        };
        let (first, others): (Vec<_>, Vec<_>) = ranks
            .into_iter()
            .partition(|(_, _, item)| by_rank.spend(item.bytes()));
        let unranked = self.all.iter().filter(|item| item.rank().is_none());
        let first = first.into_iter().map(|(_, _, item)| item);
        let mut used: BTreeSet<&Arc<str>> =
            unranked.chain(first).filter_map(Ranked::uses).collect();
        let mut by_use = FOR_USE;
        let mut dropped = BTreeSet::new();
        for (_, at, item) in others {
            let needed = item.uses().filter(|of| !used.contains(of));
            if needed.is_some() && by_use.spend(item.bytes()) {
                used.extend(needed);
            } else {
                dropped.insert(at);
            }
        }
        dropped
    }
}
