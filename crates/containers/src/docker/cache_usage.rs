//! What an engine says of its build cache.

use core::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use super::parse::parse;
use crate::Failure;

/// What it all takes, and how much of it nothing uses, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// All of it.
    pub total: u64,
    /// What could be pruned.
    pub unused: u64,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct UsageText {
    #[serde(rename = "BuildCache")]
    entries: Option<Entries>,
    /// In place of it since API 1.52.
    #[serde(rename = "BuildCacheUsage")]
    sums: Option<SumsText>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct SumsText {
    total_size: i64,
    reclaimable: i64,
    items: Option<Entries>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct EntryText {
    size: i64,
    in_use: bool,
    /// With an image: it takes no room of its own, and the builder does not count it.
    shared: bool,
}

/// The sum of the entries. There may be tens of thousands, so none is kept.
#[derive(Default)]
struct Entries(CacheUsage);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Sum;
        impl<'de> Visitor<'de> for Sum {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Entries, A::Error> {
                let mut sum = CacheUsage::default();
                while let Some(entry) = seq.next_element::<EntryText>()? {
                    let bytes = if entry.shared {
                        0
                    } else {
                        positive(entry.size)
                    };
                    sum.total = sum.total.saturating_add(bytes);
                    let unused = if entry.in_use { 0 } else { bytes };
                    sum.unused = sum.unused.saturating_add(unused);
                }
                Ok(Entries(sum))
            }
        }
        from.deserialize_seq(Sum)
    }
}

/// Go counts with a sign.
fn positive(bytes: i64) -> u64 {
    u64::try_from(bytes).unwrap_or(0)
}

/// Reads the answer to `GET /system/df`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_usage(text: &[u8]) -> Result<CacheUsage, Failure> {
    let text: UsageText = parse(text)?;
    let sums = text.sums.unwrap_or_default();
    if let Some(Entries(usage)) = text.entries.or(sums.items) {
        return Ok(usage);
    }
    // Docker 29 adds the sizes up for clients of former APIs alone, and says no total to
    // others: taken for 0, all would go where a part is missing.
    let unused = positive(sums.reclaimable);
    let total = positive(sums.total_size).max(unused);
    Ok(CacheUsage { total, unused })
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct PrunedText {
    space_reclaimed: u64,
}

/// Reads the answer to `POST /build/prune`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_pruned(text: &[u8]) -> Result<u64, Failure> {
    let text: PrunedText = parse(text)?;
    Ok(text.space_reclaimed)
}
