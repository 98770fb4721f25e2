use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::cmp::Ordering;
use core::fmt;

use crate::number::Number;
use crate::small::Small;
use crate::{Format, print};

/// A Kubernetes quantity: an exact decimal number and the family of suffixes it
/// is printed with.
///
/// Equality and order are those of the numbers, whatever the format: `1Ki` and
/// `1024` are equal. There is no suffix beyond `E` and `Ei`, and Kubernetes v1.32
/// then prints none at all: `1000E` comes out as `1`. So it does here, where texts
/// are to be the kubelet's; the value is not touched by that, and
/// [`Quantity::exact_text`] has a text that keeps it.
#[derive(Clone, Debug)]
pub struct Quantity {
    pub(crate) number: Number,
    format: Format,
    /// What to print, where Kubernetes would give back the text it has read.
    pub(crate) text: Option<Box<str>>,
}

impl Quantity {
    /// Zero, in decimal format.
    pub const ZERO: Self = Self::new(Number::Small(Small::ZERO), Format::DecimalSi);

    pub(crate) const fn new(number: Number, format: Format) -> Self {
        Self {
            number,
            format,
            text: None,
        }
    }

    /// A whole number.
    #[must_use]
    pub const fn from_int(value: i64, format: Format) -> Self {
        Self::new(Number::Small(Small { value, exp: 0 }), format)
    }

    /// The family of suffixes it is printed with.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The number in canonical form: a whole mantissa with the largest
    /// suffix that keeps it whole, even where printing the quantity itself gives
    /// back the text that was read.
    ///
    /// ```
    /// # use evictd_quantity::Quantity;
    /// let quantity = Quantity::parse("1.500").unwrap();
    /// assert_eq!(quantity.to_string(), "1.500");
    /// assert_eq!(quantity.canonical(), "1500m");
    /// ```
    #[must_use]
    pub fn canonical(&self) -> String {
        print::canonical(self.number.to_decimal(), self.format)
    }

    /// A text that reads back as the same number: what it prints, or where that is another
    /// number (`1000E` prints as `1`), the number with a decimal exponent.
    ///
    /// ```
    /// # use evictd_quantity::Quantity;
    /// let quantity = Quantity::parse("1000E").unwrap();
    /// assert_eq!(quantity.to_string(), "1");
    /// assert_eq!(quantity.exact_text(), "1e21");
    /// ```
    #[must_use]
    pub fn exact_text(&self) -> String {
        let text = self.to_string();
        if Self::parse(&text).is_ok_and(|again| again == *self) {
            return text;
        }
        print::canonical(self.number.to_decimal(), Format::DecimalExponent)
    }

    /// The whole number, rounded away from zero; the nearer end of the range when
    /// it does not fit.
    #[must_use]
    pub fn value(&self) -> i64 {
        saturate(self.number.units(0))
    }

    /// A thousand times the number, rounded away from zero; the nearer end of the
    /// range when it does not fit.
    #[must_use]
    pub fn milli_value(&self) -> i64 {
        saturate(self.number.units(-3))
    }

    /// A billion times the number. That is exact, because nothing finer is kept;
    /// the nearer end of the range when it does not fit.
    #[must_use]
    pub fn nanos(&self) -> i128 {
        self.number.units(-9)
    }

    /// -1, 0 or 1, as the number is below, equal to or above zero.
    #[must_use]
    pub fn signum(&self) -> i32 {
        self.number.signum()
    }

    /// Whether the number is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.signum() == 0
    }

    pub(crate) fn plus(&self, other: &Number, format: Format) -> Self {
        let format = if self.is_zero() { format } else { self.format };
        Self::new(self.number.add(other), format)
    }
}

fn saturate(value: i128) -> i64 {
    let end = if value < 0 { i64::MIN } else { i64::MAX };
    i64::try_from(value).unwrap_or(end)
}

impl Default for Quantity {
    fn default() -> Self {
        Self::ZERO
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }
}

/// A whole number, in decimal format.
impl From<i64> for Quantity {
    fn from(value: i64) -> Self {
        Self::from_int(value, Format::DecimalSi)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.pad(text),
            None => f.pad(&self.canonical()),
        }
    }
}
