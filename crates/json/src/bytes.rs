//! The bytes of a stream, shown one by one.

use std::io::BufRead;

use crate::ReadError;

/// The part of a stream that was not taken yet.
pub(super) struct Bytes<R> {
    stream: R,
    /// How many bytes were taken.
    taken: u64,
}

/// Whether a byte that was shown is taken.
pub(super) enum Step {
    /// It is taken, and so may the next be.
    More,
    /// It is the last that is taken.
    Last,
    /// It stays.
    Before,
}

impl<R: BufRead> Bytes<R> {
    pub(super) const fn new(stream: R) -> Self {
        Self { stream, taken: 0 }
    }

    /// The next byte that is no blank; it stays.
    pub(super) fn next(&mut self) -> Result<u8, ReadError> {
        self.after_blanks()?.ok_or_else(|| self.cut_off())
    }

    /// Like [`Self::next`], but `None` if the stream ends.
    pub(super) fn after_blanks(&mut self) -> Result<Option<u8>, ReadError> {
        let mut next = None;
        let _ = self.until(|byte| {
            if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                Step::More
            } else {
                next = Some(byte);
                Step::Before
            }
        })?;
        Ok(next)
    }

    /// Takes one byte.
    pub(super) fn take(&mut self) -> Result<(), ReadError> {
        self.each(|_| Step::Last)
    }

    /// Like [`Self::until`], but it is an error if the stream ends first.
    pub(super) fn each(&mut self, step: impl FnMut(u8) -> Step) -> Result<(), ReadError> {
        if self.until(step)? {
            Ok(())
        } else {
            Err(self.cut_off())
        }
    }

    /// Shows byte after byte to `step`, and takes them as it says. Returns `false` if the stream
    /// ended first.
    pub(super) fn until(&mut self, mut step: impl FnMut(u8) -> Step) -> Result<bool, ReadError> {
        loop {
            let bytes = self.stream.fill_buf()?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let (mut count, mut is_done) = (0, false);
            for byte in bytes {
                let step = step(*byte);
                is_done = !matches!(step, Step::More);
                count += usize::from(!matches!(step, Step::Before));
                if is_done {
                    break;
                }
            }
            self.stream.consume(count);
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            self.taken = self.taken.saturating_add(count);
            if is_done {
                return Ok(true);
            }
        }
    }

    /// The error if the byte that comes next makes this no JSON.
    pub(super) const fn odd(&self) -> ReadError {
        ReadError::NotJson { at: self.taken }
    }

    const fn cut_off(&self) -> ReadError {
        ReadError::CutOff { at: self.taken }
    }
}
