//! Settings that are read anew while they are in force.

use crate::{ConfigError, Resolved, Typed, resolve};

/// The flags that may change while a daemon runs: when it evicts, which pods, and what it
/// tells of it. The others say what is opened, asked or given up at its start.
const LIVE: [&str; 14] = [
    "eviction-hard",
    "eviction-soft",
    "eviction-soft-grace-period",
    "eviction-minimum-reclaim",
    "merge-default-eviction-settings",
    "low-diskspace-threshold-mb",
    "eviction-max-pod-grace-period",
    "eviction-pressure-transition-period",
    "outofdisk-transition-frequency",
    "local-storage-capacity-isolation",
    "memory-relief",
    "never-evict",
    "housekeeping-interval",
    "v",
];

/// What comes of reading the settings anew.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reloaded {
    /// What is to be in force now: what may change as it was read, the rest as it was.
    pub settings: Resolved,
    /// The settings in force as flags, for the next time.
    pub typed: Typed,
    /// The flags, without dashes, that say something else and need a restart for it.
    pub need_restart: Vec<&'static str>,
}

/// Checks all of what was read anew, and takes over what may change.
///
/// # Errors
/// The first thing that is wrong, as [`resolve`].
pub fn reload(in_force: &Typed, read: Typed) -> Result<Reloaded, Box<ConfigError>> {
    let wanted = resolve(&read)?;
    let typed = read.keeping(in_force, &LIVE);
    let settings = resolve(&typed)?;
    let both = wanted.settings.iter().zip(&settings.settings);
    let differ = both.filter(|(wanted, got)| wanted.value != got.value);
    let mut need_restart: Vec<&str> = differ.map(|(wanted, _)| wanted.flag()).collect();
    need_restart.dedup();
    Ok(Reloaded {
        settings,
        typed: typed.without_texts(),
        need_restart,
    })
}
