/// How many bounds there are: 1.024 µs (2^10 ns), twice that, and so on up to
/// 34 s (2^35 ns). What took longer is counted beyond the last.
pub const BOUNDS: usize = 26;

/// The first bound is two to this power, in nanoseconds.
const FIRST: u32 = 10;

/// How often something took how long, in 232 bytes.
///
/// Counters have 64 bits: at a million records a second they last longer than any
/// machine. The sum saturates, after 584 years.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// The last one counts what is beyond all bounds.
    counts: [u64; BOUNDS + 1],
    sum: u64,
    max: u64,
}

impl Histogram {
    /// Nothing has been recorded.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            counts: [0; BOUNDS + 1],
            sum: 0,
            max: 0,
        }
    }

    /// Takes in one duration, in nanoseconds.
    pub fn record(&mut self, nanos: u64) {
        let bits = u64::BITS.wrapping_sub(nanos.saturating_sub(1).leading_zeros());
        let place = usize::try_from(bits.saturating_sub(FIRST)).unwrap_or(BOUNDS);
        if let Some(count) = self.counts.get_mut(place.min(BOUNDS)) {
            *count = count.wrapping_add(1);
        }
        self.sum = self.sum.saturating_add(nanos);
        self.max = self.max.max(nanos);
    }

    /// How many were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// All of them together, in nanoseconds.
    #[must_use]
    pub const fn sum(&self) -> u64 {
        self.sum
    }

    /// The longest, to the nanosecond; 0 when there is none.
    #[must_use]
    pub const fn max(&self) -> u64 {
        self.max
    }

    /// Each bound in nanoseconds, from the least, with how many took no longer: as
    /// Prometheus counts, so the bound itself is within. What is beyond the last
    /// bound is only in [`Histogram::count`].
    pub fn bounds(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.counts.iter().take(BOUNDS);
        counts.scan((1_u64 << FIRST, 0_u64), |(next, sum), count| {
            let bound = *next;
            *next = bound.wrapping_mul(2);
            *sum = sum.wrapping_add(*count);
            Some((bound, *sum))
        })
    }

    /// What so many of a hundred took at most, in nanoseconds: the next bound above
    /// it, so up to twice too much, but never more than the longest; 0 when nothing
    /// was recorded.
    #[must_use]
    pub fn percentile(&self, percent: u8) -> u64 {
        let wanted = self.count().saturating_mul(percent.into()).div_ceil(100);
        let mut bounds = self.bounds();
        let bound = bounds.find(|(_, within)| *within >= wanted);
        bound.map_or(self.max, |(bound, _)| bound.min(self.max))
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}
