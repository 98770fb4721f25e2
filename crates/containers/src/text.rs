//! Texts of others, fit for a log.

use core::fmt;

use evictd_plain::is_plain;

use crate::Failure;

/// The longest text of others that is passed on, in characters.
const MOST_TEXT: usize = 300;

/// A text of others, fit for one line of a log: plain, cut after 300 characters.
pub(crate) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len().min(MOST_TEXT));
    for (count, letter) in text.trim().chars().enumerate() {
        if count == MOST_TEXT {
            clean.push('…');
            break;
        }
        if is_plain(letter) {
            clean.push(letter);
        } else {
            clean.extend(letter.escape_unicode());
        }
    }
    clean
}

impl Failure {
    pub(crate) fn malformed(what: impl fmt::Display) -> Self {
        Self::Malformed(clean(&what.to_string()).into())
    }
}
