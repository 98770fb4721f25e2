use alloc::vec::Vec;

use super::entry::Owner;
use crate::{ImageEntry, ImageKey, ImageRecord};

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
    /// Sorted by key, each once.
    entries: Vec<ImageEntry>,
}

impl ImageRecords {
    /// Notes which images a runtime holds, by id, and whether a container uses each.
    /// One that is used is used now, one that is new is detected now, one that is
    /// gone is forgotten. `runtime` says which of several it is: what the others
    /// hold stays. The list has to be whole; when a runtime does not answer,
    /// nothing is to be noted.
    pub fn observe(&mut self, now_seconds: u64, runtime: &str, images: &[(&str, bool)]) {
        self.pass_time(now_seconds);
        let owner = Owner::of(runtime);
        let seen = images
            .iter()
            .map(|(id, in_use)| (ImageKey::of(id), *in_use));
        let mut seen: Vec<(ImageKey, bool)> = seen.collect();
        // Of two with one key, the one in use is first and stays.
        seen.sort_unstable_by_key(|(key, in_use)| (*key, !in_use));
        seen.dedup_by_key(|(key, _)| *key);
        let is_seen = |key: &ImageKey| seen.binary_search_by_key(key, |(key, _)| *key).is_ok();
        self.entries
            .retain(|entry| entry.owner != owner || is_seen(&entry.key));
        let known = self.entries.len();
        for (key, in_use) in seen {
            let last_used = in_use.then_some(now_seconds);
            let among = self.entries.get_mut(..known).unwrap_or_default();
            let place = among.binary_search_by_key(&key, |entry| entry.key);
            if let Some(entry) = place.ok().and_then(|place| among.get_mut(place)) {
                entry.last_used = last_used.or(entry.last_used);
            } else if self.entries.len() < MOST_IMAGES {
                self.entries.push(ImageEntry {
                    key,
                    first_detected: now_seconds,
                    last_used,
                    owner,
                });
            }
        }
        self.entries.sort_unstable_by_key(|entry| entry.key);
    }

    /// Notes that containers use these images now. Ids that are not known yet say
    /// nothing: the next [`observe`](Self::observe) will.
    pub fn note_used<'a>(&mut self, now_seconds: u64, ids: impl IntoIterator<Item = &'a str>) {
        self.pass_time(now_seconds);
        for id in ids {
            let key = ImageKey::of(id);
            let place = self.entries.binary_search_by_key(&key, |entry| entry.key);
            if let Some(entry) = place.ok().and_then(|place| self.entries.get_mut(place)) {
                entry.last_used = Some(now_seconds);
            }
        }
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

    /// Every entry, to be kept.
    pub fn entries(&self) -> impl Iterator<Item = ImageEntry> {
        self.entries.iter().copied()
    }

    /// What was kept of [`entries`](Self::entries). An entry whose times lie after
    /// the last look is none of ours; it and what is beyond [`MOST_IMAGES`] is
    /// dropped.
    #[must_use]
    pub fn restore(looked_at: u64, entries: impl IntoIterator<Item = ImageEntry>) -> Self {
        let is_ours = |entry: &ImageEntry| {
            let last_used = entry.last_used.unwrap_or(0);
            entry.first_detected.max(last_used) <= looked_at
        };
        let mut entries: Vec<ImageEntry> = entries
            .into_iter()
            .filter(is_ours)
            .take(MOST_IMAGES)
            .collect();
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
