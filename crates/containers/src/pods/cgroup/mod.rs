#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use std::ffi::OsStr;
use std::fs;
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
    let mut own = PathBuf::new();
    for name in names(text)? {
        own.push(name?);
        if is_of(own.file_name()?.as_bytes(), id.as_bytes()) {
            return Some(own);
        }
    }
    None
}

/// The parts of the path of a process's cgroup; `None` of one that leads nowhere.
fn names(text: &[u8]) -> Option<impl Iterator<Item = Option<&OsStr>>> {
    let all = || memberships(text).flatten().filter(|line| !line.deleted);
    let line = all()
        .find(|line| line.has_controller(b"memory"))
        .or_else(|| all().find(|line| line.is_unified()))?;
    let parts = Path::new(OsStr::from_bytes(line.path)).components();
    Some(parts.filter_map(|part| match part {
        Component::RootDir => None,
        Component::Normal(name) => Some(Some(name)),
        // Seen from within another cgroup namespace: not a path that leads there.
        Component::ParentDir | Component::CurDir | Component::Prefix(_) => Some(None),
    }))
}

/// How many processes are looked at to find cgroups.
const MOST_PROCESSES: usize = 65_536;

/// The length of an id as engines make it: 32 bytes in hexadecimal.
const ID_BYTES: usize = 64;

/// The cgroups of the containers of these ids, found among those of all processes: for where
/// the runtime does not say which process a container began with.
///
/// A cgroup may be made by others who know the id, but only below one of theirs. So the one
/// that is least deep counts.
pub(crate) fn find_cgroups(proc: &Path, ids: &[Arc<str>]) -> Vec<Option<Arc<Path>>> {
    let mut found: Vec<Option<PathBuf>> = vec![None; ids.len()];
    let mut by_id: Vec<(&[u8], usize)> = ids.iter().map(|id| id.as_bytes()).zip(0..).collect();
    by_id.retain(|(id, _)| id.len() == ID_BYTES);
    by_id.sort_unstable();
    let processes = (!by_id.is_empty()).then(|| fs::read_dir(proc).into_iter());
    for process in processes
        .into_iter()
        .flatten()
        .flatten()
        .flatten()
        .take(MOST_PROCESSES)
    {
        let name = process.file_name();
        let is_process = name.as_bytes().iter().all(u8::is_ascii_digit);
        let text = is_process.then(|| fs::read(process.path().join("cgroup")));
        let Some(Ok(text)) = text else {
            continue;
        };
        let Some((cgroup, at)) = find_any(&text, &by_id) else {
            continue;
        };
        let depth = |path: &PathBuf| path.components().count();
        if let Some(place) = found.get_mut(at)
            && place
                .as_ref()
                .is_none_or(|other| depth(&cgroup) < depth(other))
        {
            *place = Some(cgroup);
        }
    }
    found
        .into_iter()
        .map(|found| found.map(Into::into))
        .collect()
}

/// The first part of a process's cgroup that is a container's, with the place of its id.
fn find_any(text: &[u8], by_id: &[(&[u8], usize)]) -> Option<(PathBuf, usize)> {
    let mut own = PathBuf::new();
    for name in names(text)? {
        let name = name?;
        own.push(name);
        let name = name.as_bytes();
        let rest = name.strip_suffix(b".scope").unwrap_or(name);
        let id = rest.len().checked_sub(ID_BYTES);
        let id = id.and_then(|at| rest.get(at..)).unwrap_or_default();
        let place = by_id.binary_search_by(|(of, _)| (*of).cmp(id)).ok();
        if let Some((id, at)) = place.and_then(|place| by_id.get(place))
            && is_of(name, id)
        {
            return Some((own, *at));
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
