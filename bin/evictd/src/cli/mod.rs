//! The command line: one file a command, and [`run`] that picks it.

mod admit;
pub mod args;
mod check;
mod columns;
mod completions;
mod config;
mod explain;
mod gc;
mod history;
mod look;
mod man;
mod metrics;
mod moments;
mod next;
mod oom_score;
mod output;
mod record;
mod reload;
mod replay;
mod sampled;
mod screen;
mod selftest;
mod status;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::process::ExitCode;

use evictd_config::Typed;

use crate::{config_file, daemon, serve};

use args::{Command, Request, parse};
use output::{fail, print, usage_error};

/// Runs the command, or the daemon; `argv` is without the program's name.
///
/// Returns 0 when all went well, 1 when it ran and failed, 2 when the command
/// line or the configuration is wrong.
#[must_use]
pub fn run(argv: Vec<OsString>) -> ExitCode {
    // What evictd starts itself as.
    if let Some((first, rest)) = argv.split_first() {
        if first == selftest::WORKLOAD_ARGUMENT {
            return selftest::run_workload(rest);
        }
        if first == evictd_hook::ARGUMENT {
            return evictd_hook::run(rest);
        }
        if first == serve::ARGUMENT {
            return serve_metrics(rest);
        }
    }
    match parse(&argv) {
        Ok(Request::Print(text)) => print(&text),
        Ok(Request::Run(command, typed)) => resolve_and_run(command.as_ref(), *typed),
        Err(error) => usage_error(&error),
    }
}

/// What the daemon starts for `--metrics-listen`, with its own flags.
fn serve_metrics(argv: &[OsString]) -> ExitCode {
    let (until_stdin_ends, flags) = match argv.split_first() {
        Some((first, flags)) if first == serve::UNTIL_STDIN_ENDS => (true, flags),
        _ => (false, argv),
    };
    let settings = match parse(flags) {
        Ok(Request::Run(None, typed)) => config_file::settings(*typed),
        Ok(_) => Err("flags of the daemon belong here, and no command".to_owned()),
        Err(error) => Err(error),
    };
    match settings {
        Ok(settings) => {
            let ended = serve::run(&settings.resolved, until_stdin_ends);
            ended.unwrap_or_else(|error| fail(serve::ARGUMENT, error))
        }
        Err(error) => usage_error(&error),
    }
}

fn resolve_and_run(command: Option<&Command>, typed: Typed) -> ExitCode {
    let settings = match command {
        Some(Command::Replay(replay)) => replay.settings(typed),
        _ => config_file::settings(typed),
    };
    match (settings, command) {
        (Err(error), _) => usage_error(&error),
        (Ok(settings), None) => daemon::run(settings),
        (Ok(settings), Some(command)) => {
            let (name, ended) = run_command(command, &settings);
            ended.unwrap_or_else(|error| fail(name, error))
        }
    }
}

/// Its name, and what came of it; an error is one line, for exit code 1.
fn run_command(
    command: &Command,
    settings: &config_file::Settings,
) -> (&'static str, Result<ExitCode, String>) {
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
