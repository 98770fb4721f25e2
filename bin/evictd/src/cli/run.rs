use std::process::ExitCode;

use evictd_config::Resolved;

/// What a command does, once the settings are known.
pub(super) trait Run {
    /// Does it and prints what came of it; an error is one line, for exit code 1.
    fn run(&self, settings: &Resolved) -> Result<ExitCode, String>;
}
