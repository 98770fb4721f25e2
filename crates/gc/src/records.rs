use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::ImageRecord;

/// The times of so many images are kept, not of more. One beyond that counts as
/// detected just now at each look, and so stays until there is room.
pub const MOST_IMAGES: usize = 1024;

/// A pause between two looks beyond which it is unknown until when an image was
/// used: seconds.
const LONG_PAUSE: i64 = 60 * 60;

/// An image that was used so short before the last look was in use at it: seconds.
const A_LOOK: u64 = 10 * 60;

/// Of a longer pause, only this counts as age: seconds.
const MOST_PAUSE: i64 = 2 * 24 * 60 * 60;

/// When images were first detected and last used: no runtime says it, so it has to
/// be watched, and kept over a restart (decision D37).
///
/// An image ages while evictd looks. When it did not for long, because it
/// was off or because the clock jumped, at most two days of that count, and an
/// image that was in use at the last look before counts as used until now. So
/// no board that starts in 1970 takes its images for decades old.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageRecords {
    looked_at: u64,
    /// By their keys, the least first.
    entries: Vec<(u64, Entry)>,
}

/// What is kept of an image: its times in seconds since 1970, none after the last
/// look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    first_detected: u64,
    /// When a container was last seen that used it; `None` for never.
    last_used: Option<u64>,
    /// The runtime that holds it, by a hash of its endpoint.
    owner: u64,
}

impl ImageRecords {
    /// Notes which images a runtime holds, by id, and whether a container uses each.
    /// One that is used is used now, one that is new is detected now, one that is
    /// gone is forgotten. `runtime` says which of several it is: what the others
    /// hold stays. The list has to be whole; when a runtime does not answer,
    /// nothing is to be noted.
    pub fn observe(&mut self, now_seconds: u64, runtime: &str, images: &[(&str, bool)]) {
        self.pass_time(now_seconds);
        let owner = hash(runtime) & u64::from(u32::MAX);
        let seen = images.iter().map(|(id, in_use)| (key_of(id), *in_use));
        let mut seen: Vec<(u64, bool)> = seen.collect();
        seen.sort_unstable();
        let is_seen = |key: &u64| seen.binary_search_by_key(key, |(key, _)| *key).is_ok();
        self.entries
            .retain(|(key, entry)| entry.owner != owner || is_seen(key));
        for (key, in_use) in seen {
            let last_used = in_use.then_some(now_seconds);
            if let Some(entry) = self.entry_mut(key) {
                entry.last_used = last_used.or(entry.last_used);
                continue;
            }
            if let Err(place) = self.place(key)
                && self.entries.len() < MOST_IMAGES
            {
                let entry = Entry {
                    first_detected: now_seconds,
                    last_used,
                    owner,
                };
                self.entries.insert(place, (key, entry));
            }
        }
    }

    /// Notes that containers use these images now. Ids that are not known yet say
    /// nothing: the next [`observe`](Self::observe) will.
    pub fn note_used<'a>(&mut self, now_seconds: u64, ids: impl IntoIterator<Item = &'a str>) {
        self.pass_time(now_seconds);
        for id in ids {
            if let Some(entry) = self.entry_mut(key_of(id)) {
                entry.last_used = Some(now_seconds);
            }
        }
    }

    /// The times of an image; `None` for one that was never observed.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<ImageRecord> {
        let place = self.place(key_of(id)).ok()?;
        let (_, entry) = self.entries.get(place)?;
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

    /// Every entry, to be kept: by what the image is known, the first 16 hexadecimal
    /// digits of its digest as people see them in lists; and `FIRST LAST RUNTIME`.
    ///
    /// ```
    /// use evictd_gc::ImageRecords;
    ///
    /// let mut records = ImageRecords::default();
    /// records.observe(1795179906, "", &[("sha256:1b2c3d4e5f60718293a4b5c6d7e8f901", false)]);
    /// let kept = records.texts().next().unwrap();
    /// assert_eq!(kept, ("1b2c3d4e5f607182".into(), "1795179906 - 84222325".into()));
    /// ```
    pub fn texts(&self) -> impl Iterator<Item = (String, String)> {
        self.entries.iter().map(|(key, entry)| {
            let last = entry.last_used.map(|last| format!("{last}"));
            let (first, last) = (entry.first_detected, last.as_deref().unwrap_or("-"));
            (
                format!("{key:016x}"),
                format!("{first} {last} {:08x}", entry.owner),
            )
        })
    }

    /// What was kept of [`texts`](Self::texts). What is none of them, an entry whose
    /// times lie after the last look, and what is beyond [`MOST_IMAGES`] is dropped.
    #[must_use]
    pub fn restore<'a>(
        looked_at: u64,
        texts: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let entries = texts.into_iter().filter_map(|(key, text)| {
            let entry = parse(text)?;
            let newest = entry.first_detected.max(entry.last_used.unwrap_or(0));
            Some((parse_key(key)?, entry)).filter(|_| newest <= looked_at)
        });
        let mut entries: Vec<(u64, Entry)> = entries.take(MOST_IMAGES).collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        entries.dedup_by_key(|(key, _)| *key);
        Self { looked_at, entries }
    }

    /// Where the entry with that key is, or where it would be.
    fn place(&self, key: u64) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&key, |(key, _)| *key)
    }

    fn entry_mut(&mut self, key: u64) -> Option<&mut Entry> {
        let place = self.place(key).ok()?;
        self.entries.get_mut(place).map(|(_, entry)| entry)
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
        for (_, entry) in &mut self.entries {
            let in_use = |last: u64| before.saturating_sub(last) <= A_LOOK;
            let until_now = is_long && entry.last_used.is_some_and(in_use);
            entry.first_detected = moved(entry.first_detected);
            entry.last_used = match entry.last_used {
                Some(_) if until_now => Some(now),
                last_used => last_used.map(moved),
            };
        }
    }
}

fn parse(text: &str) -> Option<Entry> {
    let (first, rest) = text.split_once(' ')?;
    let (last, owner) = rest.split_once(' ')?;
    Some(Entry {
        first_detected: first.parse().ok()?,
        last_used: match last {
            "-" => None,
            last => Some(last.parse().ok()?),
        },
        owner: u32::from_str_radix(owner, 16).ok()?.into(),
    })
}

/// By what an image is known here: the head of its digest; of an id that is none, a
/// hash.
fn key_of(id: &str) -> u64 {
    let digest = id.rsplit_once(':').map_or(id, |(_, digest)| digest);
    let head = digest.get(..16).and_then(parse_key);
    head.unwrap_or_else(|| hash(id))
}

/// Reads 16 lower-case hexadecimal digits.
fn parse_key(text: &str) -> Option<u64> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_key = text.len() == 16 && text.bytes().all(is_digit);
    u64::from_str_radix(text, 16).ok().filter(|_| is_key)
}

/// FNV-1a: nobody can choose what is hashed so that two collide.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
