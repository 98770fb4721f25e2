use alloc::format;
use alloc::string::String;
use core::fmt;

use evictd_node::{Signal, Unit};
use evictd_quantity::{Format, GoDuration, Quantity};

use crate::percent;

/// How a reading is compared with a threshold. The kubelet knows only the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operator {
    /// Met while strictly less is available than the threshold asks.
    LessThan,
    /// Met while strictly more is lost than the threshold allows.
    GreaterThan,
}

impl Operator {
    /// The one that thresholds of the signal are written with.
    #[must_use]
    pub const fn of(signal: Signal) -> Self {
        if signal.grows_with_trouble() {
            Self::GreaterThan
        } else {
            Self::LessThan
        }
    }

    /// As it is written.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Self::LessThan => '<',
            Self::GreaterThan => '>',
        }
    }
}

/// An amount: absolute, or a share of the signal's capacity.
#[derive(Clone, Debug, PartialEq)]
pub enum ThresholdValue {
    /// So many bytes, inodes or process ids.
    Quantity(Quantity),
    /// A fraction of the capacity, as the float32 that the kubelet keeps: `10%`
    /// is 0.1, a little more than a tenth.
    Percentage(f32),
}

impl ThresholdValue {
    /// The amount against that capacity. A percentage is widened to 64 bits,
    /// multiplied, cut towards zero, and always printed in powers of 1024, for
    /// inodes and process ids too (K: `GetThresholdQuantity`).
    #[must_use]
    pub fn against(&self, capacity: i64) -> Quantity {
        match self {
            Self::Quantity(quantity) => quantity.clone(),
            Self::Percentage(fraction) => {
                Quantity::from_int(percent::share(*fraction, capacity), Format::BinarySi)
            }
        }
    }
}

impl fmt::Display for ThresholdValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quantity(quantity) => quantity.fmt(f),
            Self::Percentage(fraction) => percent::Shown(*fraction).fmt(f),
        }
    }
}

/// When to act on a signal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Threshold {
    /// The signal it watches.
    pub signal: Signal,
    /// How it compares; `None` on a derived containerfs threshold without a
    /// source, which can never be met.
    pub operator: Option<Operator>,
    /// The amount below which it is met, or above which.
    pub value: ThresholdValue,
    /// How long it must stay met before it acts. Zero makes it a hard one,
    /// whichever list it came from (K: `isHardEvictionThreshold`).
    pub grace: GoDuration,
    /// How much more than the value must be available before it is left again.
    pub min_reclaim: Option<ThresholdValue>,
}

impl Threshold {
    /// Whether it acts at once.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        self.grace.nanos() == 0
    }

    /// Where it lies on a machine that has so much of what it is about.
    #[must_use]
    pub fn level(&self, capacity: i64) -> i64 {
        self.value.against(capacity).value()
    }

    /// The amount as an operator would write it: `100Mi`, `10%`.
    #[must_use]
    pub fn written(&self) -> String {
        let unit = match self.signal.unit() {
            Unit::Percent => "%",
            Unit::Bytes | Unit::Inodes | Unit::ProcessIds => "",
        };
        format!("{}{unit}", self.value)
    }
}

impl fmt::Display for Threshold {
    /// As an operator would write it: `memory.available<100Mi`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = Operator::of(self.signal).sign();
        write!(f, "{}{sign}{}", self.signal, self.written())
    }
}
