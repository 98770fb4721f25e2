//! `evictd config`: what the flags come to.

mod json;
mod text;

use std::process::ExitCode;

use evictd_config::{Resolved, effective};

use crate::cli::output::print;
use crate::cli::snapshot::Snapshot;
use crate::machine;

/// What was asked for.
pub(crate) struct ConfigOptions {
    pub(crate) json: bool,
}

/// Prints the settings in force. That they are right is known by now; what
/// cannot be measured here is left open.
#[inline(never)]
pub(crate) fn run(settings: &Resolved, options: &ConfigOptions) -> ExitCode {
    let machine = Snapshot::take(settings)
        .map(|snapshot| machine::read(&snapshot.readings))
        .unwrap_or_default();
    let effective = effective(settings, &machine);
    print(&if options.json {
        json::document(&effective)
    } else {
        text::document(&effective)
    })
}
