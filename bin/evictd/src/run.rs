use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use ::log::LevelFilter;
use evictd_config::{Resolved, Typed};

use crate::admit::{self, AdmitOptions};
use crate::args::{Command, Request, parse};
use crate::config_command::{self, ConfigOptions};
use crate::config_file;
use crate::daemon;
use crate::gc::{self, GcOptions};
use crate::history::{self, HistoryOptions};
use crate::log;
use crate::oom_score::{self, OomScoreOptions};
use crate::rank::{self, RankOptions};
use crate::selftest::{self, SelftestOptions};
use crate::status::{self, StatusOptions};

/// Usage or configuration error.
pub(crate) const USAGE: u8 = 2;

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
        Command::Config { json } => config_command::run(settings, &ConfigOptions { json }),
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

/// One line on stderr. Where even that cannot be written, the exit code tells.
pub(crate) fn usage_error(message: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "evictd: {message}");
    ExitCode::from(USAGE)
}

/// Text on stdout; a reader that stops reading, like `head`, is no failure.
pub(crate) fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(std::io::stderr(), "evictd: stdout: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
