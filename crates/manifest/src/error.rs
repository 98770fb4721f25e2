use core::fmt;

use evictd_node::pod::JsonError;

/// Why the bytes of a manifest are not pods.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Neither YAML nor JSON, or beyond the limits on such.
    Text(crate::yaml::Error),
    /// A document that is no pod.
    Document {
        /// Which document of the manifest, from 1.
        number: usize,
        /// What is wrong with it, and where.
        error: Box<JsonError>,
    },
    /// No document with any content.
    Empty,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => error.fmt(f),
            Self::Document { number: 1, error } => error.fmt(f),
            Self::Document { number, error } => write!(f, "document {number}: {error}"),
            Self::Empty => f.write_str("no pod in it"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Text(error) => Some(error),
            Self::Document { error, .. } => Some(error),
            Self::Empty => None,
        }
    }
}
