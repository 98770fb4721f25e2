//! The operator's programs: nobody else may have put another one in their place.

use std::path::Path;
use std::process::Stdio;

use evictd_sys::changeable_by_others;

use crate::hook::Hook;

/// Starts the process that runs it, where a flag names a program.
///
/// # Errors
/// As [`Hook::start`], and where others may change the program or what leads to it.
pub(super) fn start(
    flag: &str,
    program: Option<&Path>,
    ended: Stdio,
) -> Result<Option<Hook>, String> {
    let changeable = program.map_or(Ok(None), changeable_by_others);
    // What is wrong with a program that is not there is said when it is started.
    if let (Some(program), Ok(Some(part))) = (program, changeable) {
        let (program, part) = (program.display(), part.display());
        return Err(format!(
            "--{flag}={program}: another user can change {part}, and so have any program run in \
             its place: 'chown root' and 'chmod o-w' it"
        ));
    }
    Hook::start(flag, program, ended)
}
