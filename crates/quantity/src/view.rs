use core::cmp::Ordering;
use core::iter;

use crate::decimal::{Decimal, low_digit};
use crate::small::Small;

/// A number that lies further below the other operand's last digit than this
/// many digits does not count in a sum. Without such a bound the text
/// `1e2147483647` would ask for two billion digits.
const NEGLIGIBLE: usize = 4096;

/// A borrowed number in the same form as [`Decimal`].
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) negative: bool,
    pub(crate) digits: &'a [u8],
    pub(crate) exp: i32,
}

/// Room for the digits of any [`Small`].
pub(crate) type SmallDigits = [u8; 20];

impl<'a> View<'a> {
    /// A view of `small`, its digits put into `room`.
    pub(crate) fn of_small(small: Small, room: &'a mut SmallDigits) -> Self {
        let mut rest = small.value.unsigned_abs();
        let mut len = 0;
        for digit in room.iter_mut() {
            if rest == 0 {
                break;
            }
            *digit = low_digit(rest);
            rest /= 10;
            len += 1;
        }
        Self {
            negative: small.value < 0,
            digits: room.get(..len).unwrap_or(&[]),
            exp: small.exp,
        }
    }

    pub(crate) fn negated(self) -> Self {
        Self {
            negative: !self.negative,
            ..self
        }
    }

    pub(crate) fn signum(self) -> i32 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    pub(crate) fn cmp(self, other: Self) -> Ordering {
        match self.signum().cmp(&other.signum()) {
            Ordering::Equal if self.negative => other.cmp_magnitude(self),
            Ordering::Equal => self.cmp_magnitude(other),
            unequal @ (Ordering::Less | Ordering::Greater) => unequal,
        }
    }

    /// Where the number begins: the power of ten just above its first digit.
    pub(crate) fn top(self) -> i64 {
        i64::try_from(self.digits.len()).map_or(i64::MAX, |len| len + i64::from(self.exp))
    }

    /// Whether the number without its sign is above `bound`.
    pub(crate) fn magnitude_exceeds(self, bound: Small) -> bool {
        let mut room = SmallDigits::default();
        self.cmp_magnitude(View::of_small(bound, &mut room)) == Ordering::Greater
    }

    pub(crate) fn cmp_magnitude(self, other: Self) -> Ordering {
        if self.digits.is_empty() || other.digits.is_empty() {
            return self.digits.len().cmp(&other.digits.len());
        }
        let len = self.digits.len().max(other.digits.len());
        self.top()
            .cmp(&other.top())
            .then_with(|| self.leading(len).cmp(other.leading(len)))
    }

    /// The first `len` digits, zeros where there are no more.
    fn leading(self, len: usize) -> impl Iterator<Item = u8> {
        let digits = self.digits.iter().rev().copied();
        digits.chain(iter::repeat(0)).take(len)
    }

    pub(crate) fn to_decimal(self) -> Decimal {
        Decimal {
            negative: self.negative,
            digits: self.digits.to_vec(),
            exp: self.exp,
        }
    }

    /// The sum; see [`NEGLIGIBLE`] for its one bound.
    pub(crate) fn add(self, other: Self) -> Decimal {
        let (coarse, fine) = if self.exp >= other.exp {
            (self, other)
        } else {
            (other, self)
        };
        if fine.digits.is_empty() {
            return coarse.to_decimal();
        }
        if coarse.digits.is_empty() {
            return fine.to_decimal();
        }
        match usize::try_from(coarse.exp.abs_diff(fine.exp)) {
            Ok(zeros) if zeros <= fine.digits.len().saturating_add(NEGLIGIBLE) => {
                let mut aligned = coarse.to_decimal();
                aligned.append_zeros(zeros);
                aligned.exp = fine.exp;
                aligned.add_aligned(fine);
                aligned
            }
            _ => coarse.to_decimal(),
        }
    }
}
