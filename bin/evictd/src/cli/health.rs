//! `evictd health`: whether the daemon's loop turns.

use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_client::ask_within;
use evictd_config::Resolved;

use super::output::print;

/// Who asks for its health decides by it soon.
const WAIT: Duration = Duration::from_secs(1);

/// whether the daemon runs and its loop turns: exit code 0 yes, 1 no
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "health",
    note = "Asks the daemon with this --state-dir, for a second at most. For a supervisor:\n\
            the loop answers by itself, so an answer shows that it turns.",
    example = "{command_name} --flags-file=/etc/evictd.conf",
    error_code(0, "it answers"),
    error_code(1, "it does not run, or does not answer"),
    error_code(2, "the command line or a setting is wrong")
)]
pub struct Health {}

impl Health {
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        ask_within(settings, "/healthz", WAIT).map(|answer| print(&answer))
    }
}
