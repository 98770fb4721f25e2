//! What is wrong with a manifest, and how much of a directory is read.

use core::fmt;
use std::io;
use std::path::PathBuf;

/// The most files of a directory that are read; the kubelet runs 110 pods by default.
pub const MAX_FILES: usize = 1000;

/// The most pods, containers, volumes, tolerations, labels and annotations, counted
/// together, that are kept of a directory.
pub const MAX_PARTS: usize = 16_384;

/// So many faults of one file are named; of the others it is told how many there are.
pub(crate) const MOST_FAULTS: usize = 5;

/// The longest text of an error, in characters: it may quote what the file holds.
const MOST_WORDS: usize = 300;

/// A manifest, or the directory of manifests, that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManifestError {
    /// Which file or directory.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

impl core::error::Error for ManifestError {}

/// What is wrong with a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It cannot be read; the kernel's number for why, as in
    /// [`io::Error::raw_os_error`].
    Unreadable(i32),
    /// It is no regular file: a pipe would be waited for.
    NotAFile,
    /// It has more than [`crate::yaml::MAX_BYTES`].
    TooLarge,
    /// Its text, or a part of it, is no pod, and why: cut after 300 characters.
    Pods(String),
    /// How many more of its pods or documents cannot be used.
    More(usize),
    /// It is beyond [`MAX_FILES`], or the files before it hold [`MAX_PARTS`]: it is left
    /// out, and those after it.
    TooMany,
    /// A file before it has a pod of the same uid, and that one counts.
    SamePod {
        /// The pod's uid.
        uid: String,
        /// The file that counts.
        first: PathBuf,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(number) => io::Error::from_raw_os_error(*number).fmt(f),
            Self::NotAFile => f.write_str("not a regular file"),
            Self::TooLarge => write!(f, "more than {} bytes", crate::yaml::MAX_BYTES),
            Self::Pods(error) => f.write_str(error),
            Self::More(count) => write!(f, "{count} more of its pods cannot be used"),
            Self::TooMany => write!(
                f,
                "left out, with all files after it: at most {MAX_FILES} files with {MAX_PARTS} \
                 pods, containers, volumes, tolerations, labels and annotations are read"
            ),
            Self::SamePod { uid, first } => {
                write!(f, "its pod {uid} is in {} already", first.display())
            }
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        // Reading files gives nothing but the kernel's errors.
        Self::Unreadable(error.raw_os_error().unwrap_or(0))
    }
}

impl From<crate::Error> for Problem {
    fn from(error: crate::Error) -> Self {
        let words = error.to_string();
        let mut cut: String = words.chars().take(MOST_WORDS).collect();
        if cut.len() < words.len() {
            cut.push('…');
        }
        Self::Pods(cut)
    }
}
