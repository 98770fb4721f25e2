#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use evictd_kerntext::memberships;
#[cfg(feature = "cri")]
use evictd_node::kubepods::{KubepodsName, is_uid, parse_kubepods_name};
#[cfg(feature = "cri")]
use evictd_node::pod::Pod;

/// The cgroup of the container with this id and this first process, below the
/// mount point of each hierarchy; `None` where it has none of its own.
pub(crate) fn read_cgroup(proc: &Path, pid: u32, id: &str) -> Option<Arc<Path>> {
    if pid == 0 {
        return None;
    }
    let text = std::fs::read(proc.join(format!("{pid}/cgroup"))).ok()?;
    find_cgroup(&text, id).map(Into::into)
}

/// The cgroup that holds all of a pod's containers and nothing else: the one above
/// each of them, when its name says that it is this pod's.
#[cfg(feature = "cri")]
pub(crate) fn own_cgroup(cgroups: &[Arc<Path>], pod: &Pod) -> Option<Arc<Path>> {
    let above = cgroups.first()?.parent()?;
    let name = parse_kubepods_name(above.file_name()?.as_bytes())?;
    let is_own = match name {
        KubepodsName::Pod { uid, systemd } => is_uid(uid, &pod.metadata.uid, systemd),
        KubepodsName::Class(_) => false,
    };
    let holds_all = cgroups.iter().all(|cgroup| cgroup.parent() == Some(above));
    (is_own && holds_all).then(|| above.into())
}

/// Finds it in the text of `/proc/PID/cgroup`: the path in memory's hierarchy, or
/// in the unified one, down to the part with the container's id in its name.
///
/// The id guards against killing others: the process id may be another process's
/// by now or of another pid namespace, a container made without a cgroup of its
/// own lies in its engine's, and what runs inside a container may have made
/// cgroups below it.
pub fn find_cgroup(text: &[u8], id: &str) -> Option<PathBuf> {
    let all = || memberships(text).flatten().filter(|line| !line.deleted);
    let line = all()
        .find(|line| line.has_controller(b"memory"))
        .or_else(|| all().find(|line| line.is_unified()))?;
    let path = Path::new(OsStr::from_bytes(line.path));
    let mut own = PathBuf::new();
    for part in path.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => {
                own.push(name);
                if is_of(name.as_bytes(), id.as_bytes()) {
                    return Some(own);
                }
            }
            // Seen from within another cgroup namespace: not a path that leads there.
            Component::ParentDir | Component::CurDir | Component::Prefix(_) => return None,
        }
    }
    None
}

/// Whether a name is a container's: `ID`, `docker-ID.scope`, `libpod-ID`. The
/// cgroup of Podman's monitor is called `libpod-conmon-ID`.
fn is_of(name: &[u8], id: &[u8]) -> bool {
    // Short ones could be part of another's.
    const SHORTEST: usize = 12;
    let rest = name.strip_suffix(b".scope").unwrap_or(name);
    let Some(engine) = rest.strip_suffix(id) else {
        return false;
    };
    id.len() >= SHORTEST && !engine.ends_with(b"conmon-")
}
