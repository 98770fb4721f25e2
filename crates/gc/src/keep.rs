use alloc::boxed::Box;
use alloc::format;
use core::fmt;

use evictd_node::split_registry;

/// The longest pattern in bytes: names of images are shorter.
const LONGEST: usize = 512;

const LIBRARY: &str = "library/";

/// A pattern of `--keep-image`: images with a name that it matches stay.
///
/// `*` stands for any run of characters, `/` among them, `?` for one; all else for
/// itself. It is held against the name as `docker image ls` prints it, whatever the
/// runtime lists: `busybox:1.36` for `docker.io/library/busybox:1.36`, and
/// `quay.io/busybox:1.36` with its host. Only a pattern that begins with `docker.io/`
/// knows that host. A pattern without tag matches every tag and digest.
///
/// ```
/// use evictd_gc::KeepPattern;
///
/// let pattern = KeepPattern::parse(b"busybox").unwrap();
/// assert!(pattern.matches("docker.io/library/busybox:1.36"));
/// assert!(!pattern.matches("quay.io/busybox:1.36"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepPattern(Box<str>);

/// A pattern that cannot match any name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepPatternError {
    /// At which byte that shows.
    pub at: usize,
    what: &'static str,
}

impl KeepPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// When it is empty, longer than 512 bytes, or holds anything but printable
    /// ASCII characters.
    pub fn parse(text: &[u8]) -> Result<Self, KeepPatternError> {
        let odd = text.iter().position(|byte| !byte.is_ascii_graphic());
        let error = |at, what| Err(KeepPatternError { at, what });
        match (core::str::from_utf8(text), odd) {
            _ if text.is_empty() => error(0, "an empty pattern matches no image"),
            _ if text.len() > LONGEST => error(0, "longer than 512 bytes"),
            (Ok(text), None) => Ok(Self(text.into())),
            (_, at) => error(at.unwrap_or(0), "no image's name holds this character"),
        }
    }

    /// Whether it matches one of an image's names, by tag or by digest; its id may
    /// be among them. The time is at most that of comparing each character of the
    /// name with each of the pattern.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let untagged = |name| tag_at(name).and_then(|at| name.get(..at));
        // `name:tag@digest` is also `name:tag`.
        let tagged = name.split_once('@').map(|(tagged, _)| tagged);
        let bare = untagged(tagged.unwrap_or(name)).or(tagged);
        let forms = [
            Some(name),
            tagged,
            bare.filter(|_| tag_at(&self.0).is_none()),
        ];
        forms
            .into_iter()
            .flatten()
            .any(|name| self.matches_any_form(name))
    }

    fn matches_any_form(&self, name: &str) -> bool {
        let short = hub_name(name);
        let hosts = ["docker.io/", "index.docker.io/"];
        let below_hub = hosts.iter().find_map(|host| self.0.strip_prefix(host));
        match (short, below_hub) {
            (Some(short), Some(pattern)) => {
                let is_official = !short.contains('/');
                let in_full = || format!("{LIBRARY}{short}");
                is_like(pattern, short) || (is_official && is_like(pattern, &in_full()))
            }
            (None, Some(_)) => false,
            (short, None) => is_like(&self.0, short.unwrap_or(name)),
        }
    }
}

/// Whether a pattern matches all of a text: `*` stands for any run of characters, `?` for
/// one, all else for itself.
fn is_like(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    // What is behind the last star, and behind the text that it stands for so far.
    let mut retry = None;
    loop {
        let (before, wanted) = (text.clone(), pattern.next());
        match (wanted, text.next()) {
            (Some('*'), _) => {
                text = before;
                retry = Some((pattern.clone(), text.clone()));
                continue;
            }
            (None, None) => return true,
            (Some('?'), Some(_)) => continue,
            (Some(wanted), Some(found)) if wanted == found => continue,
            _ => {}
        }
        // The star stands for one character more.
        let Some((behind_star, behind_text)) = &mut retry else {
            return false;
        };
        if behind_text.next().is_none() {
            return false;
        }
        (pattern, text) = (behind_star.clone(), behind_text.clone());
    }
}

/// Where the tag or digest begins, at its `:` or `@`; the port of a registry is
/// no tag.
fn tag_at(name: &str) -> Option<usize> {
    let last = name.rfind('/').map_or(0, |slash| slash.saturating_add(1));
    let place = name.get(last..)?.find([':', '@'])?;
    Some(last.saturating_add(place))
}

/// The short form of a name that is Docker Hub's, written short or in full.
fn hub_name(name: &str) -> Option<&str> {
    let (registry, rest) = split_registry(name);
    registry.is_none().then_some(rest)
}

impl fmt::Display for KeepPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for KeepPatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

impl core::error::Error for KeepPatternError {}
