use evictd_kerntext::parse_pid_stat;
use evictd_stats::is_gone;
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::io::Errno;

use super::report::{ScoreOutcome, ScoredProcess};
use crate::dir::{open_dir, read_file, write_file};
use crate::process::Proc;

/// Opens `/proc/PID`; `None` where it has ended.
pub(super) fn open(proc: &Proc, pid: i32) -> Result<Option<OwnedFd>, Errno> {
    match open_dir(proc.fd(), pid.to_string().as_str()) {
        Err(errno) if is_gone(errno) => Ok(None),
        opened => opened.map(Some),
    }
}

/// Compares the score of a process and, if `set`, sets it; fails with `ESRCH` for one that
/// has ended, and for threads of the kernel, which the OOM killer never takes. The name of
/// its command is put into `comm`.
pub(super) fn adjust<'a>(
    process: BorrowedFd<'_>,
    (pid, wanted): (i32, i16),
    set: bool,
    (text, comm): (&mut Vec<u8>, &'a mut Vec<u8>),
) -> Result<ScoredProcess<'a>, Errno> {
    read_file(process, c"stat", text)?;
    let stat = parse_pid_stat(text).map_err(|_| Errno::BADMSG)?;
    if stat.is_dead() || stat.is_kernel_thread() {
        return Err(Errno::SRCH);
    }
    stat.comm.clone_into(comm);
    read_file(process, c"oom_score_adj", text)?;
    let present = parse_score(text).ok_or(Errno::BADMSG)?;
    let outcome = if present == wanted {
        ScoreOutcome::AsWanted
    } else if set {
        match write_file(process, c"oom_score_adj", wanted.to_string().as_bytes()) {
            Ok(()) => ScoreOutcome::Set,
            Err(errno) if is_gone(errno) => return Err(errno),
            Err(errno) => ScoreOutcome::Refused(errno),
        }
    } else {
        ScoreOutcome::Differs
    };
    Ok(ScoredProcess {
        pid,
        comm,
        child: None,
        present,
        wanted,
        outcome,
    })
}

fn parse_score(text: &[u8]) -> Option<i16> {
    core::str::from_utf8(text).ok()?.trim_end().parse().ok()
}
