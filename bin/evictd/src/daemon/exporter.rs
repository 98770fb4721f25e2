//! The process that serves `--metrics-listen`.
//!
//! It has this daemon's own flags, and is not bound by the daemon's sandbox, not
//! locked in memory, and at the usual priority. The daemon can reach no network.

use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use evictd_config::Output;
use evictd_sys::{Token, Watch};

use crate::serve::{ARGUMENT, UNTIL_STDIN_ENDS};

/// It has ended.
pub(crate) const ENDED: Token = Token(u32::MAX - 2);

/// It runs for as long as this is there: it reads from a pipe until that is closed.
pub(crate) struct Exporter {
    pipe: ChildStdin,
    // Not waited for: a process that has ended stays one process id until the daemon ends.
    _child: Child,
}

impl Exporter {
    /// Starts it, where a flag asks for it. To be called before the sandbox is entered.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start(output: &Output) -> Result<Option<Self>, String> {
        if output.metrics_listen.is_none() {
            return Ok(None);
        }
        let fail = |what: &str| format!("--metrics-listen: {what}");
        let mut child = Command::new("/proc/self/exe")
            .arg0("evictd")
            .args([ARGUMENT, UNTIL_STDIN_ENDS])
            .args(std::env::args_os().skip(1))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| fail(&error.to_string()))?;
        let pipe = child.stdin.take().ok_or_else(|| fail("no pipe"))?;
        Ok(Some(Self {
            pipe,
            _child: child,
        }))
    }

    /// Has `watch` report [`ENDED`]: a pipe that nobody reads is an error, which it need not
    /// ask for.
    pub(crate) fn follow(&self, watch: &mut Watch) {
        let _ = watch.add(&self.pipe, ENDED);
    }
}

/// It has told why.
pub(crate) fn tell_ended() {
    log::warn!(event = "problem", about = "metrics"; "the process that serves --metrics-listen has ended; evictd metrics still shows them");
}
