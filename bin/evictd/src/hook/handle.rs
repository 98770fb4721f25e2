//! The daemon's side: the process that runs the program, and the pipe to it.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::fs::{OFlags, fcntl_setfl};

use super::outlet::Outlet;
use super::runner::ARGUMENT;

/// The process that runs the program, and the pipe to it.
#[derive(Debug)]
pub(crate) struct Hook {
    records: Outlet<ChildStdin>,
    /// A line comes for each record once its program has ended, where that is asked for.
    ended: Option<ChildStdout>,
    // Not waited for: it ends once the pipe is closed and its last program has ended.
    _runner: Child,
}

impl Hook {
    /// Starts it, where a flag names a program. To be called before a sandbox is entered. It
    /// writes to `ended` a line for each record once its program has ended.
    ///
    /// # Errors
    /// When that is no program, or it cannot be started.
    pub(crate) fn start(
        flag: &str,
        program: Option<&Path>,
        ended: Stdio,
    ) -> Result<Option<Self>, String> {
        let Some(program) = program else {
            return Ok(None);
        };
        let shown = program.display();
        let fail = |what: &dyn core::fmt::Display| format!("--{flag}={shown}: {what}");
        let found = fs::metadata(program).map_err(|error| fail(&error))?;
        if !found.is_file() || found.permissions().mode() & 0o111 == 0 {
            return Err(fail(&"no program: a file with mode 0755 is needed"));
        }
        let mut runner = Command::new("/proc/self/exe")
            .arg(ARGUMENT)
            .arg(flag)
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(ended)
            .spawn()
            .map_err(|error| fail(&error))?;
        let pipe = runner.stdin.take().ok_or_else(|| fail(&"no pipe"))?;
        fcntl_setfl(&pipe, OFlags::NONBLOCK).map_err(|error| fail(&error))?;
        let ended = runner.stdout.take();
        if let Some(ended) = &ended {
            fcntl_setfl(ended, OFlags::NONBLOCK).map_err(|error| fail(&error))?;
        }
        Ok(Some(Self {
            records: Outlet::of(pipe),
            ended,
            _runner: runner,
        }))
    }

    /// Tells it of these records, each with its newline. `false` when it is no longer there.
    pub(crate) fn tell(&mut self, records: &str) -> bool {
        let goes_on = records
            .split_inclusive('\n')
            .all(|record| self.records.tell(record));
        self.tell_lost();
        goes_on
    }

    /// Whether a program has ended since this was last asked, or none ever will.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.records.write_rest();
        let ended = self.ended.as_mut().map(|ended| ended.read(&mut [0; 64]));
        !matches!(ended, Some(Err(error)) if error.kind() == ErrorKind::WouldBlock)
    }

    /// Once there is room again.
    fn tell_lost(&mut self) {
        let lost = self.records.take_lost();
        if lost > 0 {
            log::warn!(event = "problem", about = "hook"; "--on-event is too slow: it was not told of {lost} events");
        }
    }
}
