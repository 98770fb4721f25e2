use core::ops::ControlFlow;
use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::fstat;

use super::named_file::{NamedFile, device};
use super::named_walk::{NamedWalk, Place, walk};
use super::root::{Root, free};
use crate::Error;
use crate::process::Proc;

/// A directory that the operator named, for its files to be looked at and deleted.
///
/// What is below it is reached as in [`Leftovers`](super::Leftovers), and no part of its own
/// path may be a link either.
#[derive(Debug)]
pub struct NamedDir {
    proc: Proc,
    root: Root,
    device: u64,
}

impl AsFd for NamedDir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.root.dir.as_fd()
    }
}

impl NamedDir {
    /// Opens it; `None` where it is not there.
    ///
    /// # Errors
    /// When it is no directory, is reached through a link, or it or `proc` cannot be opened.
    pub fn open(proc: &Path, path: &Path) -> Result<Option<Self>, Error> {
        let at = |path: &Path, errno| Error {
            path: path.to_path_buf(),
            errno,
        };
        let opened = Proc::open(proc).map_err(|errno| at(proc, errno))?;
        let root = Root::open_plain(&opened, path).map_err(|errno| at(path, errno))?;
        let Some(root) = root else {
            return Ok(None);
        };
        let found = fstat(&root.dir).map_err(|errno| at(path, errno))?;
        Ok(Some(Self {
            proc: opened,
            root,
            device: device(&found),
        }))
    }

    /// Its `st_dev`.
    #[must_use]
    pub const fn device(&self) -> u64 {
        self.device
    }

    /// Free bytes and inodes of its filesystem.
    #[must_use]
    pub fn free(&self) -> (u64, u64) {
        free(self.root.dir.as_fd())
    }

    /// Calls `visit` with each regular file that lies on its filesystem, in no particular
    /// order, until it breaks or `most` entries were met. The directory's own entries and
    /// each subdirectory have their turns: who fills one leaves the others their share. What
    /// vanishes meanwhile is left out.
    pub fn each_file(
        &self,
        most: u64,
        visit: &mut dyn FnMut(&NamedFile<'_>) -> ControlFlow<()>,
    ) -> NamedWalk {
        let top = (self.root.dir.as_fd(), self.root.path.as_path());
        let place = Place {
            proc: &self.proc,
            mount: self.root.mount,
            device: self.device,
        };
        walk(&place, top, most, visit)
    }
}
