//! `evictd selftest`: a real eviction on this very node, inside a cgroup of its
//! own that bounds the harm.
//!
//! Three pods run below one memory limit: `steady` within its request, `small`
//! above its (it has none) by little, and `hog`, which grows until it has to go.
//! The engine that watches them is the daemon's.

mod observer;
mod run;
mod sandbox;
mod verdict;
mod workload;

use std::process::ExitCode;

use evictd_cgroup::own::is_root;
use evictd_sys::{Signal, Watch};

pub(crate) use workload::{ARGUMENT as WORKLOAD_ARGUMENT, run as run_workload};

/// What was asked for.
pub(crate) struct SelftestOptions {
    pub(crate) json: bool,
}

/// Runs it and prints what came of it; fails when anything did not hold.
#[inline(never)]
pub(crate) fn run(options: &SelftestOptions) -> ExitCode {
    if !is_root() {
        eprintln!("evictd selftest: needs root: it makes cgroups, processes and memory pressure");
        return ExitCode::FAILURE;
    }
    // Signals arrive through the loop, so that an interrupted test cleans up.
    let watch = match Watch::new(&[Signal::TERM, Signal::INT, Signal::HUP]) {
        Ok(watch) => watch,
        Err(error) => {
            eprintln!("evictd selftest: {error}");
            return ExitCode::FAILURE;
        }
    };
    match run::evict_one(watch) {
        Ok(verdict) => verdict.print(options.json),
        Err(error) => {
            eprintln!("evictd selftest: {error}");
            ExitCode::FAILURE
        }
    }
}
