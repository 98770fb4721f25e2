//! The command line: the kubelet's way of writing flags, argh behind it.

mod command;
mod error;
mod help;
mod split;
mod structs;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use evictd_config::Typed;

pub use crate::cli::admit::Whom;
pub use command::Command;
pub use error::ArgsError;

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// To print this text: help, or the version.
    Print(String),
    /// To run a command with these flags.
    Run(Command, Box<Typed>),
}

/// Reads a command line, without the program's name.
///
/// # Errors
/// Whatever is wrong with its form, or with a command's own flags. The texts of
/// the daemon's flags are not looked at.
pub fn parse(argv: &[OsString]) -> Result<Request, ArgsError> {
    let line = split::split(argv)?;
    if line.help {
        return Ok(Request::Print(help::help(line.command)));
    }
    if line.version {
        return Ok(Request::Print(help::version()));
    }
    let (command, typed) = structs::parse(&line)?;
    Ok(Request::Run(command, Box::new(typed)))
}
