use core::fmt;

/// Why the bytes of a manifest are not pods.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Neither YAML nor JSON, or beyond the limits on such.
    Text(crate::yaml::Error),
    /// A document that is no pod, and why.
    Document {
        /// Which document of the manifest, from 1.
        number: usize,
        /// The path of the field, such as `.spec.containers[0].name`; empty for
        /// the document as a whole.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No document with any content.
    Empty,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => error.fmt(f),
            Self::Document {
                number,
                path,
                problem,
            } => {
                if *number > 1 {
                    write!(f, "document {number}: ")?;
                }
                if !path.is_empty() {
                    write!(f, "{path}: ")?;
                }
                f.write_str(problem)
            }
            Self::Empty => f.write_str("no pod in it"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Text(error) => Some(error),
            Self::Document { .. } | Self::Empty => None,
        }
    }
}

/// What is wrong where within a document.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) path: String,
    pub(crate) problem: String,
}

impl Fault {
    pub(crate) fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            problem: problem.into(),
        }
    }

    /// The same fault, seen from a document in which `step` leads to it.
    pub(crate) fn below(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }
}
