use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Entries that may be gone between one that is still there and the next.
const GONE_AT_ONCE: usize = 32;

/// A list that is made anew in the memory of the one from before, which is mostly the
/// same in the same order: what is left of that one is in front, the new list behind it.
#[derive(Debug)]
pub(super) struct Renewed<T> {
    all: VecDeque<T>,
    /// How many are left of the former list.
    pub(super) former: usize,
}

impl<T> Renewed<T> {
    pub(super) fn of(former: Vec<T>) -> Self {
        Self {
            former: former.len(),
            all: former.into(),
        }
    }

    /// Makes room for so many new ones. Growing bit by bit would leave behind what the list
    /// was in before.
    pub(super) fn reserve(&mut self, new: usize) {
        self.all.reserve_exact(new.saturating_sub(self.former));
    }

    /// Takes the first of the former entries for which `is_it` holds; those before it are
    /// gone.
    pub(super) fn take(&mut self, is_it: impl Fn(&T) -> bool) -> Option<T> {
        let near = self.former.min(GONE_AT_ONCE);
        let gone = self.all.iter().take(near).position(is_it)?;
        self.former = self.former.saturating_sub(gone).saturating_sub(1);
        self.all.drain(..gone);
        self.all.pop_front()
    }

    pub(super) fn push(&mut self, new: T) {
        self.all.push_back(new);
    }

    /// How many are new.
    pub(super) fn len(&self) -> usize {
        self.all.len().saturating_sub(self.former)
    }

    /// One of the new.
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        self.all.get(self.former.saturating_add(index))
    }

    /// The new list, and behind it what is left of the former where that is wanted.
    pub(super) fn into_list(mut self, with_former: bool) -> Vec<T> {
        let new = self.len();
        self.all.rotate_left(self.former);
        if !with_former {
            self.all.truncate(new);
        }
        self.all.into()
    }
}
