//! What commands print, and the exit codes.

use core::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use evictd_config::ConfigError;
use evictd_plain::{Plain, write_json};
use serde::{Serialize, Serializer};

/// Usage or configuration error.
pub(crate) const USAGE: u8 = 2;

/// In place of a list of pods.
pub(crate) const NO_PODS: &str =
    "no pods here: name their cgroup by --pod-cgroup-root, or run them below kubepods\n";

/// One line on stderr: the command line or a setting is wrong.
pub(crate) fn usage_error(message: &str) -> ExitCode {
    // Where even that cannot be written, the exit code tells.
    let _ = writeln!(std::io::stderr(), "evictd: {}", Plain(message));
    ExitCode::from(USAGE)
}

/// One line on stderr about something that went wrong in a command.
pub(crate) fn complain(command: &str, problem: impl Display) {
    let _ = writeln!(std::io::stderr(), "evictd {command}: {}", Plain(problem));
}

/// One line on stderr about why the command fails.
pub(crate) fn fail(command: &str, problem: impl Display) -> ExitCode {
    complain(command, problem);
    ExitCode::FAILURE
}

/// Text on stdout; a reader that stops reading, like `head`, is no failure.
pub(crate) fn print(text: &str) -> ExitCode {
    print_bytes(text.as_bytes())
}

fn print_bytes(text: &[u8]) -> ExitCode {
    print_more(text).unwrap_or(ExitCode::SUCCESS)
}

/// Bytes on stdout, of a command that goes on: how it ends where nobody reads any more.
pub(crate) fn print_more(text: &[u8]) -> Option<ExitCode> {
    let error = std::io::stdout().write_all(text).err()?;
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        return Some(ExitCode::SUCCESS);
    }
    let _ = writeln!(std::io::stderr(), "evictd: stdout: {error}");
    Some(ExitCode::FAILURE)
}

/// A document on stdout, as one line of JSON.
pub(crate) fn print_json(document: &impl Serialize) -> ExitCode {
    let mut text = Vec::new();
    match write_json(&mut text, document) {
        Ok(()) => {
            text.push(b'\n');
            print_bytes(&text)
        }
        Err(error) => usage_error(&error.to_string()),
    }
}

/// What a command shows: as JSON for programs, or as text for people.
pub(crate) fn print_as(
    json: bool,
    document: &impl Serialize,
    in_text: impl FnOnce() -> String,
) -> ExitCode {
    if json {
        print_json(document)
    } else {
        print(&in_text())
    }
}

/// Serializes what is displayed, as a string.
pub(crate) fn shown<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// What is wrong with a flag's value and what would be right; argh names the flag and
/// the value.
pub(crate) fn wrong_value(error: &ConfigError) -> String {
    format!("{}; {}", error.message, error.hint)
}
