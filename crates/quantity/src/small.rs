use core::cmp::Ordering;

/// `value` times ten to the power of `exp`: what nearly all quantities are.
#[derive(Clone, Copy, Debug)]
// Without padding, so that what holds one can use the room: a pod has dozens.
#[repr(C, packed(4))]
pub(crate) struct Small {
    pub(crate) value: i64,
    pub(crate) exp: i32,
}

/// At this difference of exponents any number but zero is larger than every `i64`
/// at the smaller exponent; up to it an aligned `i64` fits an `i128`.
const FAR: u32 = 19;

const POWERS: [i128; 20] = powers();

const fn powers() -> [i128; 20] {
    let mut powers = [1; 20];
    let mut n = 1;
    while n < powers.len() {
        #[expect(clippy::indexing_slicing, reason = "the loop stays inside the table")]
        {
            powers[n] = powers[n - 1] * 10;
        }
        n += 1;
    }
    powers
}

/// Ten to the power of `n`, up to 10^19.
pub(crate) fn power(n: u32) -> Option<i128> {
    POWERS.get(usize::try_from(n).ok()?).copied()
}

impl Small {
    pub(crate) const ZERO: Self = Self { value: 0, exp: 0 };

    /// `value` times ten to the `exp`, if it fits, trailing zeros taken out where
    /// they are in the way.
    pub(crate) fn fit(mut value: i128, mut exp: i32) -> Option<Self> {
        loop {
            if let Ok(value) = i64::try_from(value) {
                return Some(Self { value, exp });
            }
            if value % 10 != 0 {
                return None;
            }
            value /= 10;
            exp = exp.checked_add(1)?;
        }
    }

    /// The sum, if it fits.
    pub(crate) fn add(self, other: Self) -> Option<Self> {
        self.plus(i128::from(other.value), other.exp)
    }

    /// The difference, if it fits.
    pub(crate) fn sub(self, other: Self) -> Option<Self> {
        self.plus(-i128::from(other.value), other.exp)
    }

    fn plus(self, other: i128, exp: i32) -> Option<Self> {
        if other == 0 {
            return Some(self);
        }
        if self.value == 0 {
            return Self::fit(other, exp);
        }
        let factor = power(self.exp.abs_diff(exp))?;
        let value = i128::from(self.value);
        let (value, other) = if self.exp >= exp {
            (value * factor, other)
        } else {
            (value, other * factor)
        };
        Self::fit(value.checked_add(other)?, self.exp.min(exp))
    }

    pub(crate) fn cmp(self, other: Self) -> Ordering {
        match self.exp.cmp(&other.exp) {
            Ordering::Equal => { self.value }.cmp(&{ other.value }),
            Ordering::Greater => self.cmp_finer(other),
            Ordering::Less => other.cmp_finer(self).reverse(),
        }
    }

    /// Compares with a number of a smaller exponent.
    fn cmp_finer(self, other: Self) -> Ordering {
        let gap = self.exp.abs_diff(other.exp).min(FAR);
        let aligned = power(gap).map_or(0, |factor| i128::from(self.value) * factor);
        aligned.cmp(&i128::from(other.value))
    }

    /// How many units of ten to the `unit` it is, rounded away from zero,
    /// saturating.
    pub(crate) fn units(self, unit: i32) -> i128 {
        let value = i128::from(self.value);
        let factor = 10_i128.checked_pow(self.exp.abs_diff(unit));
        match factor {
            _ if value == 0 => 0,
            Some(factor) if self.exp >= unit => value.saturating_mul(factor),
            None if self.exp >= unit => saturated(value < 0),
            Some(factor) => {
                let rest = if value % factor == 0 {
                    0
                } else {
                    value.signum()
                };
                value / factor + rest
            }
            None => value.signum(),
        }
    }
}

/// The end of the range on the given side.
pub(crate) const fn saturated(negative: bool) -> i128 {
    if negative { i128::MIN } else { i128::MAX }
}
