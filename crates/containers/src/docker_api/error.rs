use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::time::Duration;

/// What a call gives. Boxed, as what may fail is passed on a dozen times.
pub type Result<T, E = Box<Error>> = core::result::Result<T, E>;

/// A call failed: which, and what came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The call: `GET /containers/json`, without the query.
    pub call: Box<str>,
    /// What went wrong.
    pub failure: Failure,
}

/// What went wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nobody listens, or the connection broke; the system's words.
    NotReachable(Box<str>),
    /// No whole answer within this time.
    TimedOut(Duration),
    /// The engine refused.
    Refused {
        /// The HTTP status.
        status: u16,
        /// The engine's own words, without control characters and cut; empty
        /// where it said nothing.
        message: Box<str>,
    },
    /// The answer is not one of this API's: what is odd, and where.
    Malformed(Box<str>),
}

impl Error {
    /// The HTTP status, where the engine refused.
    #[must_use]
    pub const fn status(&self) -> Option<u16> {
        match self.failure {
            Failure::Refused { status, .. } => Some(status),
            Failure::NotReachable(_) | Failure::TimedOut(_) | Failure::Malformed(_) => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.call, self.failure)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReachable(why) => f.write_str(why),
            Self::TimedOut(after) => write!(f, "no answer within {} ms", after.as_millis()),
            Self::Refused { status, message } => write!(f, "refused with {status}: {message}"),
            Self::Malformed(what) => write!(f, "not an answer of this API: {what}"),
        }
    }
}

impl core::error::Error for Error {}

/// The longest text of others that goes into an error, in characters.
const MAX_TEXT: usize = 300;

/// A text of others, fit for one line of a log: control characters escaped, cut
/// after 300 characters.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len().min(MAX_TEXT));
    for (count, letter) in text.trim().chars().enumerate() {
        if count == MAX_TEXT {
            clean.push('…');
            break;
        }
        if is_odd(letter) {
            clean.extend(letter.escape_unicode());
        } else {
            clean.push(letter);
        }
    }
    clean
}

/// Control characters, and those that turn the direction of a line or break it.
fn is_odd(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
