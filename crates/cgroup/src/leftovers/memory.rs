//! What a dead pod left in memory: a tmpfs outlives the processes that filled it.

use core::ops::ControlFlow;
use std::path::Path;

use evictd_kerntext::mounts;
use evictd_stats::{each_child, is_gone};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;

use super::Leftovers;
use super::found::Freed;
use super::root::{EMPTY_DIRS, enter, free, mount_id};
use super::sweep::Sweep;
use crate::dir::{open_dir, read_file};
use crate::process::Proc;

impl Leftovers {
    /// Empties the emptyDir volumes of a dead pod that lie in memory. Each is a tmpfs that
    /// is mounted there whole and nowhere else; whatever else is mounted there stays, and
    /// so does the mount itself. `go_on` as with [`Leftovers::delete`].
    pub fn empty_memory(&self, uid: &str, go_on: &mut dyn FnMut(u64) -> bool) -> Freed {
        let mut sweep = Sweep::new(&self.proc, go_on);
        let mut bytes = 0_u64;
        match self.in_memory(uid) {
            Ok(volumes) => {
                for (dir, mount) in volumes {
                    let before = free(&dir).0;
                    let after = dir.try_clone();
                    sweep.empty(dir, mount);
                    let after = after.map_or(before, |dir| free(&dir).0);
                    bytes = bytes.saturating_add(after.saturating_sub(before));
                }
            }
            Err(errno) if is_gone(errno) => {}
            Err(errno) => sweep.note_at(Path::new(uid), errno),
        }
        let mut freed = sweep.into_freed();
        freed.bytes = bytes;
        freed
    }

    /// Each of them, with the id of its mount.
    fn in_memory(&self, uid: &str) -> Result<Vec<(OwnedFd, u64)>, Errno> {
        let mut found = Vec::new();
        let is_name = !matches!(uid, "" | "." | "..") && !uid.contains('/');
        let Some(root) = self.pods.as_ref().filter(|_| is_name) else {
            return Ok(found);
        };
        let mut at = enter(&self.proc, root.dir.as_fd(), uid, root.mount)?;
        for name in EMPTY_DIRS {
            at = enter(&self.proc, at.as_fd(), name, root.mount)?;
        }
        let _all = each_child(at.as_fd(), &mut |name| {
            let dir = open_dir(at.as_fd(), name)?;
            let mount = mount_id(&self.proc, dir.as_fd())?;
            if mount != root.mount && is_own_tmpfs(&self.proc, mount)? {
                found.push((dir, mount));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }
}

/// Whether a mount is all of a tmpfs that is mounted nowhere else.
fn is_own_tmpfs(proc: &Proc, mount: u64) -> Result<bool, Errno> {
    let mut text = Vec::new();
    read_file(proc.fd(), "self/mountinfo", &mut text)?;
    let is_it = |id: u32| u64::from(id) == mount;
    let Some(own) = mounts(&text).flatten().find(|each| is_it(each.mount_id)) else {
        return Ok(false);
    };
    let is_same = |each: &evictd_kerntext::Mount<'_>| {
        (each.major, each.minor) == (own.major, own.minor) && !is_it(each.mount_id)
    };
    let elsewhere = mounts(&text).flatten().any(|each| is_same(&each));
    Ok(own.fs_type == b"tmpfs" && own.root.is(b"/") && !elsewhere)
}
