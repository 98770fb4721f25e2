//! What of a list could not be read.

use super::Item;
use crate::notes::{note, unreadable};
use crate::text::clean;

/// What of a list could not be read, each time in the same words: a line for each item of
/// which a part could not be, and one with the number of those that have no readable id.
#[derive(Debug, Default)]
pub struct Unread {
    notes: Vec<String>,
    nameless: Option<(&'static str, usize)>,
}

impl Unread {
    /// Takes an item of which this part could not be read, and hands it back unless it has no
    /// readable id.
    pub fn take<T: Item>(&mut self, item: T, part: Option<Box<str>>) -> Option<T> {
        if item.id().is_empty() {
            let (_, count) = self.nameless.get_or_insert((item.kind(), 0));
            *count = count.saturating_add(1);
            return None;
        }
        if let Some(part) = part {
            let line = || format!("{} {}: {}", item.kind(), item.name(), unreadable(&part));
            note(&mut self.notes, || clean(&line()));
        }
        Some(item)
    }

    /// The lines.
    #[must_use]
    pub fn into_notes(mut self) -> Vec<String> {
        if let Some((kind, count)) = self.nameless {
            note(&mut self.notes, || {
                format!("{kind} without a readable id: {count} passed over")
            });
        }
        self.notes
    }
}
