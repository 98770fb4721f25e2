//! Which cgroups are those of the services that are kept alive, and of login sessions: by
//! their places, where only the init system makes cgroups, and their names.

use core::ops::ControlFlow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_stats::{Hierarchy, is_gone};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;

use crate::cgroup::{OPENRC, SERVICE, is_service_of, is_session};
use crate::dir::{each_child, open_dir};

/// More are not kept alive: something else is named than what lets one in.
const MOST: usize = 256;
const DEEPEST: u8 = 8;

/// Slices whose cgroups container runtimes name.
const OF_RUNTIMES: [&[u8]; 2] = [b"kubepods.slice", b"machine.slice"];

/// The cgroups of services with these names, and of all login sessions.
///
/// # Errors
/// The kernel's; what is gone meanwhile is left out.
pub(super) fn find(hierarchy: &Hierarchy, names: &[String]) -> Result<Vec<PathBuf>, Errno> {
    let mut found = Vec::new();
    if let Some(root) = hierarchy.open(Path::new(""))? {
        in_slice(root.as_fd(), Path::new(""), (names, 0), &mut found)?;
    }
    found.sort_unstable();
    Ok(found)
}

fn in_slice(
    dir: BorrowedFd<'_>,
    path: &Path,
    (names, depth): (&[String], u8),
    found: &mut Vec<PathBuf>,
) -> Result<(), Errno> {
    let _all = each_child(dir, &mut |child| {
        let name = child.to_bytes();
        let below = || path.join(OsStr::from_bytes(name));
        if found.len() >= MOST {
            return Ok(ControlFlow::Break(()));
        }
        if is_kept(path, name, names) {
            found.push(below());
        } else if name.ends_with(b".slice") && !OF_RUNTIMES.contains(&name) && depth < DEEPEST {
            match open_dir(dir, child) {
                Ok(dir) => {
                    let depth = depth.saturating_add(1);
                    in_slice(dir.as_fd(), &below(), (names, depth), found)?;
                }
                Err(errno) if is_gone(errno) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(())
}

/// In a slice a service is what systemd calls so; at the root OpenRC has its own. What a user
/// starts is none, whatever its name: users' managers are not looked into.
fn is_kept(path: &Path, name: &[u8], names: &[String]) -> bool {
    let at_root = path.as_os_str().is_empty();
    if path.starts_with("user.slice") {
        return is_session(name);
    }
    let is_service = name.ends_with(SERVICE) || at_root && !name.ends_with(b".slice");
    let is_openrc = at_root && name.starts_with(OPENRC);
    (is_service || is_openrc) && names.iter().any(|of| is_service_of(name, of.as_bytes()))
}
