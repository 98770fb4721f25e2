use alloc::borrow::ToOwned;
use alloc::string::String;
use core::cmp::Ordering;

use evictd_node::QosClass;

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
/// use evictd_containers::{KubepodsName, parse_kubepods_name};
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

#[must_use]
/// Whether it is the name of a class: the same without asking for memory.
pub fn is_kubepods_class(name: &[u8]) -> bool {
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

/// Whether the two are the same uid; an empty one is none.
#[must_use]
pub fn is_uid(uid: &str, known: &str, systemd: bool) -> bool {
    if known.is_empty() {
        return false;
    }
    if systemd {
        return compare_uids(known, uid).is_eq();
    }
    known == uid
}

/// An order in which uids stand together that systemd's driver writes the same.
#[must_use]
pub fn compare_uids(one: &str, other: &str) -> Ordering {
    const fn plain(byte: u8) -> u8 {
        if byte == b'_' { b'-' } else { byte }
    }
    one.bytes().map(plain).cmp(other.bytes().map(plain))
}
