use alloc::string::{String, ToString};
use core::fmt;

/// Why a line is none of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError(pub(crate) String);

impl LineError {
    pub(crate) fn new(problem: &str) -> Self {
        Self(problem.to_string())
    }
}

impl From<serde_json::Error> for LineError {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for LineError {}
