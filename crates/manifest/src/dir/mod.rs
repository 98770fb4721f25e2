use alloc::sync::Arc;
use core::mem;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use evictd_node::pod::Pod;
use rustix::fs::{Dir, Mode, OFlags};

use crate::parse_each_pod;
use crate::problem::{MAX_FILES, MAX_PARTS, MOST_FAULTS, ManifestError, Problem};

/// The endings of the files that are read.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// What the annotations begin with by which the kubelet knows a static pod.
const CONFIG: &str = "kubernetes.io/config.";

/// The manifests of a directory (`--pod-manifest-path`), read again when asked.
///
/// The files that end in `.yaml`, `.yml` or `.json`, in the order of their
/// names' bytes; hidden ones and subdirectories are left out. A path to a single
/// file is that one manifest. A file that has not changed is not parsed again;
/// one that cannot be used costs none of the others, nor does a pod in a file of several.
#[derive(Debug)]
pub struct ManifestDir {
    path: PathBuf,
    marks_static: bool,
    files: Vec<Manifest>,
    pods: Vec<Arc<Pod>>,
    errors: Vec<ManifestError>,
}

#[derive(Debug)]
struct Manifest {
    path: PathBuf,
    stamp: Option<Stamp>,
    pods: Box<[Arc<Pod>]>,
    /// What is wrong with it, or with some of its pods.
    problems: Box<[Problem]>,
}

/// What changes when a file is written or replaced: device, inode, size, and the times of
/// the last change to its content and to the inode, as the first can be set by anyone.
type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

fn stamp(found: &Metadata) -> Stamp {
    let modified = (found.mtime(), found.mtime_nsec());
    let changed = (found.ctime(), found.ctime_nsec());
    (found.dev(), found.ino(), found.size(), modified, changed)
}

impl ManifestDir {
    /// For the directory (or file) at `path`; nothing is read yet.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self {
            path,
            marks_static: false,
            files: Vec::new(),
            pods: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// With each pod marked as static ([`Pod::mark_static`]) if `marks_static`, so that it is
    /// never evicted: the kubelet's way.
    #[must_use]
    pub fn marking_static(mut self, marks_static: bool) -> Self {
        self.marks_static = marks_static;
        self
    }

    /// The path it was made for.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what has changed, and returns what cannot be used.
    ///
    /// A directory that is not there has no pods. One that cannot be listed
    /// otherwise keeps those it had: to forget what is critical because a disk
    /// failed would make it a victim.
    pub fn refresh(&mut self) -> &[ManifestError] {
        self.errors.clear();
        let listed = list(&self.path).or_else(|_| list(&self.path));
        let paths = listed.or_else(|error| {
            let gone = error.kind() == ErrorKind::NotFound;
            self.errors.push(ManifestError {
                path: self.path.clone(),
                problem: error.into(),
            });
            gone.then(Vec::new).ok_or(())
        });
        if let Ok(paths) = paths {
            self.read(paths);
        }
        self.collect();
        &self.errors
    }

    /// The pods of all manifests that could be used, as of the last
    /// [`ManifestDir::refresh`].
    #[must_use]
    pub fn pods(&self) -> &[Arc<Pod>] {
        &self.pods
    }

    /// Reads the files in their order, as far as there is room for what they hold.
    fn read(&mut self, paths: Vec<PathBuf>) {
        let mut old = mem::take(&mut self.files);
        let mut parts_left = MAX_PARTS;
        for path in paths {
            let mut file = take_or_read(&mut old, path, self.marks_static);
            let left = parts_left.checked_sub(file.pods.iter().map(|pod| parts(pod)).sum());
            let left = left.filter(|_| self.files.len() < MAX_FILES);
            if left.is_none() {
                file.pods = Box::default();
                file.problems = Box::new([Problem::TooMany]);
                file.stamp = None;
            }
            self.files.push(file);
            match left {
                Some(left) => parts_left = left,
                None => break,
            }
        }
    }

    fn collect(&mut self) {
        self.pods.clear();
        // In order.
        let mut files_by_uid: Vec<(&str, &Path)> = Vec::new();
        for file in &self.files {
            let mut fail = |problem| {
                self.errors.push(ManifestError {
                    path: file.path.clone(),
                    problem,
                });
            };
            file.problems.iter().cloned().for_each(&mut fail);
            for pod in &file.pods {
                let uid = &pod.metadata.uid;
                match files_by_uid.binary_search_by_key(&uid.as_str(), |(uid, _)| uid) {
                    Ok(place) => fail(Problem::SamePod {
                        uid: uid.clone(),
                        first: files_by_uid
                            .get(place)
                            .map_or_else(PathBuf::new, |(_, first)| first.to_path_buf()),
                    }),
                    Err(place) => {
                        files_by_uid.insert(place, (uid, &file.path));
                        self.pods.push(Arc::clone(pod));
                    }
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
    // Not std's: that one panics where the directory cannot be closed.
    for entry in Dir::new(open(path, OFlags::DIRECTORY)?)? {
        let path = path.join(OsStr::from_bytes(entry?.file_name().to_bytes()));
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

fn take_or_read(old: &mut Vec<Manifest>, path: PathBuf, marks_static: bool) -> Manifest {
    let stamp = fs::metadata(&path).ok().map(|found| stamp(&found));
    let same = |file: &Manifest| file.path == path && file.stamp == stamp;
    match old.iter().position(same).filter(|_| stamp.is_some()) {
        Some(index) => old.swap_remove(index),
        None => {
            let is_unreadable = |found: &_| matches!(found, Err(Problem::Unreadable(_)));
            let mut found = read(&path);
            if is_unreadable(&found) {
                found = read(&path);
            }
            // One that could not be read may be readable the next time, though nothing of
            // it has changed.
            let stamp = stamp.filter(|_| !is_unreadable(&found));
            let (pods, problems) = found.unwrap_or_else(|problem| (Vec::new(), vec![problem]));
            Manifest {
                path,
                stamp,
                pods: pods
                    .into_iter()
                    .map(|pod| keep(pod, marks_static))
                    .collect(),
                problems: problems.into(),
            }
        }
    }
}

/// A pod, to be kept as long as its file stays as it is: without labels, and without
/// annotations but for those that decide something.
fn keep(mut pod: Pod, marks_static: bool) -> Arc<Pod> {
    let metadata = &mut pod.metadata;
    metadata.labels.clear();
    let annotations = mem::take(&mut metadata.annotations).into_iter();
    let says_so = |(key, _): &(String, String)| key.starts_with(CONFIG);
    metadata.annotations = annotations.filter(says_so).collect();
    if marks_static {
        pod.mark_static();
    }
    Arc::new(pod)
}

/// Without waiting: a pipe that nobody writes to is opened all the same, and found to be
/// one.
fn open(path: &Path, more: OFlags) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags | more, Mode::empty())?)
}

/// The pods that can be used, and what is wrong with the others.
fn read(path: &Path) -> Result<(Vec<Pod>, Vec<Problem>), Problem> {
    let file = File::from(open(path, OFlags::empty())?);
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(Problem::NotAFile);
    }
    let most = u64::try_from(crate::yaml::MAX_BYTES).unwrap_or(u64::MAX);
    if found.size() > most {
        return Err(Problem::TooLarge);
    }
    // No further than its size: the kernel's own files, some of which have no end or wait
    // for one, have none.
    let mut bytes = Vec::new();
    file.take(found.size()).read_to_end(&mut bytes)?;
    let (pods, faults) = parse_each_pod(&bytes);
    let more = faults.len().saturating_sub(MOST_FAULTS);
    let mut problems: Vec<Problem> = faults
        .into_iter()
        .take(MOST_FAULTS)
        .map(Problem::from)
        .collect();
    if more > 0 {
        problems.push(Problem::More(more));
    }
    Ok((pods, problems))
}

/// What a pod takes of [`MAX_PARTS`].
fn parts(pod: &Pod) -> usize {
    let (spec, metadata) = (&pod.spec, &pod.metadata);
    [
        1,
        spec.containers.len(),
        spec.init_containers.len(),
        spec.volumes.len(),
        spec.tolerations.len(),
        metadata.labels.len(),
        metadata.annotations.len(),
    ]
    .into_iter()
    .fold(0, usize::saturating_add)
}

#[cfg(test)]
#[cfg(feature = "yaml")]
mod tests;
