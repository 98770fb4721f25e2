//! What was odd in the answers of a runtime: a line each.

#[cfg(feature = "docker")]
use crate::text::clean;

/// More is not read by anyone.
const MOST_NOTES: usize = 50;

/// Adds a line, while there is room for it; one beyond says that there were more.
pub(crate) fn note(notes: &mut Vec<String>, line: impl FnOnce() -> String) {
    if notes.len() <= MOST_NOTES {
        notes.push(line());
    }
}

/// Adds a line about a field of an item that could not be read.
#[cfg(feature = "docker")]
pub(crate) fn note_fault(notes: &mut Vec<String>, item: &str, field: &str) {
    note(notes, || {
        clean(&format!(
            "{item}: {field} cannot be read and does not count"
        ))
    });
}

/// Ends the lines with one that says so where there were more. It names no number, as that
/// may be another one each time.
pub(crate) fn bound(notes: &mut Vec<String>) {
    if notes.len() > MOST_NOTES {
        notes.truncate(MOST_NOTES);
        notes.push("and more notes of this kind".to_owned());
    }
}
