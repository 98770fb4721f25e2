use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use evictd_stats::{is_gone, noted_lack};
use evictd_sys::{Links, open_below, open_directory};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::fstatvfs;
use rustix::io::Errno;

use crate::dir::{open_dir, read_file};
use crate::process::Proc;

/// Where the volumes of a pod lie that may be emptied.
pub(super) const EMPTY_DIRS: [&str; 2] = ["volumes", "kubernetes.io~empty-dir"];

/// A directory that was given.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) path: PathBuf,
    pub(super) dir: OwnedFd,
    pub(super) mount: u64,
}

impl Root {
    /// Of links in its path those are followed that root has made, as the operator named it;
    /// what is below is no link.
    pub(super) fn open(
        proc: &Proc,
        path: &Path,
        below: Option<&str>,
    ) -> Result<Option<Self>, Errno> {
        let opened = open_directory(path, Links::OfRoot);
        let opened = match below {
            Some(name) => opened.and_then(|dir| open_below(dir, OsStr::new(name))),
            None => opened,
        };
        let path = below.map_or_else(|| path.to_path_buf(), |name| path.join(name));
        Self::of(proc, opened, path)
    }

    /// No part of its path may be a link.
    pub(super) fn open_plain(proc: &Proc, path: &Path) -> Result<Option<Self>, Errno> {
        let opened = open_directory(path, Links::None);
        Self::of(proc, opened, path.to_path_buf())
    }

    fn of(
        proc: &Proc,
        opened: Result<OwnedFd, Errno>,
        path: PathBuf,
    ) -> Result<Option<Self>, Errno> {
        let dir = match opened.map_err(noted_lack) {
            Err(errno) if is_gone(errno) => return Ok(None),
            opened => opened?,
        };
        let mount = mount_id(proc, dir.as_fd())?;
        Ok(Some(Self { path, dir, mount }))
    }
}

/// Free bytes and inodes of a filesystem; 0 where it does not say.
pub(super) fn free(dir: impl AsFd) -> (u64, u64) {
    fstatvfs(dir).map_or((0, 0), |free| {
        (free.f_bfree.saturating_mul(free.f_frsize), free.f_ffree)
    })
}

/// The mount that an open file lies on.
pub(super) fn mount_id(proc: &Proc, file: BorrowedFd<'_>) -> Result<u64, Errno> {
    let mut text = Vec::new();
    let name = format!("self/fdinfo/{}", file.as_raw_fd());
    read_file(proc.fd(), name.as_str(), &mut text)?;
    find_mount_id(&text).ok_or(Errno::BADMSG)
}

/// Finds it in the text of `/proc/self/fdinfo/FD`.
#[doc(hidden)]
#[must_use]
pub fn find_mount_id(text: &[u8]) -> Option<u64> {
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.find_map(|line| {
        let id = line.strip_prefix(b"mnt_id:")?.trim_ascii();
        core::str::from_utf8(id).ok()?.parse().ok()
    })
}

/// Opens a directory below another one, if it lies on the same mount; `EXDEV`
/// if something is mounted there, `ELOOP` or `ENOTDIR` for a link.
pub(super) fn enter(
    proc: &Proc,
    at: BorrowedFd<'_>,
    name: impl rustix::path::Arg,
    mount: u64,
) -> Result<OwnedFd, Errno> {
    let dir = open_dir(at, name)?;
    if mount_id(proc, dir.as_fd())? == mount {
        Ok(dir)
    } else {
        Err(Errno::XDEV)
    }
}

#[cfg(test)]
mod tests {
    use evictd_testkit::poison::{Items, lines};

    use super::*;

    /// Each reader of this file, as `ci/deps` finds them, and the test that poisons what it reads.
    /// readers: `find_mount_id` -> `a_line_of_fdinfo_costs_itself`
    #[test]
    fn a_line_of_fdinfo_costs_itself() {
        let others = ["pos:\t0", "flags:\t02", "ino:\t7", "inotify wd:1"].map(str::to_owned);
        for (before, after) in [("mnt_id:\t42\n", "\n"), ("", "\nmnt_id:\t42\n")] {
            let file = Items {
                before,
                items: &others,
                between: "\n",
                after,
            };
            file.each_poisoned(&lines(), |text, _, what| {
                assert_eq!(find_mount_id(text), Some(42), "{what}");
            });
        }
        for text in [&b""[..], b"mnt_id:", b"mnt_id:\t-1\n", b"mnt_id:\t\xff\n"] {
            assert_eq!(find_mount_id(text), None, "{text:?}");
        }
    }
}
