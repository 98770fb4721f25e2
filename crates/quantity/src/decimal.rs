use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::iter;

use crate::small::{Small, saturated};

/// A number that lies further below the other operand's last digit than this
/// many digits does not count in a sum. Without such a bound the text
/// `1e2147483647` would ask for two billion digits.
const NEGLIGIBLE: usize = 4096;

/// A decimal number of any length, for what does not fit [`Small`].
///
/// The digits are kept one by one, least significant first and without zeros at
/// the upper end; zero has none. Digits instead of binary limbs make reading,
/// printing, aligning and rounding to a power of ten plain copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decimal {
    pub(crate) negative: bool,
    pub(crate) digits: Vec<u8>,
    pub(crate) exp: i32,
}

impl Decimal {
    /// The number with these digits, least significant first.
    pub(crate) fn new(negative: bool, digits: Vec<u8>, exp: i32) -> Self {
        let mut number = Self {
            negative,
            digits,
            exp,
        };
        number.trim();
        number
    }

    pub(crate) fn from_small(Small { value, exp }: Small) -> Self {
        let digits = value.unsigned_abs().to_string();
        let digits = digits.bytes().rev().map(|byte| byte.wrapping_sub(b'0'));
        Self::new(value < 0, digits.collect(), exp)
    }

    pub(crate) fn signum(&self) -> i32 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        match self.signum().cmp(&other.signum()) {
            Ordering::Equal if self.negative => other.cmp_magnitude(self),
            Ordering::Equal => self.cmp_magnitude(other),
            unequal @ (Ordering::Less | Ordering::Greater) => unequal,
        }
    }

    /// Where the number begins: the power of ten just above its first digit.
    pub(crate) fn top(&self) -> i64 {
        i64::try_from(self.digits.len()).map_or(i64::MAX, |len| len + i64::from(self.exp))
    }

    /// Compares two numbers without their signs.
    pub(crate) fn cmp_magnitude(&self, other: &Self) -> Ordering {
        if self.digits.is_empty() || other.digits.is_empty() {
            return self.digits.len().cmp(&other.digits.len());
        }
        let len = self.digits.len().max(other.digits.len());
        self.top()
            .cmp(&other.top())
            .then_with(|| self.leading(len).cmp(other.leading(len)))
    }

    /// The first `len` digits, zeros where there are no more.
    fn leading(&self, len: usize) -> impl Iterator<Item = u8> {
        let digits = self.digits.iter().rev().copied();
        digits.chain(iter::repeat(0)).take(len)
    }

    /// The sum; see [`NEGLIGIBLE`] for its one bound.
    pub(crate) fn add(self, other: Self) -> Self {
        let (mut coarse, fine) = if self.exp >= other.exp {
            (self, other)
        } else {
            (other, self)
        };
        if fine.digits.is_empty() {
            return coarse;
        }
        if coarse.digits.is_empty() {
            return fine;
        }
        let bound = fine.digits.len().saturating_add(NEGLIGIBLE);
        if usize::try_from(coarse.exp.abs_diff(fine.exp)).is_ok_and(|zeros| zeros <= bound) {
            coarse.round_to(fine.exp);
            coarse.add_aligned(fine);
        }
        coarse
    }

    /// Takes the zeros off the upper end.
    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }

    /// Makes it a whole number of ten to the `unit`: zeros are added at the lower end, or
    /// digits are taken off and the rest rounded away from zero.
    pub(crate) fn round_to(&mut self, unit: i32) {
        let count = usize::try_from(self.exp.abs_diff(unit)).unwrap_or(usize::MAX);
        if self.exp > unit {
            self.digits.splice(0..0, iter::repeat_n(0, count));
        } else {
            let count = count.min(self.digits.len());
            if self.digits.drain(..count).any(|digit| digit != 0) {
                self.add_digits(&[1], 1);
            }
        }
        self.exp = unit;
    }

    /// How many zeros stand at the lower end.
    pub(crate) fn trailing_zeros(&self) -> usize {
        self.digits.iter().take_while(|digit| **digit == 0).count()
    }

    /// The digits but for the last `without`, as one reads them.
    pub(crate) fn text(&self, without: usize) -> String {
        let digits = self.digits.iter().skip(without).rev();
        digits.map(|digit| char::from(b'0' + digit)).collect()
    }

    /// Adds a number of the same exponent.
    fn add_aligned(&mut self, mut other: Self) {
        if self.negative == other.negative {
            self.add_digits(&other.digits, 1);
        } else {
            if self.cmp_magnitude(&other) == Ordering::Less {
                core::mem::swap(self, &mut other);
            }
            self.add_digits(&other.digits, -1);
        }
    }

    /// Adds the digits, each times `sign`, which must not make the number negative.
    fn add_digits(&mut self, other: &[u8], sign: i16) {
        // Room for the last carry.
        let len = self.digits.len().max(other.len()).saturating_add(1);
        self.digits.resize(len, 0);
        let mut carry = 0;
        let others = other.iter().copied().chain(iter::repeat(0));
        for (digit, other) in self.digits.iter_mut().zip(others) {
            let sum = i16::from(*digit) + sign * i16::from(other) + carry;
            carry = sum.div_euclid(10);
            *digit = low_digit(sum.rem_euclid(10).unsigned_abs());
        }
        self.trim();
    }

    pub(crate) fn multiply(&mut self, factor: u64) {
        let mut carry = 0_u128;
        for digit in &mut self.digits {
            carry += u128::from(*digit) * u128::from(factor);
            *digit = low_digit(carry);
            carry /= 10;
        }
        while carry != 0 {
            self.digits.push(low_digit(carry));
            carry /= 10;
        }
    }

    /// Divides a whole number by 1024 if nothing remains; whether it did.
    pub(crate) fn divide_by_1024(&mut self) -> bool {
        let mut quotient = self.digits.clone();
        let mut rest = 0_u32;
        for digit in quotient.iter_mut().rev() {
            rest = rest * 10 + u32::from(*digit);
            *digit = low_digit(rest / 1024);
            rest %= 1024;
        }
        if rest != 0 {
            return false;
        }
        self.digits = quotient;
        self.trim();
        true
    }

    /// The number without regard to its exponent, if it fits.
    fn integer(&self) -> Option<i128> {
        let sign = if self.negative { -1 } else { 1 };
        let append = |number: i128, digit: &u8| {
            let number = number.checked_mul(10)?;
            number.checked_add(sign * i128::from(*digit))
        };
        self.digits.iter().rev().try_fold(0, append)
    }

    /// This number as a [`Small`], if it fits.
    pub(crate) fn to_small(&self) -> Option<Small> {
        Small::fit(self.integer()?, self.exp)
    }

    /// How many units of ten to the `unit` it is, rounded away from zero,
    /// saturating.
    pub(crate) fn units(&self, unit: i32) -> i128 {
        // 10^38 fits, 10^39 does not: what begins above it saturates.
        if self.top() > i64::from(unit) + 39 {
            return saturated(self.negative);
        }
        let mut number = self.clone();
        number.round_to(unit);
        number.integer().unwrap_or(saturated(self.negative))
    }
}

/// The last decimal digit.
pub(crate) fn low_digit(number: impl Into<u128>) -> u8 {
    u8::try_from(number.into() % 10).unwrap_or(0)
}
