use core::fmt;

use super::key::hash;
use crate::ImageKey;

/// What is kept of an image: its times in seconds since 1970, none after the last
/// look. It prints as `FIRST LAST RUNTIME`, which [`parse`](Self::parse) reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageEntry {
    /// Which image.
    pub key: ImageKey,
    /// When it was first seen.
    pub first_detected: u64,
    /// When a container was last seen that used it; `None` for never.
    pub last_used: Option<u64>,
    pub(super) owner: Owner,
}

impl ImageEntry {
    /// Reads what this prints.
    ///
    /// ```
    /// use evictd_gc::{ImageEntry, ImageKey};
    ///
    /// let key = ImageKey::of("sha256:1b2c3d4e5f60718293a4b5c6d7e8f901");
    /// let entry = ImageEntry::parse(key, "1795179906 - 0a1b2c3d").unwrap();
    /// assert_eq!(entry.last_used, None);
    /// assert_eq!(entry.to_string(), "1795179906 - 0a1b2c3d");
    /// ```
    #[must_use]
    pub fn parse(key: ImageKey, text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let (first, last, owner) = (words.next()?, words.next()?, words.next()?);
        let entry = Self {
            key,
            first_detected: first.parse().ok()?,
            last_used: match last {
                "-" => None,
                last => Some(last.parse().ok()?),
            },
            owner: Owner(u32::from_str_radix(owner, 16).ok()?),
        };
        words.next().is_none().then_some(entry)
    }
}

impl fmt::Display for ImageEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.first_detected)?;
        match self.last_used {
            Some(last) => write!(f, "{last} ")?,
            None => f.write_str("- ")?,
        }
        write!(f, "{:08x}", self.owner.0)
    }
}

/// The runtime that holds an image, by a hash of its endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner(u32);

impl Owner {
    pub(super) fn of(endpoint: &str) -> Self {
        let bytes = hash(endpoint).to_le_bytes();
        let [a, b, c, d, ..] = bytes;
        Self(u32::from_le_bytes([a, b, c, d]))
    }
}
