//! Arithmetic with operators, and hashing.

use core::hash::{Hash, Hasher};
use core::iter::Sum;
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use crate::Quantity;

/// The sum, in the left quantity's format, or in the right one's if the left is zero.
///
/// It is exact, save that an operand which ends more than 4096 decimal places
/// below the other's last digit does not count.
impl Add<&Quantity> for &Quantity {
    type Output = Quantity;

    fn add(self, other: &Quantity) -> Quantity {
        self.plus(&other.number, other.format())
    }
}

/// The difference, exact and formatted like a sum.
impl Sub<&Quantity> for &Quantity {
    type Output = Quantity;

    fn sub(self, other: &Quantity) -> Quantity {
        self.plus(&other.number.negated(), other.format())
    }
}

impl Neg for &Quantity {
    type Output = Quantity;

    fn neg(self) -> Quantity {
        Quantity::new(self.number.negated(), self.format())
    }
}

impl Add for Quantity {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        &self + &other
    }
}

impl Sub for Quantity {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        &self - &other
    }
}

impl Neg for Quantity {
    type Output = Self;

    fn neg(self) -> Self {
        -&self
    }
}

impl AddAssign<&Self> for Quantity {
    fn add_assign(&mut self, other: &Self) {
        *self = &*self + other;
    }
}

impl SubAssign<&Self> for Quantity {
    fn sub_assign(&mut self, other: &Self) {
        *self = &*self - other;
    }
}

/// In the format of the first that is not zero.
impl<'a> Sum<&'a Self> for Quantity {
    fn sum<I: Iterator<Item = &'a Self>>(quantities: I) -> Self {
        quantities.fold(Self::ZERO, |sum, quantity| &sum + quantity)
    }
}

/// In the format of the first that is not zero.
impl Sum for Quantity {
    fn sum<I: Iterator<Item = Self>>(quantities: I) -> Self {
        quantities.fold(Self::ZERO, |sum, quantity| &sum + &quantity)
    }
}

/// Equal numbers hash alike, whatever their formats.
impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}
