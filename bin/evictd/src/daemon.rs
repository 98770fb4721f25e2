//! The daemon.

use std::process::ExitCode;

use evictd_config::Resolved;

pub(crate) fn run(_settings: &Resolved) -> ExitCode {
    ExitCode::FAILURE
}
