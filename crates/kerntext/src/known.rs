use crate::ParseError;
use crate::scan::Piece;

/// The numbers of a file's known fields, in the order of their keys.
///
/// A field that makes no sense costs itself: it is `None`, and named by
/// [`bad_keys`](Self::bad_keys). Of a field that comes twice the first line counts.
#[derive(Clone, Copy)]
pub(crate) struct Known<const N: usize> {
    pub(crate) values: [Option<u64>; N],
    pub(crate) bad: Bad,
}

/// Which of a file's known fields are there and make no sense, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bad(u32);

impl<const N: usize> Known<N> {
    pub(crate) fn read<'a>(
        keys: &[&str; N],
        lines: impl Iterator<Item = (Piece<'a>, Piece<'a>)>,
        number: fn(Piece<'a>) -> Result<u64, ParseError>,
    ) -> Self {
        let mut known = Self {
            values: [None; N],
            bad: Bad::default(),
        };
        for (key, value) in lines {
            let is_it = |name: &&str| name.as_bytes() == key.text;
            let Some(at) = keys.iter().position(is_it) else {
                continue;
            };
            let Some(place) = known.values.get_mut(at) else {
                continue;
            };
            if place.is_none() && !known.bad.has(at) {
                match number(value) {
                    Ok(number) => *place = Some(number),
                    Err(_) => known.bad.add(at),
                }
            }
        }
        known
    }
}

impl Bad {
    const fn has(self, at: usize) -> bool {
        self.0 & bit(at) != 0
    }

    const fn add(&mut self, at: usize) {
        self.0 |= bit(at);
    }

    /// Whether one of these fields is bad.
    pub(crate) fn has_any(self, mut fields: core::ops::Range<usize>) -> bool {
        fields.any(|at| self.has(at))
    }

    /// The keys of the bad ones.
    pub(crate) fn keys<const N: usize>(
        self,
        keys: &'static [&'static str; N],
    ) -> impl Iterator<Item = &'static str> {
        let all = keys.iter().enumerate();
        all.filter_map(move |(at, key)| self.has(at).then_some(*key))
    }
}

/// No file has more known fields than bits.
#[expect(clippy::cast_possible_truncation, reason = "below 32")]
const fn bit(at: usize) -> u32 {
    1_u32 << (at % 32) as u32
}
