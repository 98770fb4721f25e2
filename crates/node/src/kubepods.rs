//! The names of cgroups in a kubepods tree, in the two spellings that there are.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::cmp::Ordering;

use crate::QosClass;

/// What the name of a directory in a kubepods tree stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KubepodsName<'a> {
    /// The pods of one QoS class are below it.
    Class(QosClass),
    /// A pod, by its uid.
    Pod {
        /// The uid as it is written: where the systemd driver wrote it, with `_` for
        /// each `-`. [`is_uid`] compares it, [`KubepodsName::uid`] makes it plain.
        uid: &'a str,
        /// Whether the name is the systemd driver's, so that it cannot be told
        /// whether the uid had `-` or `_`.
        systemd: bool,
    },
}

impl KubepodsName<'_> {
    /// The pod's uid; what the systemd driver wrote as `_` is a `-` again.
    #[must_use]
    pub fn uid(self) -> Option<String> {
        match self {
            Self::Pod { uid, systemd: true } => Some(uid.replace('_', "-")),
            Self::Pod { uid, .. } => Some(uid.to_owned()),
            Self::Class(_) => None,
        }
    }
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
/// use evictd_node::kubepods::{KubepodsName, parse_kubepods_name};
///
/// let name = parse_kubepods_name(b"kubepods-burstable-pod1b_2c.slice");
/// let uid = "1b_2c"; // or 1b-2c
/// assert_eq!(name, Some(KubepodsName::Pod { uid, systemd: true }));
/// ```
#[must_use]
pub fn parse_kubepods_name(name: &[u8]) -> Option<KubepodsName<'_>> {
    let name = core::str::from_utf8(name).ok()?;
    let inner = name
        .strip_prefix("kubepods-")
        .and_then(|inner| inner.strip_suffix(".slice"));
    let systemd = inner.is_some();
    let rest = inner.unwrap_or(name);
    let classes = ["burstable-", "besteffort-"];
    let below = classes.iter().find_map(|class| rest.strip_prefix(class));
    let pod = match rest {
        "burstable" => return Some(KubepodsName::Class(QosClass::Burstable)),
        "besteffort" => return Some(KubepodsName::Class(QosClass::BestEffort)),
        _ if systemd => below.unwrap_or(rest),
        _ => rest,
    };
    let uid = pod.strip_prefix("pod").filter(|uid| !uid.is_empty())?;
    Some(KubepodsName::Pod { uid, systemd })
}

/// Whether the two are the same uid; an empty one is none.
#[must_use]
pub fn is_uid(uid: &str, known: &str, systemd: bool) -> bool {
    let is_same = if systemd {
        compare_uids(known, uid).is_eq()
    } else {
        known == uid
    };
    is_same && !known.is_empty()
}

/// An order in which uids stand together that systemd's driver writes the same.
#[must_use]
pub fn compare_uids(one: &str, other: &str) -> Ordering {
    const fn plain(byte: u8) -> u8 {
        if byte == b'_' { b'-' } else { byte }
    }
    one.bytes().map(plain).cmp(other.bytes().map(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubepods_names_in_both_spellings() {
        use KubepodsName::Class;
        let cgroupfs = |uid: &'static str| KubepodsName::Pod {
            uid,
            systemd: false,
        };
        let systemd = |uid: &'static str| KubepodsName::Pod { uid, systemd: true };
        let cases = [
            ("burstable", Some(Class(QosClass::Burstable))),
            ("besteffort", Some(Class(QosClass::BestEffort))),
            ("kubepods-burstable.slice", Some(Class(QosClass::Burstable))),
            (
                "kubepods-besteffort.slice",
                Some(Class(QosClass::BestEffort)),
            ),
            ("pod1b-2c", Some(cgroupfs("1b-2c"))),
            ("pod1b_2c", Some(cgroupfs("1b_2c"))),
            ("kubepods-pod1b_2c.slice", Some(systemd("1b_2c"))),
            ("kubepods-burstable-pod1b_2c.slice", Some(systemd("1b_2c"))),
            ("kubepods-besteffort-podx.slice", Some(systemd("x"))),
            ("burstable-pod1", None),
            ("kubepods-burstable-besteffort", None),
            ("kubepods-burstable-besteffort.slice", None),
            ("kubepods-burstable-besteffort-pod1.slice", None),
            ("kubepods-pod.slice", None),
            ("kubepods-pod1", None),
            ("kubepods-burstable-pod1.scope", None),
            ("pod", None),
            ("", None),
            ("memory", None),
            ("kubepods-.slice", None),
            ("system.slice", None),
        ];
        for (name, meaning) in cases {
            assert_eq!(parse_kubepods_name(name.as_bytes()), meaning, "{name:?}");
        }
        assert_eq!(parse_kubepods_name(b"pod\xff"), None);
        assert_eq!(systemd("1b_2c").uid().as_deref(), Some("1b-2c"));
        assert_eq!(cgroupfs("1b_2c").uid().as_deref(), Some("1b_2c"));
        assert_eq!(Class(QosClass::Burstable).uid(), None);
    }
}
