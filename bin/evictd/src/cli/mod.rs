//! The command line: one file a command, and [`run`] that picks it.

mod admit;
pub mod args;
mod check;
mod columns;
mod completions;
mod config;
mod events;
mod explain;
mod gc;
mod health;
mod history;
mod man;
mod metrics;
mod moments;
mod oom_score;
mod output;
mod rank;
mod record;
mod reload;
mod replay;
mod run;
mod screen;
mod selftest;
mod serve;
mod snapshot;
mod status;
mod summary;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::process::ExitCode;

use evictd_config::Typed;

use crate::{config_file, daemon, hook};

use args::{Command, Request, parse};
use output::{fail, print, usage_error};
use run::Run;

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
        if first == hook::ARGUMENT {
            return hook::run(rest);
        }
    }
    match parse(&argv) {
        Ok(Request::Print(text)) => print(&text),
        Ok(Request::Run(command, typed)) => resolve_and_run(command.as_ref(), *typed),
        Err(error) => usage_error(&error),
    }
}

/// Runs one of the commands that are evictd-tools'.
#[must_use]
pub fn run_tools(argv: &[OsString]) -> ExitCode {
    match parse(argv) {
        Ok(Request::Print(text)) => print(&text),
        Ok(Request::Run(Some(Command::Explain(explain)), typed)) => explain.begin(*typed),
        Ok(Request::Run(Some(Command::Record(record)), typed)) => record.begin(*typed),
        Ok(Request::Run(Some(Command::Replay(replay)), typed)) => replay.begin(*typed),
        Ok(Request::Run(Some(Command::Serve(serve)), typed)) => serve.begin(*typed),
        Ok(Request::Run(Some(Command::Summary(summary)), typed)) => summary.begin(*typed),
        Ok(Request::Run(..)) => usage_error(
            "evictd does that; evictd-tools does explain, record, replay, serve and summary",
        ),
        Err(error) => usage_error(&error),
    }
}

fn resolve_and_run(command: Option<&Command>, typed: Typed) -> ExitCode {
    let settings = match config_file::settings(typed) {
        Ok(settings) => settings,
        Err(error) => return usage_error(&error),
    };
    let Some(command) = command else {
        return daemon::run(settings);
    };
    let (name, command): (&str, &dyn Run) = match command {
        Command::Status(status) => ("status", status),
        Command::Rank(rank) => ("rank", rank),
        Command::Admit(admit) => ("admit", admit),
        Command::History(history) => ("history", history),
        Command::Events(events) => ("events", events),
        Command::Explain(explain) => ("explain", explain),
        Command::Record(record) => ("record", record),
        Command::Replay(replay) => ("replay", replay),
        Command::Config(config) => ("config", config),
        Command::OomScore(oom_score) => ("oom-score", oom_score),
        Command::Gc(gc) => ("gc", gc),
        Command::Selftest(selftest) => ("selftest", selftest),
        Command::Reload(reload) => ("reload", reload),
        Command::Health(health) => ("health", health),
        Command::Metrics(metrics) => ("metrics", metrics),
        Command::Check(check) => ("check", check),
        Command::Serve(serve) => ("serve", serve),
        Command::Summary(summary) => ("summary", summary),
        Command::Man(_) => return print(&args::man::page()),
        Command::Completions(of) => return print(&args::completions::script(of.shell)),
    };
    let ended = command.run(&settings.resolved);
    ended.unwrap_or_else(|error| fail(name, error))
}
