use crate::scan::{Fields, Piece};
use crate::{ParseError, ParseErrorKind};

/// What eviction reads of `/proc/PID/stat` (proc(5)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PidStat<'a> {
    /// The process id.
    pub pid: i32,
    /// The command's name, at most 15 bytes of anything, parentheses, blanks
    /// and newlines too.
    pub comm: &'a [u8],
    /// The state's letter: `R`, `S`, `D`, `Z`, …
    pub state: u8,
    /// The parent's id; 0 where it lies outside the pid namespace.
    pub ppid: i32,
    /// The kernel's flags of the task, `PF_*`.
    pub flags: u64,
    /// When the process started, in clock ticks since boot: with the pid it
    /// names a process for ever.
    pub start_time_ticks: u64,
    /// Its resident set, in pages.
    pub rss_pages: u64,
}

impl PidStat<'_> {
    /// Whether it has ended: a zombie that waits for its parent, or dead.
    #[must_use]
    pub const fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Whether it is a thread of the kernel's own (`PF_KTHREAD`).
    #[must_use]
    pub const fn is_kernel_thread(&self) -> bool {
        self.flags & 0x0020_0000 != 0
    }
}

/// `/proc/PID/stat`.
///
/// The name stands in parentheses and may hold some itself, so it ends at the
/// last closing one.
///
/// # Errors
/// When the name has no parentheses around it, or a field up to `rss` is
/// missing or not what the kernel writes there.
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
    let state = fields.need()?;
    let [letter] = *state.text else {
        return Err(state.error(ParseErrorKind::Form));
    };
    let ppid = fields.need()?.pid()?;
    // Fields 5 to 8, then 9 (flags).
    let flags = fields.nth(4);
    let flags = flags.ok_or(ParseError::new(ParseErrorKind::Missing, text.len()))?;
    // Fields 10 to 21, then 22 (starttime), 23 (vsize), 24 (rss).
    let start_time = fields.nth(12);
    let start_time = start_time.ok_or(ParseError::new(ParseErrorKind::Missing, text.len()))?;
    let _vsize = fields.need()?;
    Ok(PidStat {
        pid: pid.trim_end().pid()?,
        comm,
        state: letter,
        ppid,
        flags: flags.number()?,
        start_time_ticks: start_time.number()?,
        rss_pages: fields.need()?.number()?,
    })
}

/// What eviction reads of `/proc/loadavg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadAvg {
    /// Tasks (threads) that run or could run now.
    pub running_tasks: u64,
    /// All tasks (threads) there are.
    pub total_tasks: u64,
}

/// `/proc/loadavg`: the two counts of its fourth field.
///
/// # Errors
/// When that field is missing or not two numbers with a slash between.
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
        running_tasks: running.number()?,
        total_tasks: total.number()?,
    })
}
