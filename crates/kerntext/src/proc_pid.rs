use crate::scan::{Fields, Piece};
use crate::{ParseError, ParseErrorKind};

/// What eviction reads of `/proc/PID/stat` (proc(5)). A number that makes no sense is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PidStat<'a> {
    /// The process id.
    pub pid: Option<i32>,
    /// The command's name, at most 15 bytes of anything, parentheses, blanks
    /// and newlines too.
    pub comm: &'a [u8],
    /// The state's letter: `R`, `S`, `D`, `Z`, …
    pub state: Option<u8>,
    /// The parent's id; 0 where it lies outside the pid namespace.
    pub ppid: Option<i32>,
    /// The kernel's flags of the task, `PF_*`.
    pub flags: Option<u64>,
    /// When the process started, in clock ticks since boot: with the pid it
    /// names a process for ever.
    pub start_time_ticks: Option<u64>,
    /// Its resident set, in pages.
    pub rss_pages: Option<u64>,
}

impl PidStat<'_> {
    /// Whether it is known to have ended: a zombie that waits for its parent, or dead.
    #[must_use]
    pub const fn is_dead(&self) -> bool {
        matches!(self.state, Some(b'Z' | b'X' | b'x'))
    }

    /// Whether it is known to be a thread of the kernel's own (`PF_KTHREAD`).
    #[must_use]
    pub const fn is_kernel_thread(&self) -> bool {
        matches!(self.flags, Some(flags) if flags & 0x0020_0000 != 0)
    }
}

/// `/proc/PID/stat`.
///
/// The name stands in parentheses and may hold some itself, so it ends at the
/// last closing one. A field that makes no sense costs itself.
///
/// # Errors
/// When the name has no parentheses around it.
pub fn parse_pid_stat(text: &[u8]) -> Result<PidStat<'_>, ParseError> {
    let whole = Piece::whole(text);
    let missing = whole.error(ParseErrorKind::Missing);
    let (pid, name) = whole.split(|byte| byte == b'(').ok_or(missing)?;
    let close = name
        .text
        .iter()
        .rposition(|byte| *byte == b')')
        .ok_or(name.error(ParseErrorKind::Missing))?;
    let (comm, tail) = name.text.split_at_checked(close).ok_or(missing)?;
    let mut fields = Fields::new(Piece {
        text: tail.get(1..).unwrap_or_default(),
        at: name.at.saturating_add(close).saturating_add(1),
    });
    let number = |field: Option<Piece<'_>>| field?.number().ok();
    Ok(PidStat {
        pid: pid.trim_end().pid().ok(),
        comm,
        state: fields.next().and_then(letter),
        ppid: fields.next().and_then(|field| field.pid().ok()),
        // Behind field 4; this is 9.
        flags: number(fields.nth(4)),
        // 22, and 24.
        start_time_ticks: number(fields.nth(12)),
        rss_pages: number(fields.nth(1)),
    })
}

fn letter(field: Piece<'_>) -> Option<u8> {
    match *field.text {
        [letter] if letter.is_ascii_alphabetic() => Some(letter),
        _ => None,
    }
}

/// What eviction reads of `/proc/loadavg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadAvg {
    /// Tasks (threads) that run or could run now; `None` where that is no number.
    pub running_tasks: Option<u64>,
    /// All tasks (threads) there are.
    pub total_tasks: u64,
}

/// `/proc/loadavg`: the two counts of its fourth field.
///
/// # Errors
/// When that field is missing or has no number behind a slash.
pub fn parse_loadavg(text: &[u8]) -> Result<LoadAvg, ParseError> {
    let mut fields = Fields::new(Piece::whole(text));
    for _average in 0..3 {
        fields.need()?;
    }
    let tasks = fields.need()?;
    let (running, total) = tasks
        .split(|byte| byte == b'/')
        .ok_or(tasks.error(ParseErrorKind::Form))?;
    Ok(LoadAvg {
        running_tasks: running.number().ok(),
        total_tasks: total.number()?,
    })
}
