use core::error;
use core::fmt;
use std::io;

/// Why the reading ended before the document did.
///
/// ```
/// use evictd_json::{Json, ReadError};
///
/// let error = Json::new(&b"[1,"[..]).array(|_| Ok(())).unwrap_err();
/// assert!(matches!(error, ReadError::CutOff { at: 3 }));
/// assert_eq!(error.to_string(), "JSON that ends at byte 3");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream failed.
    Stream(io::Error),
    /// The text is no JSON.
    NotJson {
        /// How many bytes were read before that.
        at: u64,
    },
    /// The stream ended inside the document.
    CutOff {
        /// How many bytes it had.
        at: u64,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(error) => error.fmt(f),
            Self::NotJson { at } => write!(f, "no JSON at byte {at}"),
            Self::CutOff { at } => write!(f, "JSON that ends at byte {at}"),
        }
    }
}

impl error::Error for ReadError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Stream(error) => Some(error),
            Self::NotJson { .. } | Self::CutOff { .. } => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}
