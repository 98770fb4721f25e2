//! The command line: the kubelet's way of writing flags, argh behind it.
//!
//! argh parses the command, its own flags and their values, and prints their help: each
//! command derives it from its struct. Before it, `evictd_config::command_line` brings the kubelet's
//! forms (`--flag=value`, `--flag_name`, `-v4`, `--bool=false`, a flag given twice) into
//! the one form that argh takes.
//!
//! The daemon's flags, which every command takes too and which may stand before or
//! behind it, go straight into [`Typed`]. Their names, defaults, units, examples and the
//! fields of configuration files that say the same are one table of that crate; fields of a
//! derived struct would repeat fifty names of it, and argh knows neither groups nor
//! flags that commands share. Their values are checked where a file's are, so that
//! both get the same errors.

mod command;
pub(crate) mod completions;
mod error;
mod help;
mod line;
pub(crate) mod man;
mod removed;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use argh::FromArgs;
use evictd_config::Typed;
use evictd_config::help::{flags, version};

pub use command::Command;

use command::Evictd;
use line::Line;

/// What a command line means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// To print this text: help, or the version.
    Print(String),
    /// To run a command, or without one the daemon, with these flags.
    Run(Option<Command>, Box<Typed>),
}

/// Parses a command line, without the program's name.
///
/// # Errors
/// Whatever is wrong with its form, or with a command's own flags. The values of
/// the daemon's flags are not looked at. The error is one line.
pub fn parse(argv: &[OsString]) -> Result<Request, String> {
    let line = Line::of(argv)?;
    let words = line.for_argh();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match Evictd::from_args(&["evictd"], &words) {
        Ok(Evictd { version: true, .. }) => Ok(Request::Print(version())),
        Ok(evictd) => Ok(Request::Run(evictd.command, Box::new(line.line.typed))),
        Err(exit) if exit.status.is_err() => Err(line.explain(&exit.output)),
        Err(_) if line.is_alone() && line.line.is_brief() => Ok(Request::Print(help::brief())),
        Err(exit) if line.is_alone() => Ok(Request::Print(exit.output + &flags())),
        Err(exit) => Ok(Request::Print(help::of_command(exit.output))),
    }
}
