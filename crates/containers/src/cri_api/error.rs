use alloc::boxed::Box;
use core::fmt;
use core::time::Duration;

/// A call failed: which, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The method's path: `/runtime.v1.RuntimeService/Version`.
    pub call: &'static str,
    /// What went wrong.
    pub failure: Failure,
}

/// How a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nobody listens, or the connection broke; the system's words.
    NotReachable(Box<str>),
    /// No whole answer within this time.
    TimedOut(Duration),
    /// The runtime refused.
    Refused {
        /// gRPC code: 5 is "not found", 12 "unimplemented".
        code: u32,
        /// The runtime's words, cut after 512 characters.
        message: Box<str>,
    },
    /// The answer is not one of this API's: what is odd.
    Malformed(Box<str>),
}

impl Failure {
    /// Whether the runtime says that what was asked for does not exist (gRPC
    /// `NOT_FOUND`).
    #[must_use]
    pub const fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { code: 5, .. })
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
            Self::Refused { code, message } => write!(f, "refused with {code}: {message}"),
            Self::Malformed(what) => write!(f, "not an answer of this API: {what}"),
        }
    }
}

impl core::error::Error for Error {}
