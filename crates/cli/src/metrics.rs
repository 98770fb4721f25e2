//! `evictd metrics`: the daemon's metrics, and what the node and its pods use.

use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_client::ask_within;
use evictd_config::Resolved;
use evictd_machine::summary::Summarizer;

use super::output::{print, print_json, usage_error};

/// Whoever scrapes it waits no longer.
const WAIT: Duration = Duration::from_secs(2);

/// the daemon's metrics, or what the node and its pods use
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "metrics",
    note = "Asks the daemon with this --state-dir, for two seconds at most, for what\n\
            /metrics of its socket evictd.sock tells, in the text format of Prometheus.\n\
            docs/metrics.md has the names. With --summary or --resource it prints what a\n\
            kubelet serves, field for field, and leaves out what is not known: measured\n\
            now, by the flags given here, without a daemon. --metrics-listen serves all\n\
            three.",
    example = "{command_name} --flags-file=/etc/evictd.conf\n{command_name} --summary",
    error_code(0, "all went well"),
    error_code(1, "no daemon answers, or the node cannot be read"),
    error_code(2, "the command line or a setting is wrong")
)]
pub struct Metrics {
    /// print the Summary API, as /stats/summary of a kubelet, in JSON
    #[argh(switch)]
    summary: bool,

    /// print what the node and its pods use, as /metrics/resource of a kubelet
    #[argh(switch)]
    resource: bool,
}

impl Metrics {
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let summary = || Ok(Summarizer::new(settings)?.look());
        match (self.summary, self.resource) {
            (false, false) => {
                ask_within(&settings.paths, "/metrics", WAIT).map(|page| print(&page))
            }
            (true, false) => summary().map(|of| print_json(&of)),
            (false, true) => summary().map(|of| print(&of.in_metrics())),
            (true, true) => Ok(usage_error(
                "--summary and --resource are two documents: give one of them",
            )),
        }
    }
}
