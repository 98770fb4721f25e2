//! Lists, read item by item: in all of them the items are the field 1.

use std::io;

use super::reader::{Fault, Reader, Value};
use crate::pods::Found;
use crate::text::clean;
use crate::{ListedImage, WritableLayer};

/// More notes of one list are not kept.
const MOST_NOTES: usize = 50;

/// Reads an item of a list as far as it can be read.
pub type Parse<T> = fn(&mut Reader<'_>, Value) -> io::Result<T>;

/// What of lists could not be read, a line each, fit for a log.
#[derive(Clone, Debug, Default)]
pub struct Unread {
    lines: Vec<String>,
    more: usize,
}

impl Unread {
    /// Whether all could be read.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn note(&mut self, line: &str) {
        if self.lines.len() < MOST_NOTES {
            self.lines.push(clean(line));
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// The lines.
    #[must_use]
    pub fn into_notes(mut self) -> Vec<String> {
        if self.more > 0 {
            let more = self.more;
            self.lines
                .push(format!("and {more} more that cannot be read"));
        }
        self.lines
    }
}

/// An item of a list.
pub trait Item {
    /// By which it is known; empty where that could not be read.
    fn id(&self) -> &str;
}

impl Item for Found {
    fn id(&self) -> &str {
        &self.container.id
    }
}

impl Item for ListedImage {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Item for (String, WritableLayer) {
    fn id(&self) -> &str {
        &self.0
    }
}

/// Hands out the items of a list that have an id, each as far as it can be read. Where the
/// list itself breaks off, that is the fault that is returned.
///
/// # Errors
/// The source's.
pub fn parse_list<T: Item>(
    reader: &mut Reader<'_>,
    call: &str,
    unread: &mut Unread,
    parse: Parse<T>,
    keep: &mut dyn FnMut(T),
) -> io::Result<Result<(), Fault>> {
    let (mut unnamed, mut why) = (0_usize, None);
    let whole = reader.whole();
    reader.message(whole, &mut |reader, field, value| {
        if field != 1 {
            return Ok(());
        }
        let item = parse(reader, value)?;
        // What an item lacks is no fault of the list.
        let fault = reader.take_fault();
        if item.id().is_empty() {
            unnamed = unnamed.saturating_add(1);
            why = why.or(fault);
            return Ok(());
        }
        if let Some(fault) = fault {
            unread.note(&format!("{}: {call}: {fault}", item.id()));
        }
        keep(item);
        Ok(())
    })?;
    if unnamed > 0 {
        let why = why.map_or_else(|| "none is told".to_owned(), |why| why.to_string());
        unread.note(&format!(
            "{call}: {unnamed} without a readable id passed over: {why}"
        ));
    }
    Ok(reader.take_fault().map_or(Ok(()), Err))
}
