use core::cmp::Ordering;

/// `value` times ten to the power of `exp`: what nearly all quantities are.
#[derive(Clone, Copy, Debug)]
// Without padding, so that what holds one can use the room: a pod has dozens.
#[repr(C, packed(4))]
pub(crate) struct Small {
    pub(crate) value: i64,
    pub(crate) exp: i32,
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

    /// How many units of ten to the `exp` it is, where those are no larger than its own
    /// and it fits.
    fn at(self, exp: i32) -> Option<i128> {
        if self.value == 0 {
            return Some(0);
        }
        let factor = 10_i128.checked_pow(self.exp.abs_diff(exp))?;
        factor.checked_mul(i128::from(self.value))
    }

    /// The sum, if it fits.
    pub(crate) fn add(self, other: Self) -> Option<Self> {
        let exp = self.exp.min(other.exp);
        Self::fit(self.at(exp)?.checked_add(other.at(exp)?)?, exp)
    }

    pub(crate) fn cmp(self, other: Self) -> Ordering {
        let exp = self.exp.min(other.exp);
        match (self.at(exp), other.at(exp)) {
            (Some(value), Some(other)) => value.cmp(&other),
            // What does not fit is the one with the larger exponent.
            (None, _) => { self.value }.cmp(&0),
            (_, None) => 0.cmp(&{ other.value }),
        }
    }

    /// How many units of ten to the `unit` it is, rounded away from zero,
    /// saturating.
    pub(crate) fn units(self, unit: i32) -> i128 {
        let value = i128::from(self.value);
        if self.exp >= unit {
            return self.at(unit).unwrap_or(saturated(value < 0));
        }
        match 10_i128.checked_pow(self.exp.abs_diff(unit)) {
            Some(factor) if value % factor == 0 => value / factor,
            Some(factor) => value / factor + value.signum(),
            None => value.signum(),
        }
    }
}

/// The end of the range on the given side.
pub(crate) const fn saturated(negative: bool) -> i128 {
    if negative { i128::MIN } else { i128::MAX }
}
