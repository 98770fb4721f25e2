use core::fmt;

/// Why no pod is evicted though a threshold is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoPod {
    /// All are critical or stuck, or there is none.
    AllSkipped,
    /// A dry run has named each that may be.
    Rehearsed,
    /// A dry run has named as many as it names.
    RehearsedMost,
    /// None is known to hold what is short.
    NothingKnown,
    /// All together hold too little of what is missing: something else holds it.
    HoldTooLittle,
    /// The last eviction gave nothing back, and nothing has changed since.
    FreedNothing,
    /// Those that are left keep to their requests: they are not ended in a row, nor for a
    /// minimum reclaim.
    WithinRequests,
}

impl fmt::Display for NoPod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AllSkipped => "each is protected or could not be killed",
            Self::Rehearsed => "this dry run has named each that may be",
            Self::RehearsedMost => "this dry run has named 110 that would go, and names no more",
            Self::NothingKnown => "none is known to hold any of it",
            Self::HoldTooLittle => "together they hold too little of it, so none of them filled it",
            Self::FreedNothing => "the last eviction gave nothing back, and nothing has changed",
            Self::WithinRequests => "those that are left keep to their requests",
        })
    }
}
