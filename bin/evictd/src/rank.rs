//! `evictd rank`.

use std::process::ExitCode;

use evictd_config::Resolved;
use evictd_node::Signal;

/// What was asked for.
pub(crate) struct RankOptions {
    pub(crate) signal: Signal,
    pub(crate) json: bool,
}

pub(crate) fn run(_settings: &Resolved, options: &RankOptions) -> ExitCode {
    let _ = (options.signal, options.json);
    ExitCode::FAILURE
}
