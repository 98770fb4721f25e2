use super::*;

mod accepted;
mod allocatable;
mod collection;
mod compat;
#[cfg(feature = "yaml")]
mod dropped_in;
mod effective;
mod errors;
mod examples;
#[cfg(feature = "yaml")]
mod file;
mod flags_file;
mod json;
#[cfg(feature = "yaml")]
mod newer;
#[cfg(feature = "yaml")]
mod okd;
#[cfg(feature = "yaml")]
mod poisons;
mod relief;
mod reload;
mod settings;
mod warnings;

/// The flags with those texts, in order.
fn typed(given: &[(&str, &str)]) -> Typed {
    let mut typed = Typed::default();
    for (flag, text) in given {
        assert!(typed.add(flag, *text), "no --{flag}");
    }
    typed
}

fn resolved(given: &[(&str, &str)]) -> Resolved {
    resolve(&typed(given)).unwrap()
}

const HARD: &str = "eviction-hard";
const SOFT: &str = "eviction-soft";
const GRACE: &str = "eviction-soft-grace-period";
const RECLAIM: &str = "eviction-minimum-reclaim";
const MERGE: &str = "merge-default-eviction-settings";
const LOW_DISK: &str = "low-diskspace-threshold-mb";
const TRANSITION: &str = "eviction-pressure-transition-period";
const OLD_TRANSITION: &str = "outofdisk-transition-frequency";
const ENFORCE: &str = "enforce-node-allocatable";
const COMPAT: &str = "compat";
