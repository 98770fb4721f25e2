use core::fmt;

use crate::GuaranteedScore;

/// The adjustment of BestEffort containers.
const BEST_EFFORT: i16 = 1000;

/// Why a container has its score. It prints as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The node itself needs the pod: as Guaranteed ones.
    NodeCritical,
    /// The pod is Guaranteed.
    Guaranteed,
    /// The pod is BestEffort.
    BestEffort,
    /// The pod is Burstable: the more of the memory it requests, the later.
    Burstable {
        /// The bytes that count as the container's request.
        request_bytes: i128,
        /// The bytes of memory that the machine has.
        capacity_bytes: u64,
    },
}

impl Reason {
    /// The score, as the kubelet computes it; not cut to what the kernel takes.
    #[must_use]
    pub fn score(self, guaranteed: GuaranteedScore) -> i16 {
        match self {
            Self::NodeCritical | Self::Guaranteed => guaranteed.get(),
            Self::BestEffort => BEST_EFFORT,
            Self::Burstable {
                request_bytes,
                capacity_bytes,
            } => burstable(share(request_bytes, capacity_bytes), guaranteed),
        }
    }
}

/// Thousandths of the memory, cut towards zero.
fn share(request: i128, capacity: u64) -> i128 {
    request.saturating_mul(1000) / i128::from(capacity.max(1))
}

fn burstable(share: i128, guaranteed: GuaranteedScore) -> i16 {
    let floor = BEST_EFFORT.saturating_add(guaranteed.get());
    let score = i128::from(BEST_EFFORT)
        .saturating_sub(share)
        .max(i128::from(floor));
    match i16::try_from(score).unwrap_or(i16::MAX) {
        BEST_EFFORT => BEST_EFFORT.saturating_sub(1),
        score => score,
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NodeCritical => f.write_str("system-node-critical: as Guaranteed"),
            Self::Guaranteed => f.write_str("Guaranteed: limits equal requests; killed last"),
            Self::BestEffort => f.write_str("BestEffort: no request, no limit; killed first"),
            Self::Burstable {
                request_bytes,
                capacity_bytes,
            } => write!(
                f,
                "Burstable: requests {request_bytes} of {capacity_bytes} bytes of memory, {} \
                 thousandths",
                share(request_bytes, capacity_bytes)
            ),
        }
    }
}
