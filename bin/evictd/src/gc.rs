//! `evictd gc containers`
use evictd_config::Resolved;
use std::process::ExitCode;
pub(crate) struct GcOptions {
    pub(crate) json: bool,
}
pub(crate) fn run(_settings: &Resolved, options: &GcOptions) -> ExitCode {
    if options.json {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
