//! `evictd selftest`.

use std::process::ExitCode;

use evictd_config::Resolved;

/// What was asked for.
pub(crate) struct SelftestOptions {
    pub(crate) json: bool,
}

pub(crate) fn run(_settings: &Resolved, options: &SelftestOptions) -> ExitCode {
    let _ = options.json;
    ExitCode::FAILURE
}
