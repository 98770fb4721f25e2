use evictd_kerntext::parse_pid_stat;
use evictd_stats::is_gone;
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::io::Errno;

use super::{Member, ScoreOutcome};
use crate::dir::{open_dir, read_file, write_file};
use crate::process::Proc;

/// What became of a process.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) comm: Vec<u8>,
    pub(super) present: i16,
    pub(super) outcome: ScoreOutcome,
}

/// Opens `/proc/PID` of each that is still there.
pub(super) fn open<'a>(
    proc: &Proc,
    members: impl Iterator<Item = &'a Member>,
) -> Result<Vec<(&'a Member, OwnedFd)>, Errno> {
    let mut opened = Vec::new();
    for member in members {
        match open_dir(proc.fd(), member.key().to_string().as_str()) {
            Ok(dir) => opened.push((member, dir)),
            Err(errno) if is_gone(errno) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(opened)
}

/// Compares and, if `set`, sets; `None` for who has ended, and for threads of the
/// kernel, which the OOM killer never takes.
pub(super) fn answer(
    process: BorrowedFd<'_>,
    wanted: i16,
    set: bool,
    text: &mut Vec<u8>,
) -> Result<Option<Answer>, Errno> {
    match try_answer(process, wanted, set, text) {
        Err(errno) if is_gone(errno) => Ok(None),
        answer => answer,
    }
}

fn try_answer(
    process: BorrowedFd<'_>,
    wanted: i16,
    set: bool,
    text: &mut Vec<u8>,
) -> Result<Option<Answer>, Errno> {
    read_file(process, c"stat", text)?;
    let stat = parse_pid_stat(text).map_err(|_| Errno::BADMSG)?;
    if stat.is_dead() || stat.is_kernel_thread() {
        return Ok(None);
    }
    let comm = stat.comm.to_vec();
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
    Ok(Some(Answer {
        comm,
        present,
        outcome,
    }))
}

fn parse_score(text: &[u8]) -> Option<i16> {
    core::str::from_utf8(text).ok()?.trim_end().parse().ok()
}
