//! The overlays in the texts of `/proc/PID/mountinfo`.

use std::ffi::OsStr;
use std::io::{BufRead, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_kerntext::{Mount, mounts};

/// No line of a mount table is longer: two paths and the options, escaped.
const MOST_LINE_BYTES: u64 = 64 << 10;

/// Ids that are shorter could be part of another's, or a directory's name.
const SHORTEST_ID: usize = 12;

/// An overlay that is mounted somewhere below the root.
#[derive(Debug)]
pub(super) struct Overlay {
    device: (u32, u32),
    mount_point: PathBuf,
    upper: PathBuf,
}

/// Finds the upper directory of a container in the texts of `/proc/PID/mountinfo` of the
/// host's and of the container's first process. For fuzzing.
#[must_use]
pub fn find_layer(host: &[u8], process: &[u8], id: &str) -> Option<PathBuf> {
    let host = overlays(host);
    let found = find(&host, id, || root_device(process));
    found.map(Path::to_path_buf)
}

/// By the id, which containerd and Docker have in the mount point; else by the overlay that
/// is the root of its first process.
pub(super) fn find<'a>(
    host: &'a [Overlay],
    id: &str,
    root: impl FnOnce() -> Option<(u32, u32)>,
) -> Option<&'a Path> {
    let is_of = |one: &&Overlay| one.mount_point.iter().any(|part| part == id);
    let by_id = host.iter().rfind(is_of).filter(|_| id.len() >= SHORTEST_ID);
    let by_root = || {
        let device = root()?;
        host.iter().rfind(|one| one.device == device)
    };
    by_id.or_else(by_root).map(|one| one.upper.as_path())
}

/// The overlays that may be a container's. That on `/` is the host's own.
pub(super) fn overlays(table: impl BufRead) -> Vec<Overlay> {
    let mut overlays = Vec::new();
    each_mount(table, |mount| {
        if is_whole_overlay(mount) && !mount.mount_point.is(b"/") {
            overlays.extend(upper(mount).map(|upper| Overlay {
                device: (mount.major, mount.minor),
                mount_point:
                    OsStr::from_bytes(&mount.mount_point.bytes().collect::<Vec<u8>>()).into(),
                upper,
            }));
        }
    });
    overlays
}

/// The overlay that is a process's root: the last mount on `/` is the one that shows.
pub(super) fn root_device(table: impl BufRead) -> Option<(u32, u32)> {
    let mut root = None;
    each_mount(table, |mount| {
        if mount.mount_point.is(b"/") {
            root = is_whole_overlay(mount).then_some((mount.major, mount.minor));
        }
    });
    root
}

/// Whether an overlay is mounted, and no directory of one.
fn is_whole_overlay(mount: &Mount<'_>) -> bool {
    mount.fs_type == b"overlay" && mount.root.is(b"/")
}

fn upper(mount: &Mount<'_>) -> Option<PathBuf> {
    let mut options = mount.super_options.split(|byte| *byte == b',');
    let upper = options.find_map(|option| option.strip_prefix(b"upperdir="))?;
    // A path with an escape would have to be undone in more than one way.
    let is_plain = upper.starts_with(b"/") && !upper.contains(&b'\\');
    is_plain.then(|| PathBuf::from(OsStr::from_bytes(upper)))
}

/// Line by line: a container may have any number of mounts.
fn each_mount(mut table: impl BufRead, mut each: impl FnMut(&Mount<'_>)) {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = table
            .by_ref()
            .take(MOST_LINE_BYTES)
            .read_until(b'\n', &mut line);
        if !read.is_ok_and(|count| count > 0) {
            return;
        }
        mounts(&line).flatten().for_each(|mount| each(&mount));
    }
}

#[cfg(test)]
mod tests;
