use crate::scan::{Fields, Lines, Piece};
use crate::{ParseError, ParseErrorKind};

/// One `KEY VALUE` line of a flat keyed file.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    key: Piece<'a>,
    value: Piece<'a>,
}

impl<'a> Entry<'a> {
    /// The key.
    #[must_use]
    pub const fn key(&self) -> &'a [u8] {
        self.key.text
    }

    /// The value as text; empty where the line has none.
    #[must_use]
    pub const fn value(&self) -> &'a [u8] {
        self.value.text
    }

    /// The value as a number.
    ///
    /// # Errors
    /// When it is none, or beyond 64 bits.
    pub fn number(&self) -> Result<u64, ParseError> {
        self.value.number()
    }

    /// The value of a switch: 0 or 1.
    ///
    /// # Errors
    /// When it is neither.
    pub fn switch(&self) -> Result<bool, ParseError> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.value.error(ParseErrorKind::Form)),
        }
    }

    /// The value as hundredths: exactly two digits behind a dot.
    pub(crate) fn hundredths(&self) -> Result<u32, ParseError> {
        let form = self.value.error(ParseErrorKind::Form);
        let (whole, part) = self.value.split(|byte| byte == b'.').ok_or(form)?;
        if part.text.len() != 2 {
            return Err(form);
        }
        whole
            .number_u32()?
            .checked_mul(100)
            .and_then(|hundreds| hundreds.checked_add(part.number_u32().ok()?))
            .ok_or(form)
    }
}

/// The lines of a flat keyed file; see [`flat_keyed`].
#[derive(Clone, Debug)]
pub struct FlatKeyed<'a>(Lines<'a>);

/// A file of `KEY VALUE` lines (cgroup-v2.rst, "flat keyed"; v1's
/// `memory.stat` and `memory.oom_control` have the same form), in its order.
#[must_use]
pub const fn flat_keyed(text: &[u8]) -> FlatKeyed<'_> {
    FlatKeyed(Lines::new(text))
}

impl<'a> Iterator for FlatKeyed<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        self.0.next().map(|line| {
            let end = Piece {
                text: &[],
                at: line.at.saturating_add(line.text.len()),
            };
            let (key, value) = line.split(|byte| byte == b' ').unwrap_or((line, end));
            Entry { key, value }
        })
    }
}

/// One `KEY NAME=VALUE …` line of a nested keyed file.
#[derive(Clone, Debug)]
pub struct NestedEntry<'a> {
    key: &'a [u8],
    fields: Fields<'a>,
}

impl<'a> NestedEntry<'a> {
    /// The line's key: a device (`254:0`), or `some` and `full` in a pressure
    /// file.
    #[must_use]
    pub const fn key(&self) -> &'a [u8] {
        self.key
    }

    /// The line's pairs, in their order. A field without `=` has an empty
    /// value.
    pub fn pairs(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        self.fields.clone().map(|field| {
            let end = Piece {
                text: &[],
                at: field.at.saturating_add(field.text.len()),
            };
            let (key, value) = field.split(|byte| byte == b'=').unwrap_or((field, end));
            Entry { key, value }
        })
    }
}

/// The lines of a nested keyed file; see [`nested_keyed`].
#[derive(Clone, Debug)]
pub struct NestedKeyed<'a>(Lines<'a>);

/// A file of `KEY NAME=VALUE NAME=VALUE …` lines (cgroup-v2.rst, "nested
/// keyed"): `io.stat`, and the pressure files. Lines without a key are left
/// out.
#[must_use]
pub const fn nested_keyed(text: &[u8]) -> NestedKeyed<'_> {
    NestedKeyed(Lines::new(text))
}

impl<'a> Iterator for NestedKeyed<'a> {
    type Item = NestedEntry<'a>;

    fn next(&mut self) -> Option<NestedEntry<'a>> {
        self.0.find_map(|line| {
            let mut fields = Fields::new(line);
            let key = fields.next()?.text;
            Some(NestedEntry { key, fields })
        })
    }
}
