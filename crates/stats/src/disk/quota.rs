use std::os::fd::BorrowedFd;

use evictd_sys::{read_project, read_project_usage};
use rustix::fs::{AtFlags, OFlags};

use super::level::open_dir;
use super::look::look_at;
use super::usage::TreeUsage;

/// A quota project: of which filesystem, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Project {
    device: u64,
    id: u32,
}

/// The project of a tree, if the tree is the whole of it as far as can be told:
/// it has one, hands it on to what is made below, and the directory above is
/// not part of it.
pub(crate) fn read_tree_project(root: BorrowedFd<'_>) -> Option<Project> {
    let own = read_project(root).ok()?;
    if own.id == 0 || !own.inherited {
        return None;
    }
    let above = open_dir(root, c"..", OFlags::NOFOLLOW).ok()?;
    let device_of = |dir| Some(look_at(dir, c"", AtFlags::EMPTY_PATH).ok()?.device);
    let (device, outside) = (
        device_of(root)?,
        device_of(rustix::fd::AsFd::as_fd(&above))?,
    );
    let shared = device == outside && read_project(&above).is_ok_and(|above| above.id == own.id);
    (!shared).then_some(Project { device, id: own.id })
}

/// What the filesystem has accounted to a tree's project; `None` where it does
/// not account, and then the tree is walked.
pub(crate) fn read_quota(
    root: BorrowedFd<'_>,
    project: Project,
    begun: evictd_node::Mono,
) -> Option<TreeUsage> {
    let found = read_project_usage(root, project.id).ok()?;
    Some(TreeUsage {
        used_bytes: found.bytes,
        inodes_used: found.inodes,
        sampled: begun,
        complete: true,
        by_quota: true,
        device: 0,
        mounted_on: None,
    })
}
