//! `evictd config`.

use std::process::ExitCode;

use evictd_config::Resolved;

/// What was asked for.
pub(crate) struct ConfigOptions {
    pub(crate) json: bool,
}

pub(crate) fn run(_settings: &Resolved, options: &ConfigOptions) -> ExitCode {
    let _ = options.json;
    ExitCode::FAILURE
}
