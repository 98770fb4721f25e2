//! `evictd summary`: what the node and its pods use, as a kubelet's Summary API tells it.

mod look;
mod rates;
mod resource;
mod types;

use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::{Resolved, Typed};

use super::output::{fail, print, print_json, usage_error};
use super::run::Run;
use crate::config_file;
use crate::tools::become_it;

pub(super) use look::Summarizer;

/// what the node and its pods use, as the kubelet's Summary API
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "summary",
    note = "Prints what /stats/summary of a kubelet does, field for field; what is not\n\
            known is left out. Measured now, by the flags given here; needs no daemon.\n\
            --metrics-listen and --metrics-socket-group serve it.",
    example = "{command_name} --flags-file=/etc/evictd.conf\n\
               {command_name} --metrics"
)]
pub struct Summary {
    /// print what /metrics/resource of a kubelet does, for Prometheus
    #[argh(switch)]
    metrics: bool,
}

impl Run for Summary {
    fn run(&self, _settings: &Resolved) -> Result<ExitCode, String> {
        become_it()
    }
}

impl Summary {
    /// Measures, with these flags.
    pub(super) fn begin(&self, typed: Typed) -> ExitCode {
        let settings = match config_file::settings(typed) {
            Ok(settings) => settings.resolved,
            Err(error) => return usage_error(&error),
        };
        match Summarizer::new(&settings) {
            Ok(mut summarizer) if self.metrics => print(&summarizer.look().in_metrics()),
            Ok(mut summarizer) => print_json(&summarizer.look()),
            Err(error) => fail("summary", error),
        }
    }
}
