use alloc::boxed::Box;
use core::cmp::Ordering;
use core::hash::{Hash, Hasher};
use core::iter;

use crate::decimal::{Decimal, low_digit};
use crate::small::Small;

/// The value of a quantity: [`Small`] wherever it fits.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Small(Small),
    Big(Box<Decimal>),
}

impl From<Decimal> for Number {
    fn from(number: Decimal) -> Self {
        match number.to_small() {
            Some(small) => Self::Small(small),
            None => Self::Big(Box::new(number)),
        }
    }
}

impl Number {
    /// A copy as [`Decimal`].
    pub(crate) fn to_decimal(&self) -> Decimal {
        match self {
            Self::Small(small) => Decimal::from_small(*small),
            Self::Big(number) => Decimal::clone(number),
        }
    }

    pub(crate) fn signum(&self) -> i32 {
        match self {
            // The sign of an i64 always fits.
            Self::Small(small) => i32::try_from(small.value.signum()).unwrap_or(0),
            Self::Big(number) => number.signum(),
        }
    }

    pub(crate) fn units(&self, unit: i32) -> i128 {
        match self {
            Self::Small(small) => small.units(unit),
            Self::Big(number) => number.units(unit),
        }
    }

    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small(a), Self::Small(b)) => a.cmp(*b),
            _ => self.to_decimal().cmp(&other.to_decimal()),
        }
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(sum) = a.add(*b)
        {
            return Self::Small(sum);
        }
        self.to_decimal().add(other.to_decimal()).into()
    }

    pub(crate) fn negated(&self) -> Self {
        if let Self::Small(Small { value, exp }) = *self
            && let Some(value) = value.checked_neg()
        {
            return Self::Small(Small { value, exp });
        }
        let mut number = self.to_decimal();
        number.negative = !number.negative;
        number.into()
    }
}

/// One number may be kept in several ways, as 10 and as 1 with a zero more. So its digits
/// are hashed from the last one on that is no zero, and where that stands.
impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.signum().hash(state);
        match self {
            Self::Small(small) => {
                let rest = |number: &u64| Some(number / 10).filter(|rest| *rest != 0);
                let digits = iter::successors(Some({ small.value }.unsigned_abs()), rest);
                hash_digits(digits.map(low_digit), small.exp, state);
            }
            Self::Big(number) => hash_digits(number.digits.iter().copied(), number.exp, state),
        }
    }
}

/// Hashes digits that are given least significant first.
fn hash_digits(digits: impl Iterator<Item = u8>, exp: i32, state: &mut impl Hasher) {
    let mut digits = digits
        .zip(i64::from(exp)..)
        .skip_while(|(digit, _)| *digit == 0);
    if let Some(last) = digits.next() {
        last.hash(state);
    }
    digits.for_each(|(digit, _)| digit.hash(state));
}
