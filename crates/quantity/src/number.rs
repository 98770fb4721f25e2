use alloc::boxed::Box;
use core::cmp::Ordering;

use crate::decimal::Decimal;
use crate::small::Small;
use crate::view::{SmallDigits, View};

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
    fn view<'a>(&'a self, room: &'a mut SmallDigits) -> View<'a> {
        match self {
            Self::Small(small) => View::of_small(*small, room),
            Self::Big(number) => number.view(),
        }
    }

    /// A copy as [`Decimal`].
    pub(crate) fn to_decimal(&self) -> Decimal {
        match self {
            Self::Small(small) => View::of_small(*small, &mut SmallDigits::default()).to_decimal(),
            Self::Big(number) => Decimal::clone(number),
        }
    }

    pub(crate) fn signum(&self) -> i32 {
        match self {
            // The sign of an i64 always fits.
            Self::Small(small) => i32::try_from(small.value.signum()).unwrap_or(0),
            Self::Big(number) => number.view().signum(),
        }
    }

    pub(crate) fn units(&self, unit: i32) -> i128 {
        match self {
            Self::Small(small) => small.units(unit),
            Self::Big(number) => number.units(unit),
        }
    }

    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        if let (Self::Small(a), Self::Small(b)) = (self, other) {
            return a.cmp(*b);
        }
        let (mut room, mut other_room) = (SmallDigits::default(), SmallDigits::default());
        self.view(&mut room).cmp(other.view(&mut other_room))
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(sum) = a.add(*b)
        {
            return Self::Small(sum);
        }
        let (mut room, mut other_room) = (SmallDigits::default(), SmallDigits::default());
        let (a, b) = (self.view(&mut room), other.view(&mut other_room));
        a.add(b).into()
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(difference) = a.sub(*b)
        {
            return Self::Small(difference);
        }
        let (mut room, mut other_room) = (SmallDigits::default(), SmallDigits::default());
        let (a, b) = (self.view(&mut room), other.view(&mut other_room));
        a.add(b.negated()).into()
    }
}
