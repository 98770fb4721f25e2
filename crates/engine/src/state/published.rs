use std::path::Path;

use evictd_node::Mono;

use crate::state::files::{Home, TryLock, read_pulse};
use crate::state::saved::State;

/// How many of its intervals a daemon may be silent.
const MOST_INTERVALS: u32 = 3;

pub(crate) const OTHER_BOOT: &str = "the state is of another boot";
pub(crate) const NO_DAEMON: &str = "no daemon runs";
/// The daemon has not confirmed it for three of its intervals: it hangs, or could not write.
pub(crate) const SILENT: &str = "the daemon has been silent for three intervals";

/// Whether a state that was read from the directory is what the daemon that runs
/// there says now.
///
/// # Errors
/// Why it is not, in words; in doubt it is not.
pub fn check_published(
    directory: &Path,
    state: &State,
    boot_id: &str,
    now: Mono,
    try_lock: TryLock,
) -> Result<(), &'static str> {
    if boot_id.is_empty() || state.boot_id != boot_id {
        return Err(OTHER_BOOT);
    }
    let lock = Home::open(directory).and_then(|home| home.lock());
    let lock = lock.map_err(|_| NO_DAEMON)?;
    // Shared, so that two commands do not take each other for the daemon.
    let is_held = matches!(try_lock(&lock, false), Ok(false));
    if !is_held {
        return Err(NO_DAEMON);
    }
    let said_at = read_pulse(&lock).ok_or(SILENT)?;
    let most = state.interval.saturating_mul(MOST_INTERVALS);
    let in_time = said_at >= state.saved_at && said_at <= now && now.since(said_at) <= most;
    in_time.then_some(()).ok_or(SILENT)
}
