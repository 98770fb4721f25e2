//! What commands print, and the exit codes.

use std::io::Write;
use std::process::ExitCode;

/// Usage or configuration error.
pub(crate) const USAGE: u8 = 2;

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
