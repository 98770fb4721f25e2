//! Lists as runtimes tell them, of any length, item by item: what is kept of them, and what
//! is said of the rest.

mod item;
mod kept;
mod unread;

pub use item::{Item, Ranked};
use kept::Kept;
pub use unread::Unread;

/// A list as far as it is readable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed<T> {
    /// The items.
    pub items: Vec<T>,
    /// What could not be read, and what was left out: a line each, fit for a log.
    pub notes: Vec<String>,
}

/// The items of a list, while it is read.
#[derive(Debug)]
pub struct Items<T> {
    kept: Kept<T>,
    unread: Unread,
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self {
            kept: Kept::default(),
            unread: Unread::default(),
        }
    }
}

impl<T: Ranked> Items<T> {
    /// Takes the next item, of which this part could not be read.
    pub fn take(&mut self, item: T, part: Option<Box<str>>) {
        if let Some(item) = self.unread.take(item, part) {
            self.kept.push(item);
        }
    }

    /// All that is kept.
    pub fn finish(self) -> Listed<T> {
        let (items, left_out) = self.kept.finish();
        let mut notes = self.unread.into_notes();
        notes.extend(left_out.map(ToOwned::to_owned));
        Listed { items, notes }
    }
}
