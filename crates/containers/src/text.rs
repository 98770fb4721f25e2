//! Texts of others, fit for a log.

use core::fmt;

use crate::Failure;

/// The longest text of others that is passed on, in characters.
const MOST_TEXT: usize = 300;

/// A text of others, fit for one line of a log: control characters and those that turn
/// the direction of a line escaped, cut after 300 characters.
pub(crate) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len().min(MOST_TEXT));
    for (count, letter) in text.trim().chars().enumerate() {
        if count == MOST_TEXT {
            clean.push('…');
            break;
        }
        let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if letter.is_control() || turns {
            clean.extend(letter.escape_unicode());
        } else {
            clean.push(letter);
        }
    }
    clean
}

impl Failure {
    pub(crate) fn malformed(what: impl fmt::Display) -> Self {
        Self::Malformed(clean(&what.to_string()).into())
    }
}
