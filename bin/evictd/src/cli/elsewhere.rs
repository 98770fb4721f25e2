//! Commands that are a program of their own: all of evictd is locked in memory, and what a
//! node does not need to live by is not to take any of it.

use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const PROGRAM: &str = "evictd-tools";

/// Becomes the program that does it, with the same command line: the one beside this one, or
/// else the first one in `PATH`.
pub(super) fn elsewhere() -> Result<ExitCode, String> {
    let own = std::env::current_exe().ok();
    let beside = own.map(|own| own.with_file_name(PROGRAM));
    let program = beside.filter(|path| path.is_file());
    let program = program.unwrap_or_else(|| PathBuf::from(PROGRAM));
    let error = Command::new(&program)
        .args(std::env::args_os().skip(1))
        .exec();
    if error.kind() == ErrorKind::NotFound {
        return Err(format!(
            "the program {PROGRAM} is missing: copy it beside evictd, or run it on another machine"
        ));
    }
    Err(format!("{}: {error}", program.display()))
}
