//! Which cgroups hold pods that are never evicted, and who said so.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use core::fmt::Write;
use std::path::{Path, PathBuf};

/// The cgroups of pods that are never evicted, below the mount point of each hierarchy,
/// and who said so of each: a container runtime by its endpoint, or the manifests.
///
/// In the order of the cgroups, each once. A cgroup is known by its bytes. That it is the same one is true within one boot only:
/// [`State::rebase`](crate::State::rebase) forgets them over another.
pub type Protected = Vec<(PathBuf, String)>;

/// More are not remembered: nodes protect a few.
const MOST: usize = 256;

/// All of their texts take no more bytes than that, so that the file stays bounded.
const MOST_BYTES: usize = 16 << 10;

/// As many of them as the text may hold: a path, and who says so.
pub(crate) fn to_texts(protected: &Protected) -> BTreeMap<String, String> {
    let texts = protected.iter();
    bounded(texts.map(|(cgroup, by)| (escape(cgroup), by.clone()))).collect()
}

/// Reads what [`to_texts`] wrote. What is no path costs itself.
pub(crate) fn from_texts<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>) -> Protected {
    let texts = texts.map(|(cgroup, by)| (cgroup.to_owned(), by.to_owned()));
    let texts = bounded(texts);
    let protected = texts.filter_map(|(cgroup, by)| Some((unescape(&cgroup)?, by)));
    in_order(protected.collect())
}

/// Each cgroup once: of several entries the first.
pub(crate) fn in_order(mut protected: Protected) -> Protected {
    protected.sort_by(|(one, _), (other, _)| one.cmp(other));
    protected.dedup_by(|(other, _), (one, _)| one == other);
    protected
}

fn bounded(
    texts: impl Iterator<Item = (String, String)>,
) -> impl Iterator<Item = (String, String)> {
    let mut left = MOST_BYTES;
    let fits = move |(cgroup, by): &(String, String)| {
        let rest = left.checked_sub(cgroup.len().saturating_add(by.len()));
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    texts.filter(fits).take(MOST)
}

/// A path is bytes, and JSON is text: what is no text, and what JSON would make much longer,
/// is written as `\xHH`.
fn escape(path: &Path) -> String {
    let mut text = String::new();
    let byte = |text: &mut String, byte: u8| {
        let _ = write!(text, "\\x{byte:02x}");
    };
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for char in chunk.valid().chars() {
            match u8::try_from(char) {
                Ok(b'\\') => text.push_str("\\\\"),
                Ok(control) if control.is_ascii_control() => byte(&mut text, control),
                Ok(_) | Err(_) => text.push(char),
            }
        }
        chunk.invalid().iter().for_each(|b| byte(&mut text, *b));
    }
    text
}

fn unescape(text: &str) -> Option<PathBuf> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some((plain, escaped)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        rest = match escaped.strip_prefix('\\') {
            Some(rest) => {
                bytes.push(b'\\');
                rest
            }
            None => {
                let hex = escaped.strip_prefix('x')?;
                let (hex, rest) = hex.split_at_checked(2)?;
                bytes.push(u8::from_str_radix(hex, 16).ok()?);
                rest
            }
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    if bytes.is_empty() {
        None
    } else {
        to_path(bytes)
    }
}

#[cfg(unix)]
fn to_path(bytes: Vec<u8>) -> Option<PathBuf> {
    let path = <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes);
    Some(PathBuf::from(path))
}

/// Elsewhere a path is text.
#[cfg(not(unix))]
fn to_path(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(bytes: &[u8]) -> PathBuf {
        to_path(bytes.to_vec()).unwrap()
    }

    /// Acceptance row 177: an identity is exact.
    #[test]
    fn a_protected_cgroup_is_remembered_by_its_bytes() {
        let names: [&[u8]; 6] = [
            b"docker/0123456789ab",
            b"system.slice/docker-a\\x2db.scope",
            b"pods/a\xfe",
            b"pods/a\xff",
            b"pods/\\",
            b"pods/\x1b[2J\n\xc2\x9b",
        ];
        let protected: Protected = names
            .iter()
            .map(|name| (path(name), "unix:///run/docker.sock".to_owned()))
            .collect();
        let protected = in_order(protected);
        assert_eq!(protected.len(), names.len());
        let texts = to_texts(&protected);
        let read = from_texts(
            texts
                .iter()
                .map(|(cgroup, by)| (cgroup.as_str(), by.as_str())),
        );
        assert_eq!(read, protected);
        for odd in ["", "\\", "\\x", "\\xf", "\\xfg", "a\\n", "\\xé0"] {
            assert!(from_texts([(odd, "x")].into_iter()).is_empty(), "{odd:?}");
        }
    }

    #[test]
    fn what_is_remembered_of_protections_is_bounded() {
        let many: Protected = (0..5000)
            .map(|number| (path(format!("pods/{number}").as_bytes()), "m".to_owned()))
            .collect();
        let few = to_texts(&many);
        assert_eq!(few.len(), MOST);
        let texts = many.iter().map(|(path, by)| (escape(path), by.clone()));
        let texts: Vec<(String, String)> = texts.collect();
        let texts = texts.iter().map(|(path, by)| (path.as_str(), by.as_str()));
        assert_eq!(from_texts(texts).len(), MOST);

        let long: Protected = [
            (path(&b"a".repeat(MOST_BYTES)), "m".to_owned()),
            (path(b"b"), "m".repeat(MOST_BYTES)),
            (path(b"c"), "m".to_owned()),
        ]
        .into();
        let texts = to_texts(&long);
        assert_eq!(texts.keys().collect::<Vec<_>>(), ["c"]);
    }
}
