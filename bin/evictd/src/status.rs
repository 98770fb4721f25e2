//! `evictd status`.

use std::process::ExitCode;

use evictd_config::Resolved;

/// What was asked for.
pub(crate) struct StatusOptions {
    pub(crate) json: bool,
}

pub(crate) fn run(_settings: &Resolved, options: &StatusOptions) -> ExitCode {
    let _ = options.json;
    ExitCode::FAILURE
}
