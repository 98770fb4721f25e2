//! Chance that is the same on every machine: splitmix64, whole numbers only.

/// A stream of numbers that a seed decides.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// One of a seed's streams. What one part of the world draws shifts no other part, so a
    /// smaller world is the same world with something left out.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed ^ stream.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        let _ = random.next();
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `from` up to `to`, both included.
    pub(crate) fn within(&mut self, from: u64, to: u64) -> u64 {
        let wide = u128::from(self.next()) * (u128::from(to.saturating_sub(from)) + 1);
        from + u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// Once in so many times.
    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.within(1, times.max(1)) == 1
    }

    /// One of them.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        let last = u64::try_from(of.len()).unwrap_or(0).checked_sub(1)?;
        let index = usize::try_from(self.within(0, last)).ok()?;
        of.get(index).copied()
    }
}
