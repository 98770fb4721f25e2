//! What was odd in the answers of a runtime: a line each, in the same words while it lasts.

use crate::text::clean;
use crate::{Error, Failure};

/// More is not read by anyone.
const MOST_NOTES: usize = 50;

/// Adds a line, while there is room for it; one beyond says that there were more.
pub(crate) fn note(notes: &mut Vec<String>, line: impl FnOnce() -> String) {
    if notes.len() <= MOST_NOTES {
        notes.push(line());
    }
}

/// What is said of a part of an item, such as a field, that could not be read; empty for one
/// that has no name.
pub(crate) fn unreadable(part: &str) -> String {
    let part = if part.is_empty() { "a part" } else { part };
    clean(&format!("{part} cannot be read and does not count"))
}

/// What is said of a call that failed.
pub(crate) fn failed(error: &Error) -> Box<str> {
    let Error { call, failure, .. } = error;
    // How long it was waited for may be another time each time.
    let text = if matches!(failure, Failure::TimedOut(_)) {
        format!("{call}: no answer in time")
    } else {
        format!("{call}: {failure}")
    };
    clean(&text).into()
}

/// Ends the lines with one that says so where there were more. It names no number, as that
/// may be another one each time.
pub(crate) fn bound(notes: &mut Vec<String>) {
    if notes.len() > MOST_NOTES {
        notes.truncate(MOST_NOTES);
        notes.push("and more notes of this kind".to_owned());
    }
}
