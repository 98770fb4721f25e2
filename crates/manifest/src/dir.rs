use alloc::collections::BTreeMap;
use core::fmt;
use core::mem;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use evictd_node::pod::Pod;

use crate::{Error, parse_pods};

/// The endings of the files that are read.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// A manifest, or the directory of manifests, that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Its text is no pod.
    Pods(Error),
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
            Self::Pods(error) => error.fmt(f),
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

/// The manifests of a directory (`--pod-manifest-path`), read again when asked.
///
/// The files that end in `.yaml`, `.yml` or `.json`, in the order of their
/// names' bytes; hidden ones and subdirectories are left out. A path to a single
/// file is that one manifest. A file that has not changed is not parsed again;
/// one that cannot be used costs none of the others.
#[derive(Debug)]
pub struct ManifestDir {
    path: PathBuf,
    files: Vec<Manifest>,
    pods: Vec<Pod>,
    errors: Vec<ManifestError>,
}

#[derive(Debug)]
struct Manifest {
    path: PathBuf,
    stamp: Option<Stamp>,
    parsed: Result<Vec<Pod>, Problem>,
}

/// What changes when a file is written or replaced: device, inode, size, and the times of
/// the last change to its content and to the inode, as the first can be set by anyone.
type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

fn stamp(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    let modified = (found.mtime(), found.mtime_nsec());
    let changed = (found.ctime(), found.ctime_nsec());
    Some((found.dev(), found.ino(), found.size(), modified, changed))
}

impl ManifestDir {
    /// For the directory (or file) at `path`; nothing is read yet.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self {
            path,
            files: Vec::new(),
            pods: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Reads what has changed, and returns what cannot be used.
    ///
    /// A directory that is not there has no pods. One that cannot be listed
    /// otherwise keeps those it had: to forget what is critical because a disk
    /// failed would make it a victim.
    pub fn refresh(&mut self) -> &[ManifestError] {
        self.errors.clear();
        let paths = list(&self.path).or_else(|error| {
            let gone = error.kind() == ErrorKind::NotFound;
            self.errors.push(ManifestError {
                path: self.path.clone(),
                problem: error.into(),
            });
            gone.then(Vec::new).ok_or(())
        });
        if let Ok(paths) = paths {
            let mut old = mem::take(&mut self.files);
            let read = |path| take_or_read(&mut old, path);
            self.files = paths.into_iter().map(read).collect();
        }
        self.collect();
        &self.errors
    }

    /// The pods of all manifests that could be used, as of the last
    /// [`ManifestDir::refresh`].
    #[must_use]
    pub fn pods(&self) -> &[Pod] {
        &self.pods
    }

    fn collect(&mut self) {
        self.pods.clear();
        let mut files_by_uid: BTreeMap<&str, &Path> = BTreeMap::new();
        for file in &self.files {
            let mut fail = |problem| {
                self.errors.push(ManifestError {
                    path: file.path.clone(),
                    problem,
                });
            };
            let pods = match &file.parsed {
                Ok(pods) => pods,
                Err(problem) => {
                    fail(problem.clone());
                    continue;
                }
            };
            for pod in pods {
                let uid = &pod.metadata.uid;
                if let Some(first) = files_by_uid.get(uid.as_str()) {
                    fail(Problem::SamePod {
                        uid: uid.clone(),
                        first: first.to_path_buf(),
                    });
                } else {
                    files_by_uid.insert(uid, &file.path);
                    self.pods.push(pod.clone());
                }
            }
        }
    }
}

/// The manifests at `path`, sorted.
fn list(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut paths = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if is_wanted(&path) && !path.is_dir() {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

fn is_wanted(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let ends = |ending: &str| path.extension().is_some_and(|end| end == ending);
    !name.as_bytes().starts_with(b".") && ENDINGS.into_iter().any(ends)
}

fn take_or_read(old: &mut Vec<Manifest>, path: PathBuf) -> Manifest {
    let stamp = stamp(&path);
    let same = |file: &Manifest| file.path == path && file.stamp == stamp;
    match old.iter().position(same).filter(|_| stamp.is_some()) {
        Some(index) => old.swap_remove(index),
        None => Manifest {
            parsed: read(&path),
            path,
            stamp,
        },
    }
}

fn read(path: &Path) -> Result<Vec<Pod>, Problem> {
    if !fs::metadata(path)?.is_file() {
        return Err(Problem::NotAFile);
    }
    let most = u64::try_from(crate::yaml::MAX_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there are more.
    let mut bounded = File::open(path)?.take(most.saturating_add(1));
    bounded.read_to_end(&mut bytes)?;
    if bytes.len() > crate::yaml::MAX_BYTES {
        return Err(Problem::TooLarge);
    }
    parse_pods(&bytes).map_err(Problem::Pods)
}

#[cfg(test)]
#[cfg(feature = "yaml")]
mod tests;
