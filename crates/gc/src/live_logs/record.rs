use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// How the records of a log are written, a line each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordFormat {
    /// Docker's `json-file`: `{"log":"text\n","stream":"stdout","time":"TIME"}`.
    Json,
    /// The kubelet's and Podman's `k8s-file`: `TIME stdout F text`.
    Cri,
}

/// The longest notice that [`notice`] makes of a sentence of at most 300 bytes, in bytes.
pub const MOST_NOTICE: usize = 512;

/// The longest time that is read, in bytes: nine decimals and a zone make 35.
const MOST_TIME: usize = 40;

/// The time of a record, in its own words; `None` where the line, without its end, is no
/// whole record of this format.
#[must_use]
pub fn time_of(format: RecordFormat, line: &[u8]) -> Option<&str> {
    let time = match format {
        RecordFormat::Json => json_time(line),
        RecordFormat::Cri => cri_time(line),
    };
    let time = core::str::from_utf8(time?).ok()?;
    is_time(time).then_some(time)
}

/// Where the first whole record begins behind a line's end, `at_least` so many bytes after
/// the beginning of `bytes`. What is cut off at their end is none.
#[must_use]
pub fn record_after(format: RecordFormat, bytes: &[u8], at_least: usize) -> Option<usize> {
    let before = at_least.saturating_sub(1);
    let mut begin = before.checked_add(line_length(bytes.get(before..)?)?)?;
    loop {
        let rest = bytes.get(begin..)?;
        let length = line_length(rest)?;
        let line = rest.get(..length.checked_sub(1)?)?;
        if time_of(format, line).is_some() {
            return Some(begin);
        }
        begin = begin.checked_add(length)?;
    }
}

/// A record of exactly this length, in bytes, that says a sentence; `None` where it is too
/// long for that, or its time is none. It is filled up with blanks, which no reader shows.
#[must_use]
pub fn notice(format: RecordFormat, sentence: &str, time: &str, length: usize) -> Option<Vec<u8>> {
    let is_plain = |letter: char| matches!(letter, ' '..='~') && !matches!(letter, '"' | '\\');
    if !is_time(time) || !sentence.chars().all(is_plain) {
        return None;
    }
    let record: String = match format {
        RecordFormat::Json => {
            format!("{{\"log\":\"{sentence}\\n\",\"stream\":\"stderr\",\"time\":\"{time}\"}}")
        }
        RecordFormat::Cri => format!("{time} stderr F {sentence}"),
    };
    let mut record = record.into_bytes();
    let body = length.checked_sub(1).filter(|body| *body >= record.len())?;
    record.resize(body, b' ');
    record.push(b'\n');
    Some(record)
}

/// With its end; `None` where that is not there.
fn line_length(bytes: &[u8]) -> Option<usize> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    end.checked_add(1)
}

/// Docker writes the time last.
fn json_time(line: &[u8]) -> Option<&[u8]> {
    const KEY: &[u8] = b"\"time\":\"";
    let record = line.trim_ascii_end();
    let inner = record.strip_prefix(b"{")?.strip_suffix(b"\"}")?;
    let quote = inner.iter().rposition(|byte| *byte == b'"')?;
    let (before, time) = inner.split_at_checked(quote.checked_add(1)?)?;
    before.ends_with(KEY).then_some(time)
}

fn cri_time(line: &[u8]) -> Option<&[u8]> {
    let mut parts = line.splitn(4, |byte| *byte == b' ');
    let (time, stream, tag) = (parts.next()?, parts.next()?, parts.next()?);
    let is_stream = matches!(stream, b"stdout" | b"stderr");
    let is_tag = matches!(tag.first(), Some(b'F' | b'P'));
    (is_stream && is_tag).then_some(time)
}

/// Whether it is written as RFC 3339 says, as far as it may stand in a log: digits where
/// digits belong.
fn is_time(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    let Some((head, rest)) = text.as_bytes().split_at_checked(FORM.len()) else {
        return false;
    };
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    };
    let may_follow = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b':' | b'+' | b'-' | b'Z');
    text.len() <= MOST_TIME
        && !rest.is_empty()
        && head.iter().zip(FORM).all(fits)
        && rest.iter().all(may_follow)
}
