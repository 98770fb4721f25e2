//! The few ways in which all kernel files are cut up. Everything keeps its
//! offset in the whole text, so that an error can name it.

use crate::{ParseError, ParseErrorKind};

/// A piece of text and where it starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Piece<'a> {
    pub(crate) const fn whole(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) const fn error(self, kind: ParseErrorKind) -> ParseError {
        ParseError::new(kind, self.at)
    }

    /// What lies before and behind the first byte for which `is` holds; `None`
    /// where there is none. The byte itself is in neither.
    pub(crate) fn split(self, is: impl Fn(u8) -> bool) -> Option<(Self, Self)> {
        let cut = self.text.iter().position(|byte| is(*byte))?;
        let (head, tail) = self.text.split_at_checked(cut)?;
        let rest = Self {
            text: tail.get(1..)?,
            at: self.at.saturating_add(cut).saturating_add(1),
        };
        Some((
            Self {
                text: head,
                at: self.at,
            },
            rest,
        ))
    }

    /// This text without the blanks at its front.
    pub(crate) fn trim_start(self) -> Self {
        let text = self.text.trim_ascii_start();
        let cut = self.text.len().saturating_sub(text.len());
        Self {
            text,
            at: self.at.saturating_add(cut),
        }
    }

    /// This text without the blanks (a line's end is one) at its back.
    pub(crate) const fn trim_end(self) -> Self {
        Self {
            text: self.text.trim_ascii_end(),
            at: self.at,
        }
    }

    /// The number that the digits of this piece write, all of them.
    pub(crate) fn number(self) -> Result<u64, ParseError> {
        if self.text.is_empty() || !self.text.iter().all(u8::is_ascii_digit) {
            return Err(self.error(ParseErrorKind::Number));
        }
        self.text
            .iter()
            .try_fold(0u64, |sum, byte| {
                let digit = u64::from(byte.wrapping_sub(b'0'));
                sum.checked_mul(10)?.checked_add(digit)
            })
            .ok_or(self.error(ParseErrorKind::Range))
    }

    /// A number that the kernel keeps in 32 bits.
    pub(crate) fn number_u32(self) -> Result<u32, ParseError> {
        let wide = self.number()?;
        u32::try_from(wide).map_err(|_| self.error(ParseErrorKind::Range))
    }

    /// A process id: C's `int`, never negative in these files.
    pub(crate) fn pid(self) -> Result<i32, ParseError> {
        let wide = self.number()?;
        i32::try_from(wide).map_err(|_| self.error(ParseErrorKind::Range))
    }
}

/// Cuts a text into pieces at one byte, each as it is: two such bytes in a row
/// have an empty piece between them. Nothing comes after the last one.
#[derive(Clone, Debug)]
pub(crate) struct Cut<'a> {
    rest: Piece<'a>,
    byte: u8,
}

impl<'a> Cut<'a> {
    pub(crate) const fn new(whole: Piece<'a>, byte: u8) -> Self {
        Self { rest: whole, byte }
    }

    /// The next piece, or an error that says where it had to be.
    pub(crate) fn need(&mut self) -> Result<Piece<'a>, ParseError> {
        let end = self.rest;
        self.next().ok_or(end.error(ParseErrorKind::Missing))
    }
}

impl<'a> Iterator for Cut<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.rest.text.is_empty() {
            return None;
        }
        let byte = self.byte;
        let end = self.rest.at.saturating_add(self.rest.text.len());
        let (piece, rest) = self
            .rest
            .split(|found| found == byte)
            .unwrap_or((self.rest, Piece { text: &[], at: end }));
        self.rest = rest;
        Some(piece)
    }
}

/// The lines of a file, without their ends; empty ones are left out.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a>(Cut<'a>);

impl<'a> Lines<'a> {
    pub(crate) const fn new(text: &'a [u8]) -> Self {
        Self(Cut::new(Piece::whole(text), b'\n'))
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        self.0.find(|line| !line.text.is_empty())
    }
}

/// Both parts of a `KEY VALUE` line; the value is empty where the line has none.
pub(crate) fn key_and_value(line: Piece<'_>) -> (Piece<'_>, Piece<'_>) {
    let end = Piece {
        text: &[],
        at: line.at.saturating_add(line.text.len()),
    };
    line.split(|byte| byte == b' ').unwrap_or((line, end))
}

/// The fields of a line that is aligned with blanks: any number of spaces or
/// tabs separates two.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    rest: Piece<'a>,
}

impl<'a> Fields<'a> {
    pub(crate) const fn new(line: Piece<'a>) -> Self {
        Self { rest: line }
    }

    /// The next field, or an error that says where it had to be.
    pub(crate) fn need(&mut self) -> Result<Piece<'a>, ParseError> {
        self.next().ok_or(self.rest.error(ParseErrorKind::Missing))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let start = self.rest.trim_start();
        let end = Piece {
            text: &[],
            at: start.at.saturating_add(start.text.len()),
        };
        let (field, rest) = start
            .split(|byte| byte.is_ascii_whitespace())
            .unwrap_or((start, end));
        self.rest = rest;
        (!field.text.is_empty()).then_some(field)
    }
}
