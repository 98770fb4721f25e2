//! `evictd selftest`: a real eviction on this very node, inside a cgroup of its
//! own that bounds the harm.

use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_selftest::evict_one;
use evictd_sys::{Signal, Watch};
use rustix::process::geteuid;

use super::output::print_as;

/// make pressure in a small cgroup and evict for real (root)
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "selftest",
    note = "On this very node, inside a cgroup of its own that bounds the harm, makes\n\
            three pods and real memory pressure, evicts, and prints what was detected,\n\
            killed and freed, and in how many milliseconds. Leaves nothing behind. Needs\n\
            root.",
    example = "{command_name}\n{command_name} --json"
)]
pub struct Selftest {
    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

impl Selftest {
    /// Runs it and prints the verdict; fails when a check does not hold.
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        if !geteuid().is_root() {
            let why = "needs root: it makes cgroups, processes and memory pressure";
            return Err(why.to_owned());
        }
        // Signals arrive through the loop, so that an interrupted test cleans up.
        let watch = Watch::new(&[Signal::TERM, Signal::INT, Signal::HUP]);
        let verdict = evict_one(watch.map_err(|error| error.to_string())?)?;
        let printed = print_as(self.json, &verdict, || verdict.in_text());
        Ok(if verdict.passed {
            printed
        } else {
            ExitCode::FAILURE
        })
    }
}
