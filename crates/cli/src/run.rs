//! Picks the command.

use std::ffi::OsString;
use std::process::ExitCode;

use evictd_config::Typed;
use evictd_machine::config_file::{self, Settings};

use crate::args::{self, Command, Request, parse};
use crate::output::{fail, print, usage_error};

/// Runs the command that a command line names; `argv` is without the program's name. Where it
/// names none, returns the settings that the daemon is to run with.
///
/// # Errors
/// The program is to end with this exit code: 0 when all went well, 1 when the command ran
/// and failed, 2 when the command line or the configuration is wrong.
pub fn run(argv: &[OsString]) -> Result<Box<Settings>, ExitCode> {
    // What a selftest starts.
    if let Some((first, rest)) = argv.split_first()
        && first == evictd_selftest::WORKLOAD_ARGUMENT
    {
        return Err(evictd_selftest::run_workload(rest));
    }
    match parse(argv) {
        Ok(Request::Print(text)) => Err(print(&text)),
        Ok(Request::Run(command, typed)) => resolve_and_run(command.as_ref(), *typed),
        Err(error) => Err(usage_error(&error)),
    }
}

fn resolve_and_run(command: Option<&Command>, typed: Typed) -> Result<Box<Settings>, ExitCode> {
    let settings = match command {
        Some(Command::Replay(replay)) => replay.settings(typed),
        _ => config_file::settings(typed),
    };
    match (settings, command) {
        (Err(error), _) => Err(usage_error(&error)),
        (Ok(settings), None) => Ok(Box::new(settings)),
        (Ok(settings), Some(command)) => {
            let (name, ended) = run_command(command, &settings);
            Err(ended.unwrap_or_else(|error| fail(name, error)))
        }
    }
}

/// Its name, and what came of it; an error is one line, for exit code 1.
fn run_command(command: &Command, settings: &Settings) -> (&'static str, Result<ExitCode, String>) {
    let (command_line, settings) = (&settings.command_line, &settings.resolved);
    match command {
        Command::Status(status) => ("status", status.run(settings)),
        Command::Admit(admit) => ("admit", admit.run(settings)),
        Command::History(history) => ("history", history.run(settings)),
        Command::Look(look) => ("look", look.run(command_line, settings)),
        Command::Explain(explain) => ("explain", explain.run(command_line, settings)),
        Command::Record(record) => ("record", record.run(settings)),
        Command::Replay(replay) => ("replay", replay.run(settings)),
        Command::Config(config) => ("config", config.run(settings)),
        Command::OomScore(oom_score) => ("oom-score", oom_score.run(settings)),
        Command::Gc(gc) => ("gc", gc.run(settings)),
        Command::Selftest(selftest) => ("selftest", selftest.run()),
        Command::Reload(reload) => ("reload", reload.run(settings)),
        Command::Check(check) => ("check", check.run(settings)),
        Command::Metrics(metrics) => ("metrics", metrics.run(settings)),
        Command::Man(_) => ("man", Ok(print(&args::man::page()))),
        Command::Completions(of) => {
            let script = args::completions::script(of.shell);
            ("completions", Ok(print(&script)))
        }
    }
}
