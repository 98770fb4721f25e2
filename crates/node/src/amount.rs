//! Amounts as people read them.

use alloc::format;
use core::fmt;

use crate::{Resource, Signal, Unit};

/// An amount of what a signal measures, to three digits: `22.1Gi`, `5.24M`, `812`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    value: i64,
    unit: Unit,
}

impl Amount {
    /// Of what `signal` measures: bytes in powers of 1024, counts of 1000, percent as they are.
    #[must_use]
    pub const fn of(signal: Signal, value: i64) -> Self {
        let unit = signal.unit();
        Self { value, unit }
    }

    /// Of what pods use of `resource`, which for a share of time is memory.
    #[must_use]
    pub const fn used(resource: Resource, value: i64) -> Self {
        let unit = match resource {
            Resource::Memory | Resource::EphemeralStorage => Unit::Bytes,
            Resource::Inodes => Unit::Inodes,
            Resource::Pids => Unit::ProcessIds,
        };
        Self { value, unit }
    }

    /// So many bytes.
    #[must_use]
    pub fn bytes(value: u64) -> Self {
        Self {
            value: i64::try_from(value).unwrap_or(i64::MAX),
            unit: Unit::Bytes,
        }
    }
}

const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (base, suffixes) = match self.unit {
            Unit::Bytes => (1024, BINARY),
            Unit::Inodes | Unit::ProcessIds => (1000, DECIMAL),
            Unit::Percent => return f.pad(&format!("{}%", self.value)),
        };
        let (mut whole, mut below, mut power) = (self.value.unsigned_abs(), 0, 0_usize);
        while whole >= base {
            (below, whole) = (whole % base, whole / base);
            power = power.saturating_add(1);
        }
        let sign = if self.value < 0 { "-" } else { "" };
        let suffix = suffixes.get(power).copied().unwrap_or("");
        // Cut, not rounded: what is available must never look like more.
        let tenths = below.saturating_mul(10) / base;
        let text = if power == 0 || whole >= 100 || tenths == 0 {
            format!("{sign}{whole}{suffix}")
        } else {
            format!("{sign}{whole}.{tenths}{suffix}")
        };
        f.pad(&text)
    }
}
