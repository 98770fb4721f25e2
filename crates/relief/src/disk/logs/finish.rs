//! What was half done when evictd was killed.

use std::os::fd::OwnedFd;

use evictd_gc::{MOST_NOTICE, RecordFormat, time_of};

use super::bytes::{
    WINDOW, collapse, data_begin, in_words, is_unable, make_hole, read_whole, shift, size,
    write_whole,
};
use super::cut::{LOST_END, behind_a_hole};
use super::half_done::{Kind, Step, Steps};

/// Finishes what was half done when evictd was killed. What it says is believed only where
/// the file bears it out: it may be another file by now, or done to its end.
pub(super) fn finish(
    file: &OwnedFd,
    format: RecordFormat,
    step: &Step,
    is_still: bool,
    steps: &Steps,
) -> Result<(), String> {
    let size = size(file)?;
    let whole = step.behind.saturating_sub(step.at);
    let notice_at = |at: u64| -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(whole).ok().filter(|all| *all <= WINDOW)?];
        read_whole(file, &mut bytes, at).ok()?;
        written_again(format, &bytes)
    };
    match step.kind {
        Kind::Collapse if size >= step.size => {
            let Some(notice) = notice_at(step.at) else {
                return Ok(());
            };
            write_whole(file, &notice, step.at)?;
            match collapse(file, step.at) {
                Ok(()) => Ok(()),
                Err(error) if is_unable(error) && is_still => {
                    shift(file, step.at, &notice, step.behind, steps)
                }
                Err(error) => Err(in_words("cutting off its beginning", error)),
            }
        }
        Kind::Punch if data_begin(file) < step.at => {
            let Some(notice) = notice_at(step.at) else {
                return Ok(());
            };
            write_whole(file, &notice, step.at)?;
            make_hole(file, step.at)
        }
        // All that stays is still behind the cut, whatever was copied of it.
        Kind::Shift if size == step.size && is_still => match notice_at(0) {
            _ if whole == 0 => shift(file, step.at, &[], step.behind, steps),
            Some(notice) => shift(file, step.at, &notice, step.behind, steps),
            None => Ok(()),
        },
        Kind::Collapse | Kind::Punch | Kind::Shift => Ok(()),
    }
}

/// A notice of that length, of the beginning of one: a write may have been cut short.
fn written_again(format: RecordFormat, bytes: &[u8]) -> Option<Vec<u8>> {
    let is_behind_a_hole = bytes.first() == Some(&b'\n');
    let text = bytes.get(usize::from(is_behind_a_hole)..)?;
    let text = text.get(..text.len().min(MOST_NOTICE))?;
    let begin = find(text, b"evictd: ")?;
    let end = find(text, LOST_END.as_bytes())?.checked_add(LOST_END.len())?;
    let end = match format {
        RecordFormat::Json if begin == b"{\"log\":\"".len() => end
            .checked_add(find(text.get(end..)?, b"\"}")?)?
            .checked_add(2)?,
        RecordFormat::Cri if time_of(format, text.get(..end)?).is_some() => end,
        RecordFormat::Json | RecordFormat::Cri => return None,
    };
    let mut notice = text.get(..end)?.to_vec();
    notice.resize(bytes.len().checked_sub(1)?, b' ');
    notice.push(b'\n');
    Some(if is_behind_a_hole {
        behind_a_hole(notice)
    } else {
        notice
    })
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use evictd_gc::notice;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A write that was cut short behind the sentence is written again, of any length.
        #[test]
        fn a_notice_is_written_again_of_its_beginning(length in 300_usize..5000, has in 250_usize..5000) {
            let sentence = format!("evictd: 649Mi of this log, from 2026 to 2027, {LOST_END}");
            for format in [RecordFormat::Json, RecordFormat::Cri] {
                let whole = notice(format, &sentence, "2026-11-25T22:15:01Z", length).unwrap();
                for whole in [whole.clone(), behind_a_hole(whole)] {
                    let mut torn = whole.clone();
                    let rest = torn.iter_mut().skip(has);
                    rest.for_each(|byte| *byte = b'x');
                    prop_assert_eq!(written_again(format, &torn), Some(whole));
                }
            }
        }

        #[test]
        fn what_is_no_notice_is_not_written(bytes in any::<Vec<u8>>(), cut in 0_usize..200) {
            for format in [RecordFormat::Json, RecordFormat::Cri] {
                prop_assert_eq!(written_again(format, &bytes), None);
                let text = format!("evictd: 1Mi {LOST_END}");
                let begun = notice(format, &text, "2026-11-25T22:15:01Z", 300).unwrap();
                let begun = begun.get(..cut.min(60)).unwrap_or_default();
                let again = written_again(format, begun);
                prop_assert!(again.is_none_or(|it| it.len() == begun.len()));
            }
        }
    }
}
