//! Commands that are a program of their own: all of evictd is locked in memory, and what a
//! node does not need to live by is not to take any of it.

use std::io::{self, ErrorKind};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const PROGRAM: &str = "evictd-tools";

/// The program: the one beside this one, or else the first one in `PATH`.
pub(crate) fn path() -> PathBuf {
    let own = std::env::current_exe().ok();
    let beside = own.map(|own| own.with_file_name(PROGRAM));
    let program = beside.filter(|path| path.is_file());
    program.unwrap_or_else(|| PathBuf::from(PROGRAM))
}

/// Why it cannot be started.
pub(crate) fn problem(error: &io::Error) -> String {
    if error.kind() == ErrorKind::NotFound {
        return format!("the program {PROGRAM} is missing: copy it beside evictd");
    }
    format!("{}: {error}", path().display())
}

/// Becomes the program that does it, with the same command line.
pub(crate) fn become_it() -> Result<ExitCode, String> {
    let arguments = std::env::args_os().skip(1);
    Err(problem(&Command::new(path()).args(arguments).exec()))
}
