use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use evictd_kerntext::{Membership, memberships};
use evictd_stats::{Hierarchies, Hierarchy, Version};
use rustix::process::Pid;

use crate::process::Proc;

/// The protected processes, and where each one's cgroup is among all these paths.
#[derive(Debug, Default)]
pub(super) struct Protected {
    processes: Vec<(Pid, Range<usize>)>,
    paths: Vec<u8>,
    text: Vec<u8>,
}

impl Protected {
    /// Reads which these are now, where there are candidates that may hold one.
    pub(super) fn read_for(
        &mut self,
        candidates: usize,
        proc: &Proc,
        all: &Hierarchies,
        hierarchy: &Hierarchy,
    ) {
        let Self {
            processes,
            paths,
            text,
        } = self;
        processes.clear();
        paths.clear();
        if candidates == 0 {
            return;
        }
        proc.each_protected(&mut |pid| {
            if proc.read_cgroup(pid, text).is_none() {
                return;
            }
            let of = [Some(hierarchy), all.services.as_ref()];
            for path in of
                .into_iter()
                .flatten()
                .filter_map(|of| membership(text, all, of))
            {
                let start = paths.len();
                paths.extend_from_slice(path);
                processes.push((pid, start..paths.len()));
            }
        });
    }

    /// One that is in these cgroups or below.
    pub(super) fn among(&self, first: &Path, more: &[Arc<Path>]) -> Option<Pid> {
        let is_in = |path: &[u8], cgroup: &Path| {
            let below = path.strip_prefix(cgroup.as_os_str().as_bytes());
            below.is_some_and(|below| matches!(below, [] | [b'/', ..]))
        };
        let found = self.processes.iter().find(|(_, path)| {
            let path = self.paths.get(path.clone()).unwrap_or_default();
            is_in(path, first) || more.iter().any(|cgroup| is_in(path, cgroup))
        });
        found.map(|(pid, _)| *pid)
    }
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
