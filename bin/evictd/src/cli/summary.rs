//! `evictd summary`: what the node and its pods use, as a kubelet's Summary API tells it.

use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_machine::summary::Summarizer;

use super::output::{print, print_json};

/// what the node and its pods use, as the kubelet's Summary API
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "summary",
    note = "Prints what /stats/summary of a kubelet does, field for field; what is not\n\
            known is left out. Measured now, by the flags given here; needs no daemon.\n\
            --metrics-listen serves it.",
    example = "{command_name} --flags-file=/etc/evictd.conf\n\
               {command_name} --metrics"
)]
pub struct Summary {
    /// print what /metrics/resource of a kubelet does, for Prometheus
    #[argh(switch)]
    metrics: bool,
}

impl Summary {
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let summary = Summarizer::new(settings)?.look();
        Ok(if self.metrics {
            print(&summary.in_metrics())
        } else {
            print_json(&summary)
        })
    }
}
