use core::fmt;

/// Settings that are right in themselves and do not fit the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misfit {
    /// More than there is must be available.
    AlwaysMet {
        /// The threshold.
        threshold: String,
        /// Its exact amount.
        amount: i64,
        /// All there is.
        capacity: i64,
        /// What both count.
        unit: &'static str,
    },
    /// With the minimum reclaim, more than there is must be available before the
    /// threshold is left again.
    NeverLeft {
        /// The threshold.
        threshold: String,
        /// The amount that would leave it.
        clear_at: i64,
        /// All there is.
        capacity: i64,
        /// What both count.
        unit: &'static str,
    },
    /// The kernel runs out of memory before the threshold is met (failure F34).
    WithinReserve {
        /// The threshold.
        threshold: String,
        /// Its exact bytes.
        amount: i64,
        /// The bytes that the kernel keeps for itself.
        reserve: i64,
    },
    /// The kernel runs out of process ids before the threshold is met: once the ids
    /// have wrapped around, it hands out none below
    /// [`RESERVED_PIDS`](Self::RESERVED_PIDS).
    ReservedPids {
        /// The threshold.
        threshold: String,
        /// Its exact amount.
        amount: i64,
    },
    /// So many bytes of swap are on, and no threshold of `swap.available` watches it (decision D17).
    SwapOn(i64),
}

impl Misfit {
    /// `RESERVED_PIDS` of the kernel's `pid.c`: ids below are given to the first
    /// processes after the boot and to nobody later, and yet count as available.
    pub const RESERVED_PIDS: i64 = 300;
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlwaysMet {
                threshold,
                amount,
                capacity,
                unit,
            } => write!(
                f,
                "threshold {threshold} asks for {amount} {unit} of {capacity}: it is always met"
            ),
            Self::NeverLeft {
                threshold,
                clear_at,
                capacity,
                unit,
            } => write!(
                f,
                "threshold {threshold} with its minimum reclaim asks for {clear_at} {unit} of \
                 {capacity}: once met it is never left"
            ),
            Self::WithinReserve {
                threshold,
                amount,
                reserve,
            } => write!(
                f,
                "threshold {threshold} ({amount} bytes) is not above what the kernel keeps for \
                 itself (vm.min_free_kbytes, {reserve} bytes): its OOM killer comes first"
            ),
            Self::ReservedPids { threshold, amount } => write!(
                f,
                "threshold {threshold} ({amount} process ids) may never be met: once the ids have \
                 wrapped around, the kernel hands out none below {least}, so forks fail while \
                 nearly {least} seem available; ask for {least} or more",
                least = Self::RESERVED_PIDS
            ),
            Self::SwapOn(bytes) => write!(
                f,
                "{bytes} bytes of swap are on: a node can thrash there long before \
                 memory.available is low"
            ),
        }
    }
}
