//! What is known of a file without opening it.

use core::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, FileType, Stat, Statx, StatxAttributes, StatxFlags, makedev};
use rustix::fs::{statat, statx};
use rustix::io::Errno;
use rustix::path::Arg;

/// `st_blocks` counts in these, whatever the filesystem's own block size.
const BLOCK_BYTES: u64 = 512;

const WANTED: StatxFlags = StatxFlags::TYPE
    .union(StatxFlags::NLINK)
    .union(StatxFlags::INO)
    .union(StatxFlags::BLOCKS);

/// A file of any kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) names: u64,
    /// On disk.
    pub(crate) bytes: u64,
    pub(crate) kind: FileType,
    /// Whether something is mounted here; `None` before Linux 5.8, which does not tell.
    pub(crate) is_mount: Option<bool>,
}

impl Found {
    pub(crate) fn is_dir(&self) -> bool {
        self.kind == FileType::Directory
    }
}

/// Never mounts anything, and never waits for a server; before Linux 4.11, which has no
/// `statx`, it may wait.
pub(crate) fn look_at(dir: impl AsFd, name: impl Arg, flags: AtFlags) -> Result<Found, Errno> {
    name.into_with_c_str(|name| look(dir.as_fd(), name, flags | AtFlags::NO_AUTOMOUNT))
}

fn look(dir: BorrowedFd<'_>, name: &CStr, flags: AtFlags) -> Result<Found, Errno> {
    match statx(dir, name, flags | AtFlags::STATX_DONT_SYNC, WANTED) {
        // Sandboxes of old container runtimes say EPERM of what they do not know.
        Err(Errno::NOSYS | Errno::PERM) => statat(dir, name, flags).map(Found::from),
        found => found.map(Found::from),
    }
}

impl From<Statx> for Found {
    fn from(found: Statx) -> Self {
        const MOUNT: StatxAttributes = StatxAttributes::MOUNT_ROOT;
        let not_ours = MOUNT.union(StatxAttributes::AUTOMOUNT);
        let is_told = found.stx_attributes_mask.contains(MOUNT);
        Self {
            device: makedev(found.stx_dev_major, found.stx_dev_minor),
            inode: found.stx_ino,
            names: found.stx_nlink.into(),
            bytes: found.stx_blocks.saturating_mul(BLOCK_BYTES),
            kind: FileType::from_raw_mode(found.stx_mode.into()),
            is_mount: is_told.then(|| found.stx_attributes.intersects(not_ours)),
        }
    }
}

impl From<Stat> for Found {
    fn from(found: Stat) -> Self {
        // The numbers have other widths on each processor.
        let wide = |number: i128| u64::try_from(number).unwrap_or(0);
        Self {
            device: wide(found.st_dev.into()),
            inode: wide(found.st_ino.into()),
            names: wide(found.st_nlink.into()),
            bytes: wide(found.st_blocks.into()).saturating_mul(BLOCK_BYTES),
            kind: FileType::from_raw_mode(found.st_mode),
            is_mount: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::CWD;

    use super::*;
    use crate::tests::tree::Tree;

    #[test]
    fn without_statx_a_file_is_what_it_is() {
        let tree = Tree::new();
        std::fs::write(tree.path("file"), vec![1; 30_000]).unwrap();
        std::fs::hard_link(tree.path("file"), tree.path("second")).unwrap();
        for path in [
            tree.path("file"),
            tree.root().to_path_buf(),
            "/dev/null".into(),
        ] {
            let newer = look_at(CWD, path.as_path(), AtFlags::empty()).unwrap();
            let older = Found::from(rustix::fs::stat(&path).unwrap());
            let shown = |found: Found| {
                let Found {
                    device,
                    inode,
                    names,
                    bytes,
                    kind,
                    ..
                } = found;
                (device, inode, names, bytes, kind)
            };
            assert_eq!(shown(newer), shown(older), "{}", path.display());
            assert_eq!(older.is_mount, None);
        }
    }
}
