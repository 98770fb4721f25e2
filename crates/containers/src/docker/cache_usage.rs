//! What an engine says of its build cache.

use std::io::BufRead;

use super::answer::read_object;
use crate::Failure;
use evictd_json::{Json, ReadError, first};

/// What it all takes, and how much of it nothing uses, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// All of it.
    pub total: u64,
    /// What could be pruned.
    pub unused: u64,
}

/// What is said in place of the entries since API 1.52.
#[derive(Default)]
struct Sums {
    total_size: Option<i64>,
    reclaimable: Option<i64>,
    items: Option<CacheUsage>,
}

/// Reads the answer to `GET /system/df`.
///
/// # Errors
/// When that is no object. An entry of which something cannot be read counts as used.
pub fn parse_usage(stream: impl BufRead) -> Result<CacheUsage, Failure> {
    let (mut entries, mut sums) = (None, Sums::default());
    read_object(stream, |json, key| {
        match key {
            "BuildCache" => first(&mut entries, read_entries(json)?),
            "BuildCacheUsage" => {
                json.object(|json, key| sums.read(json, key))?;
            }
            _ => {}
        }
        Ok(())
    })?;
    if let Some(usage) = entries.or(sums.items) {
        return Ok(usage);
    }
    // Docker 29 adds the sizes up for clients of former APIs alone, and says no total to
    // others: taken for 0, all would go where a part is missing.
    let unused = positive(sums.reclaimable);
    let total = positive(sums.total_size).max(unused);
    Ok(CacheUsage { total, unused })
}

impl Sums {
    fn read<R: BufRead>(&mut self, json: &mut Json<R>, key: &str) -> Result<(), ReadError> {
        match key {
            "TotalSize" => first(&mut self.total_size, json.number()?),
            "Reclaimable" => first(&mut self.reclaimable, json.number()?),
            "Items" => first(&mut self.items, read_entries(json)?),
            _ => {}
        }
        Ok(())
    }
}

/// The sum of the entries, of which there may be tens of thousands; `None` where there is no
/// list of them.
fn read_entries<R: BufRead>(json: &mut Json<R>) -> Result<Option<CacheUsage>, ReadError> {
    let mut sum = CacheUsage::default();
    // That of a field before is no entry's.
    let _ = json.fault();
    let is_list = json.array(|json| {
        let (mut size, mut in_use, mut shared) = (None, None, None);
        json.object(|json, key| {
            match key {
                "Size" => first(&mut size, json.number()?),
                "InUse" => first(&mut in_use, json.boolean()?),
                // With an image: it takes no room of its own, and the builder does not count
                // it.
                "Shared" => first(&mut shared, json.boolean()?),
                _ => {}
            }
            Ok(())
        })?;
        let bytes = match shared {
            Some(true) => 0,
            Some(false) | None => positive(size),
        };
        sum.total = sum.total.saturating_add(bytes);
        let is_used = in_use == Some(true) || json.fault().is_some();
        let unused = if is_used { 0 } else { bytes };
        sum.unused = sum.unused.saturating_add(unused);
        Ok(())
    })?;
    Ok(is_list.then_some(sum))
}

/// Go counts with a sign.
fn positive(bytes: Option<i64>) -> u64 {
    bytes
        .and_then(|bytes| u64::try_from(bytes).ok())
        .unwrap_or(0)
}

/// Reads the answer to `POST /build/prune`.
///
/// # Errors
/// When that is no object.
pub fn parse_pruned(stream: impl BufRead) -> Result<u64, Failure> {
    let mut reclaimed: Option<i64> = None;
    read_object(stream, |json, key| {
        if key == "SpaceReclaimed" {
            first(&mut reclaimed, json.number()?);
        }
        Ok(())
    })?;
    Ok(positive(reclaimed))
}
