//! `evictd config`: what the flags come to.

mod json;
mod text;

use std::process::ExitCode;

use evictd_config::{Machine, Resolved, effective};

use crate::run::print;

/// What was asked for.
pub(crate) struct ConfigOptions {
    pub(crate) json: bool,
}

/// Prints the settings in force. That they are right is known by now.
pub(crate) fn run(settings: &Resolved, options: &ConfigOptions) -> ExitCode {
    let effective = effective(settings, &Machine::default());
    print(&if options.json {
        json::document(&effective)
    } else {
        text::document(&effective)
    })
}
