//! What pods left on the disk: listed, and deleted when somebody decides so.
//!
//! Only two directories are ever looked into, those that [`Leftovers::open`] is
//! given, and what is below them is reached by directory descriptors alone: no
//! symbolic link is followed, and no directory is entered that is mounted there,
//! bind mounts included (each descriptor's mount id is compared, from
//! `/proc/self/fdinfo`, since Linux 3.15). So nothing outside can be reached,
//! whatever is renamed meanwhile.

mod found;
mod list;
mod memory;
mod named;
mod named_file;
#[cfg(test)]
mod named_tests;
mod named_walk;
mod root;
mod sweep;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use rustix::fd::{AsFd, BorrowedFd};

use crate::Error;
use crate::process::Proc;
pub use found::{Freed, Leftover, LeftoverKind};
pub use named::NamedDir;
pub use named_file::NamedFile;
pub use named_walk::NamedWalk;
#[doc(hidden)]
pub use root::find_mount_id;
use root::{Root, free};
use sweep::Sweep;

/// The directories in which pods leave something.
#[derive(Debug)]
pub struct Leftovers {
    proc: Proc,
    logs: Option<Root>,
    pods: Option<Root>,
}

impl Leftovers {
    /// Opens the directory of pod logs and the one of the pods, `pods` below
    /// `root_dir`. One that is not given or not there has nothing in it.
    ///
    /// # Errors
    ///
    /// When one that exists, or `proc`, cannot be opened.
    pub fn open(
        proc: &Path,
        pod_logs_dir: Option<&Path>,
        root_dir: Option<&Path>,
    ) -> Result<Self, Error> {
        let at = |path: &Path, errno| Error {
            path: path.to_path_buf(),
            errno,
        };
        let opened = Proc::open(proc).map_err(|errno| at(proc, errno))?;
        let root = |path: Option<&Path>, below: Option<&str>| {
            let Some(path) = path else {
                return Ok(None);
            };
            let root = Root::open(&opened, path, below);
            root.map_err(|errno| at(path, errno))
        };
        Ok(Self {
            logs: root(pod_logs_dir, None)?,
            pods: root(root_dir, Some("pods"))?,
            proc: opened,
        })
    }

    /// The directories in which it deletes.
    pub fn directories(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let roots = [&self.logs, &self.pods].into_iter().flatten();
        roots.map(|root| root.dir.as_fd())
    }

    /// The whole path of something that was found.
    #[must_use]
    pub fn path(&self, found: &Leftover) -> PathBuf {
        let root = self.root(found.kind).map(|root| root.path.as_path());
        root.unwrap_or(Path::new("")).join(found.path())
    }

    const fn root(&self, kind: LeftoverKind) -> Option<&Root> {
        match kind {
            LeftoverKind::PodLogs | LeftoverKind::LogFile => self.logs.as_ref(),
            LeftoverKind::Volumes => self.pods.as_ref(),
        }
    }

    /// Deletes these, in this order, to their end and at any depth, and calls `each` with
    /// each one that is done and how much that was. What is gone already is done.
    ///
    /// `go_on` is asked before the first deletion and after each, with how many there were:
    /// it may stop it all. That takes as long as it takes: not to be called in a loop.
    pub fn delete<'a>(
        &self,
        chosen: &mut dyn Iterator<Item = &'a Leftover>,
        go_on: &mut dyn FnMut(u64) -> bool,
        each: &mut dyn FnMut(&Leftover, u64),
    ) -> Freed {
        let before = self.free();
        let mut sweep = Sweep::new(&self.proc, go_on);
        for found in chosen {
            if sweep.is_stopped() {
                break;
            }
            let Some(root) = self.root(found.kind) else {
                continue;
            };
            let deleted = sweep.deleted();
            sweep.delete(root, found);
            if !sweep.is_stopped() {
                each(found, sweep.deleted().saturating_sub(deleted));
            }
        }
        let mut freed = sweep.into_freed();
        let after = self.free();
        freed.bytes = after.0.saturating_sub(before.0);
        freed.inodes = after.1.saturating_sub(before.1);
        freed
    }

    /// Free bytes and inodes of the filesystems; of one that is both, once.
    fn free(&self) -> (u64, u64) {
        let mut sum = (0_u64, 0_u64);
        let mut last = None;
        for root in [&self.logs, &self.pods].into_iter().flatten() {
            let device = rustix::fs::fstat(&root.dir).map(|stat| stat.st_dev).ok();
            if last.replace(device) == Some(device) {
                continue;
            }
            let (bytes, inodes) = free(&root.dir);
            sum = (sum.0.saturating_add(bytes), sum.1.saturating_add(inodes));
        }
        sum
    }
}
