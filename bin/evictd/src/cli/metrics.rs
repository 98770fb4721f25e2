//! `evictd metrics`: the daemon's metrics.

use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_client::ask_within;
use evictd_config::Resolved;

use super::output::print;

/// Whoever scrapes it waits no longer.
const WAIT: Duration = Duration::from_secs(2);

/// the daemon's metrics, in the text format of Prometheus
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "metrics",
    note = "Asks the daemon with this --state-dir, for two seconds at most: what /metrics\n\
            of its socket evictd.sock tells. docs/metrics.md has their names.",
    example = "{command_name} --flags-file=/etc/evictd.conf",
    error_code(0, "all went well"),
    error_code(1, "no daemon answers"),
    error_code(2, "the command line or a setting is wrong")
)]
pub struct Metrics {}

impl Metrics {
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        ask_within(settings, "/metrics", WAIT).map(|page| print(&page))
    }
}
