//! What an engine's builder keeps for the next build.

use super::cache_usage::CacheUsage;
use super::client::Client;
use crate::Error;

/// Before it (Docker 18.09) the engine prunes all of it, whatever it is asked for.
const PRUNES_PARTS: (u32, u32) = (1, 39);
/// Since it the engine tells of build caches alone (Docker 23).
const TELLS_ONE_TYPE: (u32, u32) = (1, 42);
/// Since it the engine tells of each entry in another place, and only where asked (Docker 29).
const ITEMS_WHERE_ASKED: (u32, u32) = (1, 52);
/// Since it what is to stay has another name (Docker 28).
const RESERVES_SPACE: (u32, u32) = (1, 48);

/// What could be pruned at the most; `None` where there is no such cache.
pub(super) fn prunable(client: &Client) -> Result<Option<u64>, Error> {
    let usage = none_where_unknown(usage(client, client.version()?.api()))?;
    Ok(usage.map(|usage| usage.unused).filter(|bytes| *bytes > 0))
}

/// Prunes what nobody has used for an hour, least recently used first, until so much as is
/// missing has gone; returns what the engine says was freed.
pub(super) fn prune(client: &Client, missing: Option<u64>) -> Result<Option<u64>, Error> {
    let api = client.version()?.api();
    let Some(usage) = none_where_unknown(usage(client, api))? else {
        return Ok(None);
    };
    if usage.unused == 0 {
        return Ok(None);
    }
    let keep = missing.map_or(0, |missing| usage.total.saturating_sub(missing));
    let bound = if api >= RESERVES_SPACE {
        "reserved-space"
    } else {
        "keep-storage"
    };
    // {"until":["1h"]}
    let query = format!("?filters=%7B%22until%22%3A%5B%221h%22%5D%7D&{bound}={keep}");
    none_where_unknown(client.prune_build_cache(&query).map(Some))
}

/// What the engine says of it; `None` where it keeps none, or prunes no part of it.
fn usage(client: &Client, api: (u32, u32)) -> Result<Option<CacheUsage>, Error> {
    if api < PRUNES_PARTS {
        return Ok(None);
    }
    let query = if api >= ITEMS_WHERE_ASKED {
        "?type=build-cache&verbose=1"
    } else if api >= TELLS_ONE_TYPE {
        "?type=build-cache"
    } else {
        ""
    };
    client.build_cache_usage(query).map(Some)
}

/// Podman and older engines have no such call: they keep nothing of the kind.
fn none_where_unknown<T>(answer: Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    answer.or_else(|error| match error.code() {
        Some(404 | 405 | 501) => Ok(None),
        _ => Err(error),
    })
}
