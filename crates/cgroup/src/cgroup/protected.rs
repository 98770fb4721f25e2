use alloc::vec::Vec;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use evictd_kerntext::{Membership, memberships};
use evictd_stats::{Hierarchies, Hierarchy, Version};

use super::store::Cgroups;
use crate::process::Proc;

/// Marks the cgroups in which, or below which, a protected process is now.
pub(super) fn mark_protected(
    cgroups: &mut Cgroups,
    text: &mut Vec<u8>,
    proc: &Proc,
    all: &Hierarchies,
    hierarchy: &Hierarchy,
) {
    proc.each_protected(&mut |pid| {
        if proc.read_cgroup(pid, text).is_none() {
            return;
        }
        let of = [Some(hierarchy), all.services.as_ref()];
        let paths = of.into_iter().flatten();
        for path in paths.filter_map(|of| membership(text, all, of)) {
            for above in Path::new(OsStr::from_bytes(path)).ancestors() {
                if let Some(known) = cgroups.get_mut(above) {
                    known.protected.get_or_insert(pid);
                }
            }
        }
    });
}

/// The hierarchies of init systems, as the kernel names them.
const SERVICES: [&[u8]; 2] = [b"name=openrc", b"name=systemd"];

/// The path of a process in one of the hierarchies, from its
/// `/proc/PID/cgroup`, without `/` in front.
fn membership<'a>(text: &'a [u8], all: &Hierarchies, wanted: &Hierarchy) -> Option<&'a [u8]> {
    let is = |hierarchy: &Option<Hierarchy>| hierarchy.as_ref() == Some(wanted);
    let controller: &[u8] = if is(&all.memory) {
        b"memory"
    } else if is(&all.pids) {
        b"pids"
    } else {
        b"freezer"
    };
    let is_wanted = |line: &Membership<'_>| match wanted.version {
        Version::V1 if is(&all.services) => SERVICES.iter().any(|name| line.has_controller(name)),
        Version::V1 => line.has_controller(controller),
        Version::V2 => line.is_unified(),
    };
    let line = memberships(text).flatten().find(is_wanted)?;
    Some(line.path.strip_prefix(b"/").unwrap_or(line.path))
}
