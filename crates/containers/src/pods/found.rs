//! What a client's parsers read, before the pods are put together.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::num::NonZeroU64;
use std::path::Path;

use evictd_node::QosClass;
use evictd_node::pod::volume_key;

use crate::{ContainerState, ListedContainer, ListedMount, LogFormat, WritableLayer};

/// A container or a sandbox as a runtime lists it, with what its pod is found by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The container as far as the list tells it; `pod` is not known yet. Of a sandbox,
    /// the state is `Running` where it is ready.
    pub container: ListedContainer,
    /// Whether it is a pod's sandbox.
    pub is_sandbox: bool,
    /// The state in the runtime's own words: while they stay the same, so do the
    /// [`Details`].
    pub told: Box<str>,
    /// Its labels. What identifies a pod stands here, also where the API has fields for it.
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// The runtime's own pod that it is in, by id and name: Podman's pod, CRI's sandbox.
    pub group: Option<(String, String)>,
    /// The seconds between its stop signal and SIGKILL that it asks for.
    pub grace_seconds: Option<i64>,
}

impl Found {
    /// Whether it runs.
    pub(crate) fn runs(&self) -> bool {
        self.container.state == ContainerState::Running
    }

    /// A label that is not empty.
    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        let text = self.labels.get(key)?.as_str();
        (!text.is_empty()).then_some(text)
    }

    /// An annotation, else a label.
    pub(crate) fn mark(&self, key: &str) -> Option<&str> {
        let mark = self.annotations.get(key).or_else(|| self.labels.get(key));
        mark.map(String::as_str)
    }
}

/// What a runtime and the kernel tell of one container alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Details {
    /// The state in which it was asked for, as [`Found::told`]; empty when it is to be
    /// asked again.
    pub told: Box<str>,
    /// The process id of its first process; 0 while it does not run.
    pub pid: u32,
    /// When it last ended: nanoseconds since 1970.
    pub finished_nanos: Option<i64>,
    /// How often the runtime itself has started it again.
    pub restarts: u32,
    /// When the runtime itself starts it again, in the runtime's words (`always`); `None`
    /// for never.
    pub restart_policy: Option<String>,
    /// What it may use and was promised.
    pub limits: Limits,
    /// The class that its place in a kubepods tree stands for.
    pub class: Option<QosClass>,
    /// The seconds between its stop signal and SIGKILL that it asks for.
    pub grace_seconds: Option<i64>,
    /// Its cgroup, below the mount point of each hierarchy. Where it has ended and may be
    /// started again, the one that it had.
    pub cgroup: Option<Arc<Path>>,
    /// What it has written.
    pub layer: WritableLayer,
    /// Its log file.
    pub log: Option<Arc<Path>>,
    /// How that is written.
    pub log_format: LogFormat,
    /// Whether its runtime bounds that log.
    pub log_is_bounded: bool,
    /// What is mounted into it where it may write.
    pub mounts: Arc<[ListedMount]>,
    /// The id of its image, where the list does not tell it.
    pub image: Option<Arc<str>>,
    /// The images that are mounted in it: an id, or a name of which no id could be found.
    pub image_volumes: Box<[Arc<str>]>,
    /// What of it could not be found out: the field, or why.
    pub fault: Option<Box<str>>,
}

/// What a container may use and was promised; `None` where that was not said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The promise of memory, in bytes.
    pub memory_request_bytes: Option<NonZeroU64>,
    /// The limit of memory, in bytes.
    pub memory_limit_bytes: Option<NonZeroU64>,
    /// The promise of processors, in thousandths of one.
    pub cpu_request_millis: Option<NonZeroU64>,
    /// The limit of processors, in thousandths of one.
    pub cpu_limit_millis: Option<NonZeroU64>,
}

/// A number that counts only above zero: runtimes write 0 for "not set" and -1 for "no
/// limit".
pub(crate) fn positive(number: i64) -> Option<NonZeroU64> {
    NonZeroU64::new(u64::try_from(number).ok()?)
}

/// Thousandths of a processor that a weight stands for: 1024 shares are a processor.
pub(crate) fn millis_of_shares(shares: NonZeroU64) -> Option<NonZeroU64> {
    NonZeroU64::new(shares.get().saturating_mul(1000).div_ceil(1024))
}

/// What the mounts of a container may take of memory: paths, and for each what is kept beside it;
/// and keys of volumes.
const MOST_MOUNT_BYTES: usize = 5 << 10;
const BESIDE_PATH_BYTES: usize = 64;
const MOST_KEYS: usize = 384;

/// So many of its volumes without a name are kept by their paths, which can be shown.
const FEW_VOLUMES: usize = 8;

/// Keeps what is mounted where a container may write. Of volumes without a name, of which an
/// image may ask for hundreds, all but a few are known by keys. What there is no room for is
/// counted: of the container it is then known that it may have written more.
pub(crate) fn keep_mount<'a>(
    kept: &'a mut Vec<ListedMount>,
    source: &str,
    is_volume: bool,
) -> Option<&'a mut ListedMount> {
    if !source.starts_with('/') {
        return None;
    }
    let is_there = |mount: &ListedMount| {
        &*mount.source == Path::new(source) && mount.among.is_none() && mount.is_volume == is_volume
    };
    if let Some(place) = kept.iter().position(is_there) {
        return kept.get_mut(place); // mounted in two places
    }
    let volume = volume_of(source);
    let is_by_path = |mount: &&ListedMount| {
        mount.among.is_none()
            && mount
                .source
                .to_str()
                .is_some_and(|s| volume_of(s).is_some())
    };
    let is_one_of_many = kept.iter().filter(is_by_path).count() >= FEW_VOLUMES;
    let place = match volume.filter(|_| is_one_of_many) {
        Some((dir, key)) => keep_key(kept, dir, key, is_volume),
        None => push_mount(kept, source, is_volume),
    };
    if place.is_none() {
        leave_out(kept);
    }
    kept.get_mut(place?)
}

/// The directory and the key of a volume without a name: `DIR/NAME`, or `DIR/NAME/_data`.
fn volume_of(source: &str) -> Option<(&str, u64)> {
    let volume = source.strip_suffix("/_data").unwrap_or(source);
    let (dir, name) = volume.rsplit_once('/')?;
    Some((dir, volume_key(name.as_bytes())?)).filter(|_| !dir.is_empty())
}

fn push_mount(kept: &mut Vec<ListedMount>, source: &str, is_volume: bool) -> Option<usize> {
    let bytes = |path: &Path| path.as_os_str().len().saturating_add(BESIDE_PATH_BYTES);
    let taken: usize = kept.iter().map(|mount| bytes(&mount.source)).sum();
    let more = bytes(Path::new(source));
    (taken.saturating_add(more) <= MOST_MOUNT_BYTES).then(|| {
        kept.push(ListedMount::new(Path::new(source).into(), is_volume));
        kept.len().saturating_sub(1)
    })
}

fn keep_key(kept: &mut Vec<ListedMount>, dir: &str, key: u64, is_volume: bool) -> Option<usize> {
    let is_its = |mount: &ListedMount| {
        mount.among.is_some() && &*mount.source == Path::new(dir) && mount.is_volume == is_volume
    };
    let place = kept.iter().position(is_its);
    let mut keys = place.map_or(Vec::new(), |place| keys_of(kept.get(place)).to_vec());
    let Err(at) = keys.binary_search(&key) else {
        return place;
    };
    let all: usize = kept.iter().map(|mount| keys_of(Some(mount)).len()).sum();
    if all >= MOST_KEYS {
        return None;
    }
    let place = place.or_else(|| push_mount(kept, dir, is_volume))?;
    keys.insert(at, key);
    kept.get_mut(place)?.among = Some(keys.into());
    Some(place)
}

fn keys_of(mount: Option<&ListedMount>) -> &[u64] {
    mount
        .and_then(|mount| mount.among.as_deref())
        .unwrap_or_default()
}

/// Counts a mount that is not kept.
pub(crate) fn leave_out(kept: &mut Vec<ListedMount>) {
    if let Some(rest) = kept.iter_mut().find(|mount| mount.left_out > 0) {
        rest.left_out = rest.left_out.saturating_add(1);
        return;
    }
    let mut rest = ListedMount::new(Path::new("").into(), false);
    rest.left_out = 1;
    kept.push(rest);
}

/// A path that is there.
pub(crate) fn path(text: &str) -> Option<Arc<Path>> {
    (!text.is_empty()).then(|| Path::new(text).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(sources: &[(String, bool)]) -> Vec<ListedMount> {
        let mut kept = Vec::new();
        for (source, is_volume) in sources {
            keep_mount(&mut kept, source, *is_volume);
        }
        kept
    }

    fn left_out(kept: &[ListedMount]) -> u32 {
        kept.iter().map(|mount| mount.left_out).sum()
    }

    fn volume(number: u64) -> (String, bool) {
        let name = format!("{number:016x}{}", "0".repeat(48));
        (format!("/var/lib/docker/volumes/{name}/_data"), true)
    }

    /// Acceptance row 253: an image may have any number of `VOLUME` lines.
    #[test]
    fn hundreds_of_volumes_without_a_name_are_all_kept_in_little_memory() {
        let all: Vec<_> = (0..300)
            .map(volume)
            .chain([("/srv/app".into(), false)])
            .collect();
        let kept = kept(&all);
        assert_eq!(left_out(&kept), 0);
        let [by_path @ .., many, app] = &kept[..] else {
            panic!("{kept:?}");
        };
        assert_eq!(by_path.len(), FEW_VOLUMES);
        assert_eq!(&*by_path[7].source, Path::new(&volume(7).0));
        assert_eq!(&*many.source, Path::new("/var/lib/docker/volumes"));
        assert_eq!(
            many.among.as_deref(),
            Some(&(8..300).collect::<Vec<u64>>()[..])
        );
        assert_eq!(&*app.source, Path::new("/srv/app"));
        let keys = many.among.as_deref().map_or(0, size_of_val);
        let paths: usize = kept
            .iter()
            .map(|mount| mount.source.as_os_str().len())
            .sum();
        assert!(keys + paths + kept.len() * BESIDE_PATH_BYTES <= 8 << 10);
    }

    #[test]
    fn mounts_beyond_the_bound_are_counted() {
        let all: Vec<_> = (0..1000).map(volume).collect();
        assert_eq!(left_out(&kept(&all)), 1000 - 8 - 384);
        let long: Vec<_> = (0..100)
            .map(|n| (format!("/srv/{n}/{}", "x".repeat(200)), false))
            .collect();
        let some = kept(&long);
        let paths = some.iter().filter(|mount| mount.left_out == 0).count();
        assert!(
            paths > 10 && paths + left_out(&some) as usize == 100,
            "{paths}"
        );
        let one = kept(&[
            (format!("/{}", "x".repeat(6000)), false),
            ("/srv".into(), false),
        ]);
        assert_eq!((one.len(), left_out(&one)), (2, 1));
        assert!(kept(&[("relative".into(), false), (String::new(), true)]).is_empty());
    }

    #[test]
    fn volumes_of_two_places_are_told_apart() {
        let other = |number: u64| {
            let (path, _) = volume(number);
            (
                path.replace("/_data", "").replace("docker", "containerd"),
                false,
            )
        };
        let all: Vec<_> = (0..8)
            .chain(20..30)
            .map(volume)
            .chain((30..40).map(other))
            .collect();
        let kept = kept(&all);
        let many: Vec<_> = kept
            .iter()
            .filter_map(|mount| mount.among.as_deref())
            .collect();
        assert_eq!(
            many,
            [
                &(20..30).collect::<Vec<u64>>()[..],
                &(30..40).collect::<Vec<u64>>()[..]
            ]
        );
    }
}
