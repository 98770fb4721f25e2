use core::fmt;

use rustix::io::Errno;
use rustix::process::Pid;

/// Why a kill got stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The time after SIGKILL is over and there are still processes.
    Deadline,
    /// The pod holds ourselves, one of our ancestors or process 1: nothing (more)
    /// was sent.
    Protected(Pid),
    /// Every process that remains may not be signalled (`EPERM`); trying again
    /// would not help.
    Denied,
    /// A syscall failed in a way that waiting does not mend.
    Kernel(Errno),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline => f.write_str("still alive after SIGKILL"),
            Self::Protected(pid) => write!(
                f,
                "holds process {}, which is this program, an ancestor of it, or process 1",
                pid.as_raw_nonzero()
            ),
            Self::Denied => f.write_str("not permitted to signal its processes"),
            Self::Kernel(errno) => write!(f, "{errno}"),
        }
    }
}
