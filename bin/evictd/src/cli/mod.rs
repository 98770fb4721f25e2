//! The command line: one file a command, and [`run`] that picks it.

mod admit;
pub mod args;
mod columns;
mod config;
mod config_file;
mod gc;
mod history;
mod oom_score;
mod output;
mod rank;
mod screen;
mod selftest;
mod snapshot;
mod status;

use std::ffi::OsString;
use std::process::ExitCode;

use ::log::LevelFilter;
use evictd_config::{Resolved, Typed};

use crate::{daemon, log};

use admit::AdmitOptions;
use args::{Command, Request, parse};
use config::ConfigOptions;
use gc::GcOptions;
use history::HistoryOptions;
use oom_score::OomScoreOptions;
use output::{print, usage_error};
use rank::RankOptions;
use selftest::SelftestOptions;
use status::StatusOptions;

/// Does what the command line asks for; `argv` is without the program's name.
///
/// Returns 0 when all went well, 1 when it ran and failed, 2 when the command
/// line or the configuration is wrong.
#[must_use]
pub fn run(argv: Vec<OsString>) -> ExitCode {
    if let Some((first, rest)) = argv.split_first()
        && first == selftest::WORKLOAD_ARGUMENT
    {
        return selftest::run_workload(rest);
    }
    match parse(&argv) {
        Ok(Request::Print(text)) => print(&text),
        Ok(Request::Run(command, typed)) => resolve_and_run(command, *typed),
        Err(error) => usage_error(&error.to_string()),
    }
}

fn resolve_and_run(command: Command, typed: Typed) -> ExitCode {
    match config_file::settings(typed) {
        Ok(settings) => run_command(command, &settings),
        Err(error) => usage_error(&error),
    }
}

fn run_command(command: Command, settings: &Resolved) -> ExitCode {
    match command {
        Command::Daemon => {
            log::start(settings.log_format, level_of(settings.verbosity));
            daemon::run(settings)
        }
        Command::Status { timing, json } => status::run(settings, &StatusOptions { timing, json }),
        Command::Rank { signal, json } => rank::run(settings, &RankOptions { signal, json }),
        Command::Admit { whom, json } => admit::run(settings, &AdmitOptions { whom, json }),
        Command::History { json } => history::run(settings, &HistoryOptions { json }),
        Command::Config { json } => config::run(settings, &ConfigOptions { json }),
        Command::OomScore { apply, json } => {
            oom_score::run(settings, &OomScoreOptions { apply, json })
        }
        Command::GcContainers { json } => gc::run_containers(settings, &GcOptions { json }),
        Command::GcImages { all_unused, json } => {
            gc::run_images(settings, &GcOptions { json }, all_unused)
        }
        Command::Selftest { json } => selftest::run(&SelftestOptions { json }),
    }
}

/// More lines with a higher level of `-v`.
const fn level_of(verbosity: u8) -> LevelFilter {
    match verbosity {
        0 | 1 => LevelFilter::Info,
        2 | 3 => LevelFilter::Debug,
        4.. => LevelFilter::Trace,
    }
}
