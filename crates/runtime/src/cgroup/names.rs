use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use evictd_node::QosClass;

use crate::RootError;

/// What the name of a directory in a kubepods tree stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KubepodsName {
    /// The pods of one QoS class are below it.
    Class(QosClass),
    /// A pod, by its uid.
    Pod {
        /// The uid; what the systemd driver wrote as `_` is a `-` again.
        uid: String,
        /// Whether the name is the systemd driver's, so that it cannot be told
        /// whether the uid had `-` or `_`.
        systemd: bool,
    },
}

/// The meaning of a directory's name in a kubepods tree, in both drivers'
/// spellings; `None` for all else.
///
/// cgroupfs: `burstable`, `besteffort`, `podUID`. systemd:
/// `kubepods-burstable.slice`, `kubepods-besteffort.slice`,
/// `kubepods-podUID.slice`, `kubepods-burstable-podUID.slice`, with each `-`
/// of the uid written as `_`.
///
/// ```
/// use evictd_runtime::{KubepodsName, parse_kubepods_name};
///
/// let name = parse_kubepods_name(b"kubepods-burstable-pod1b_2c.slice");
/// let uid = "1b-2c".to_owned();
/// assert_eq!(name, Some(KubepodsName::Pod { uid, systemd: true }));
/// ```
#[must_use]
pub fn parse_kubepods_name(name: &[u8]) -> Option<KubepodsName> {
    Some(match split(name)? {
        Split::Class(class) => KubepodsName::Class(class),
        Split::Pod(uid, false) => KubepodsName::Pod {
            uid: uid.to_owned(),
            systemd: false,
        },
        Split::Pod(uid, true) => KubepodsName::Pod {
            uid: uid.replace('_', "-"),
            systemd: true,
        },
    })
}

/// Whether it is the name of a class: the same without asking for memory.
pub(super) fn is_kubepods_class(name: &[u8]) -> bool {
    matches!(split(name), Some(Split::Class(_)))
}

/// The name as it is written.
enum Split<'a> {
    Class(QosClass),
    /// The uid, and whether the systemd driver wrote it.
    Pod(&'a str, bool),
}

fn split(name: &[u8]) -> Option<Split<'_>> {
    let name = core::str::from_utf8(name).ok()?;
    let inner = name
        .strip_prefix("kubepods-")
        .and_then(|inner| inner.strip_suffix(".slice"));
    let systemd = inner.is_some();
    let mut rest = inner.unwrap_or(name);
    for (word, class) in [
        ("burstable", QosClass::Burstable),
        ("besteffort", QosClass::BestEffort),
    ] {
        if rest == word {
            return Some(Split::Class(class));
        }
        let below = rest
            .strip_prefix(word)
            .and_then(|rest| rest.strip_prefix('-'));
        if let (true, Some(below)) = (systemd, below) {
            rest = below;
            break;
        }
    }
    let uid = rest.strip_prefix("pod").filter(|uid| !uid.is_empty())?;
    Some(Split::Pod(uid, systemd))
}

/// A `--pod-cgroup-root`: a path from the hierarchies' root, with or without `/`
/// in front and behind.
///
/// # Errors
///
/// When it is the root itself, or holds `.`, `..` or NUL.
pub fn parse_pod_cgroup_root(text: &[u8]) -> Result<PathBuf, RootError> {
    let mut path = PathBuf::new();
    let mut at: usize = 0;
    for part in text.split(|byte| *byte == b'/') {
        if part == b"." || part == b".." {
            return Err(RootError::Dots(at));
        }
        if let Some(nul) = part.iter().position(|byte| *byte == 0) {
            return Err(RootError::Nul(at.saturating_add(nul)));
        }
        if !part.is_empty() {
            path.push(OsStr::from_bytes(part));
        }
        at = at.saturating_add(part.len()).saturating_add(1);
    }
    if path.as_os_str().is_empty() {
        return Err(RootError::Whole);
    }
    Ok(path)
}
