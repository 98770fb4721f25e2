//! What is done to the file of a log. Where its beginning goes, one record takes the place of
//! the first that is cut through, and says what is missing.

use std::os::fd::OwnedFd;

use evictd_gc::{LOG_SLACK, MOST_NOTICE, RecordFormat, notice, record_after, time_of};
use evictd_node::Amount;

use super::bytes::{
    WINDOW, collapse, data_begin, in_words, is_unable, length, make_hole, read_whole, shift, size,
    write_whole,
};
use super::half_done::{Kind, Step, Steps};

/// Blocks of nearly all filesystems divide this: a file is cut at whole blocks alone.
const ALIGN: u64 = 64 << 10;

const _: () = assert!(
    ALIGN + WINDOW as u64 <= LOG_SLACK,
    "what stays beyond is planned for"
);

/// How the sentence of a notice ends.
pub(super) const LOST_END: &str = "are gone: its disk was full";

/// What was cut off.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lost {
    /// How much of the log that was.
    pub(super) bytes: u64,
    /// When it was written, in the words of the log.
    pub(super) from: String,
    pub(super) until: String,
}

/// Where a log is cut.
struct Edge {
    at: u64,
    size: u64,
    /// What stood there.
    before: Vec<u8>,
    /// What stands there instead.
    notice: Vec<u8>,
}

/// Makes a log begin later: so much of it stays. `None` where there is hardly more. Nobody
/// writes it where it `is_still`; else all that do append.
pub(super) fn cut(
    file: &OwnedFd,
    format: RecordFormat,
    keep: u64,
    is_still: bool,
    steps: &Steps,
) -> Result<Option<Lost>, String> {
    let Some((edge, lost)) = find_edge(file, format, keep)? else {
        return Ok(None);
    };
    let behind = edge.at.saturating_add(length(&edge.notice));
    let step = Step::of(file, Kind::Collapse, edge.at, behind)?;
    steps.begin(&step)?;
    // First the notice: then the file is in order as soon as it begins later.
    edge.write(file)?;
    steps.point()?;
    match collapse(file, edge.at) {
        Ok(()) => {
            steps.point()?;
            steps.end(&step);
            return Ok(Some(lost));
        }
        Err(error) => {
            edge.restore(file)?;
            steps.end(&step);
            if !is_unable(error) {
                return Err(in_words("cutting off its beginning", error));
            }
        }
    }
    if !is_still {
        return Err(String::from(
            "its filesystem cannot cut off the beginning of a file that is being written",
        ));
    }
    shift(file, edge.at, &edge.notice, behind, steps)?;
    Ok(Some(lost))
}

/// Makes the beginning of a log a hole; its size stays.
pub(super) fn punch(
    file: &OwnedFd,
    format: RecordFormat,
    keep: u64,
    steps: &Steps,
) -> Result<Option<Lost>, String> {
    let Some((mut edge, lost)) = find_edge(file, format, keep)? else {
        return Ok(None);
    };
    edge.notice = behind_a_hole(edge.notice);
    let behind = edge.at.saturating_add(length(&edge.notice));
    let step = Step::of(file, Kind::Punch, edge.at, behind)?;
    steps.begin(&step)?;
    edge.write(file)?;
    steps.point()?;
    if let Err(error) = make_hole(file, edge.at) {
        edge.restore(file)?;
        steps.end(&step);
        return Err(error);
    }
    steps.point()?;
    steps.end(&step);
    Ok(Some(lost))
}

/// Of a notice: the hole before it ends as a line of its own.
pub(super) fn behind_a_hole(mut notice: Vec<u8>) -> Vec<u8> {
    if let Some(last) = notice.iter().rposition(|byte| *byte == b' ') {
        notice.remove(last);
        notice.insert(0, b'\n');
    }
    notice
}

/// Takes the hole away that [`punch`] has made; nobody writes the log.
pub(super) fn close_hole(file: &OwnedFd, steps: &Steps) -> Result<(), String> {
    let at = data_begin(file);
    let mut head = vec![0; MOST_NOTICE];
    read_whole(file, &mut head, at)?;
    if at == 0 || !at.is_multiple_of(ALIGN) || !is_notice(&head) {
        return Err(String::from("its hole is not evictd's"));
    }
    match collapse(file, at) {
        Ok(()) => Ok(()),
        Err(error) if is_unable(error) => shift(file, at, &[], at, steps),
        Err(error) => Err(in_words("taking its hole away", error)),
    }
}

/// Whether a notice stands behind a hole.
pub(super) fn is_notice(head: &[u8]) -> bool {
    head.starts_with(b"\n{\"log\":\"evictd: ")
}

fn find_edge(
    file: &OwnedFd,
    format: RecordFormat,
    keep: u64,
) -> Result<Option<(Edge, Lost)>, String> {
    let size = size(file)?;
    let window = u64::try_from(WINDOW).unwrap_or(0);
    let at = size.saturating_sub(keep.saturating_add(window)) / ALIGN * ALIGN;
    let begin = data_begin(file);
    if at <= begin {
        return Ok(None);
    }
    let mut bytes = vec![0; WINDOW];
    read_whole(file, &mut bytes, begin)?;
    let no_record = || String::from("its lines are no records of such a log");
    let from = first_time(format, &bytes, begin == 0).ok_or_else(no_record)?;
    read_whole(file, &mut bytes, at)?;
    let record = record_after(format, &bytes, MOST_NOTICE).ok_or_else(no_record)?;
    let until = time_at(format, &bytes, record).ok_or_else(no_record)?;
    let lost = Lost {
        bytes: at.saturating_sub(begin),
        from,
        until,
    };
    let notice = notice(format, &lost.sentence(), &lost.until, record).ok_or_else(no_record)?;
    bytes.truncate(record);
    let edge = Edge {
        at,
        size,
        before: bytes,
        notice,
    };
    Ok(Some((edge, lost)))
}

impl Lost {
    fn sentence(&self) -> String {
        let (bytes, from, until) = (
            Amount::bytes(self.bytes),
            to_the_second(&self.from),
            to_the_second(&self.until),
        );
        format!("evictd: {bytes} of this log, from {from} to {until}, {LOST_END}")
    }

    /// `649Mi from 2026-11-25T22:15:01Z to 2026-11-25T22:17:40Z`: as its own notice says it.
    pub(super) fn in_words(&self) -> String {
        let bytes = Amount::bytes(self.bytes);
        format!(
            "{bytes} from {} to {}",
            to_the_second(&self.from),
            to_the_second(&self.until)
        )
    }
}

/// A time without parts of a second, which tell nobody anything.
fn to_the_second(time: &str) -> String {
    let Some((seconds, rest)) = time.split_once('.') else {
        return time.to_owned();
    };
    let zone = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{seconds}{zone}")
}

impl Edge {
    fn write(&self, file: &OwnedFd) -> Result<(), String> {
        debug_assert!(self.at < self.size, "behind the end");
        write_whole(file, &self.notice, self.at).or_else(|error| {
            self.restore(file)?;
            Err(error)
        })
    }

    fn restore(&self, file: &OwnedFd) -> Result<(), String> {
        write_whole(file, &self.before, self.at)
    }
}

/// The time of the first record; `is_whole` where one begins with these bytes.
fn first_time(format: RecordFormat, bytes: &[u8], is_whole: bool) -> Option<String> {
    let own = is_whole.then(|| time_at(format, bytes, 0)).flatten();
    own.or_else(|| time_at(format, bytes, record_after(format, bytes, 0)?))
}

/// What is lost with the whole file.
pub(super) fn whole(file: &OwnedFd, format: RecordFormat) -> Option<Lost> {
    let size = size(file).ok()?;
    let mut bytes = vec![0; WINDOW.min(usize::try_from(size).ok()?)];
    read_whole(file, &mut bytes, 0).ok()?;
    let from = first_time(format, &bytes, true)?;
    let end = size.saturating_sub(length(&bytes));
    read_whole(file, &mut bytes, end).ok()?;
    let mut lines = bytes.rsplit(|byte| *byte == b'\n');
    let until = lines.find_map(|line| time_of(format, line))?;
    Some(Lost {
        bytes: size,
        until: String::from(until),
        from,
    })
}

fn time_at(format: RecordFormat, bytes: &[u8], at: usize) -> Option<String> {
    let rest = bytes.get(at..)?;
    let line = rest.split(|byte| *byte == b'\n').next()?;
    time_of(format, line).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 377.
    #[test]
    fn what_is_lost_of_a_log_is_told_alike_in_both_places() {
        let lost = Lost {
            bytes: 649 << 20,
            from: "2026-11-25T22:15:01.123456789Z".into(),
            until: "2026-11-25T23:17:40.5+01:00".into(),
        };
        let words = "from 2026-11-25T22:15:01Z to 2026-11-25T23:17:40+01:00";
        assert_eq!(lost.in_words(), format!("649Mi {words}"));
        let notice = lost.sentence();
        let words = format!("evictd: 649Mi of this log, {words}, are gone");
        assert!(notice.starts_with(&words), "{notice}");
    }
}
