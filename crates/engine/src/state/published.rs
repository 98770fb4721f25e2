use core::fmt;
use std::fs::File;
use std::path::Path;

use evictd_node::Mono;

use crate::state::files::{TryLock, lock_path, read_pulse};
use crate::state::saved::State;

/// How many of its intervals a daemon may be silent.
const MOST_INTERVALS: u32 = 3;

/// Why a state is not what a running daemon says now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It is of another boot.
    OtherBoot,
    /// No daemon holds the lock.
    NoDaemon,
    /// The daemon has not confirmed it for three of its intervals: it hangs, or
    /// could not write.
    Silent,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherBoot => "the state is of another boot",
            Self::NoDaemon => "no daemon runs",
            Self::Silent => "the daemon has been silent for three intervals",
        })
    }
}

/// Whether a state that was read from the directory is what the daemon that runs
/// there says now.
///
/// # Errors
/// The reason why it is not; in doubt it is not.
pub fn check_published(
    directory: &Path,
    state: &State,
    boot_id: &str,
    now: Mono,
    try_lock: TryLock,
) -> Result<(), Doubt> {
    if boot_id.is_empty() || state.boot_id != boot_id {
        return Err(Doubt::OtherBoot);
    }
    let lock = File::open(lock_path(directory)).map_err(|_| Doubt::NoDaemon)?;
    // Shared, so that two who ask do not take each other for the daemon.
    let is_held = matches!(try_lock(&lock, false), Ok(false));
    if !is_held {
        return Err(Doubt::NoDaemon);
    }
    let said_at = read_pulse(&lock).ok_or(Doubt::Silent)?;
    let most = state.interval.saturating_mul(MOST_INTERVALS);
    let in_time = said_at >= state.saved_at && said_at <= now && now.since(said_at) <= most;
    in_time.then_some(()).ok_or(Doubt::Silent)
}
