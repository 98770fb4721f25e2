//! What all answers have in common.

use std::io::BufRead;

use super::json::Json;
use super::kept::{Item, Kept};
use crate::Failure;
use crate::notes::{note, note_fault};

/// The longest id, name or label that is kept; no longer one means anything to evictd.
pub(super) const MOST_TEXT_BYTES: usize = 1024;

/// The longest path that is kept; the kernel takes no longer one.
pub(super) const MOST_PATH_BYTES: usize = 4096;

/// A list as far as it is readable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed<T> {
    /// The items.
    pub items: Vec<T>,
    /// What was odd and was passed over: a line each, fit for a log.
    pub notes: Vec<String>,
}

/// Reads an answer that is a list; Go writes `null` for an empty one.
///
/// # Errors
/// When that is no list.
pub(super) fn read_list<R: BufRead>(
    stream: R,
    each: impl FnMut(&mut Json<R>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut json = Json::new(stream);
    if !json.array(each)? && json.fault().is_some() {
        return Err(Failure::malformed("no list"));
    }
    json.end()
}

/// Reads an answer that is an object; returns the first field of it that was not readable.
///
/// # Errors
/// When that is no object.
pub(super) fn read_object<R: BufRead>(
    stream: R,
    each: impl FnMut(&mut Json<R>, &str) -> Result<(), Failure>,
) -> Result<Option<Box<str>>, Failure> {
    let mut json = Json::new(stream);
    if !json.object(each)? {
        return Err(Failure::malformed("no object"));
    }
    json.end()?;
    Ok(json.fault())
}

/// The items of a list, one after the other.
pub(super) struct Items<T: Item> {
    kept: Kept<T>,
    notes: Vec<String>,
    has_nameless: bool,
}

impl<T: Item> Items<T> {
    pub(super) const fn new() -> Self {
        Self {
            kept: Kept::new(),
            notes: Vec::new(),
            has_nameless: false,
        }
    }

    /// Takes the item that was read last, and notes a field of it that is not readable. One
    /// without a readable id is passed over.
    pub(super) fn take<R: BufRead>(&mut self, json: &mut Json<R>, item: Option<T>) {
        let fault = json.fault();
        let Some(item) = item else {
            self.has_nameless = true;
            return;
        };
        if let Some(field) = fault {
            let of = format!("{} {}", T::KIND, item.name());
            note_fault(&mut self.notes, &of, &field);
        }
        self.kept.push(item);
    }

    pub(super) fn finish(mut self) -> Listed<T> {
        let kind = T::KIND;
        if self.has_nameless {
            note(&mut self.notes, || {
                format!("a {kind} of the list has no readable id and is passed over")
            });
        }
        let (items, has_left_out) = self.kept.finish();
        if has_left_out {
            note(&mut self.notes, || T::LEFT_OUT.to_owned());
        }
        let notes = self.notes;
        Listed { items, notes }
    }
}
