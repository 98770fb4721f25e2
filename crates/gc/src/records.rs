use alloc::vec::Vec;
use core::fmt;

use crate::ImageRecord;

/// The times of so many images are kept, not of more. One beyond that counts as
/// detected just now at each look, and so stays until there is room.
pub const MOST_IMAGES: usize = 1024;

/// A pause between two looks beyond which nobody knows until when an image was
/// used: seconds.
const LONG_PAUSE: i64 = 60 * 60;

/// Of a longer pause, only this counts as age: seconds.
const MOST_PAUSE: i64 = 2 * 24 * 60 * 60;

/// By what an image is known here: the first 16 hexadecimal digits of its digest,
/// as people see them in lists; of an id that is none, a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageKey(u64);

impl ImageKey {
    /// That of an image's id (`sha256:…`).
    ///
    /// ```
    /// use evictd_gc::ImageKey;
    ///
    /// let key = ImageKey::of("sha256:1b2c3d4e5f60718293a4b5c6d7e8f901");
    /// assert_eq!(key.to_string(), "1b2c3d4e5f607182");
    /// assert_eq!(ImageKey::parse("1b2c3d4e5f607182"), Some(key));
    /// ```
    #[must_use]
    pub fn of(id: &str) -> Self {
        let digest = id.rsplit_once(':').map_or(id, |(_, digest)| digest);
        let head = digest.get(..16).and_then(Self::parse);
        head.unwrap_or_else(|| {
            // FNV-1a: ids are digests, which nobody can choose.
            let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            Self(hash)
        })
    }

    /// Reads what this prints: 16 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_one = text.len() == 16 && text.bytes().all(is_digit);
        is_one
            .then(|| u64::from_str_radix(text, 16).ok().map(Self))
            .flatten()
    }
}

impl fmt::Display for ImageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// When images were first detected and last used: no runtime says it, so it has to
/// be watched, and kept over a restart (decision D37).
///
/// An image ages while somebody looks. When nobody did for long, because evictd
/// was off or because the clock jumped, at most two days of that count, and an
/// image that was in use at the last look before counts as used until now. So
/// no board that starts in 1970 takes its images for decades old.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageRecords {
    looked_at: u64,
    /// Sorted by key, each once.
    entries: Vec<Entry>,
}

/// Times in seconds since 1970, at most that of the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    key: ImageKey,
    first_detected: u64,
    last_used: Option<u64>,
}

impl ImageRecords {
    /// Notes which images there are, by id, and whether a container uses each.
    /// One that is used is used now, one that is new is detected now. One that is
    /// not named is forgotten if the list names `all` there are; not so if a
    /// runtime did not answer.
    pub fn observe(&mut self, now_seconds: u64, images: &[(&str, bool)], all: bool) {
        self.pass_time(now_seconds);
        let mut seen: Vec<(ImageKey, bool)> = images
            .iter()
            .map(|(id, in_use)| (ImageKey::of(id), *in_use))
            .collect();
        // Of two with one key, the one in use is first and stays.
        seen.sort_unstable_by_key(|(key, in_use)| (*key, !in_use));
        seen.dedup_by_key(|(key, _)| *key);
        let place = |key: &ImageKey| seen.binary_search_by_key(key, |(key, _)| *key).ok();
        if all {
            self.entries.retain(|entry| place(&entry.key).is_some());
        }
        let known = self.entries.len();
        for (key, in_use) in &seen {
            let last_used = in_use.then_some(now_seconds);
            let among = self.entries.get_mut(..known).unwrap_or_default();
            match among.binary_search_by_key(key, |entry| entry.key) {
                Ok(place) => {
                    if let Some(entry) = among.get_mut(place) {
                        entry.last_used = last_used.or(entry.last_used);
                    }
                }
                Err(_) if self.entries.len() < MOST_IMAGES => self.entries.push(Entry {
                    key: *key,
                    first_detected: now_seconds,
                    last_used,
                }),
                Err(_) => {}
            }
        }
        self.entries.sort_unstable_by_key(|entry| entry.key);
    }

    /// The times of an image; `None` for one that was never observed.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<ImageRecord> {
        let key = ImageKey::of(id);
        let place = self.entries.binary_search_by_key(&key, |entry| entry.key);
        let entry = self.entries.get(place.ok()?)?;
        let nanos = |seconds: u64| {
            let nanos = i64::try_from(seconds).unwrap_or(i64::MAX);
            nanos.saturating_mul(1_000_000_000)
        };
        Some(ImageRecord {
            first_detected_nanos: nanos(entry.first_detected),
            last_used_nanos: entry.last_used.map(nanos),
        })
    }

    /// When it was last looked: seconds since 1970, 0 for never.
    #[must_use]
    pub const fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Every entry, to be kept: key, first detected, last used, in seconds since
    /// 1970.
    pub fn entries(&self) -> impl Iterator<Item = (ImageKey, u64, Option<u64>)> {
        let entries = self.entries.iter();
        entries.map(|entry| (entry.key, entry.first_detected, entry.last_used))
    }

    /// What was kept of [`entries`](Self::entries). An entry whose times lie after
    /// the last look is none of ours; it and what is beyond [`MOST_IMAGES`] is
    /// dropped.
    #[must_use]
    pub fn restore(
        looked_at: u64,
        entries: &mut dyn Iterator<Item = (ImageKey, u64, Option<u64>)>,
    ) -> Self {
        let is_ours = |(_, first_detected, last_used): &(ImageKey, u64, Option<u64>)| {
            *first_detected <= looked_at && last_used.is_none_or(|last| last <= looked_at)
        };
        let entries = entries
            .filter(is_ours)
            .map(|(key, first_detected, last_used)| Entry {
                key,
                first_detected,
                last_used,
            });
        let mut entries: Vec<Entry> = entries.take(MOST_IMAGES).collect();
        entries.sort_unstable_by_key(|entry| entry.key);
        entries.dedup_by_key(|entry| entry.key);
        Self { looked_at, entries }
    }

    /// Moves all times so that what passed since the last look is what counts.
    fn pass_time(&mut self, now: u64) {
        let before = self.looked_at;
        self.looked_at = now;
        let seconds = |time| i64::try_from(time).unwrap_or(i64::MAX);
        let passed = seconds(now).saturating_sub(seconds(before));
        let uncounted = passed.saturating_sub(passed.clamp(0, MOST_PAUSE));
        let is_long = !(0..=LONG_PAUSE).contains(&passed);
        let moved = |time: u64| time.saturating_add_signed(uncounted).min(now);
        for entry in &mut self.entries {
            let until_now = is_long && entry.last_used == Some(before);
            entry.first_detected = moved(entry.first_detected);
            entry.last_used = match entry.last_used {
                Some(_) if until_now => Some(now),
                last_used => last_used.map(moved),
            };
        }
    }
}
