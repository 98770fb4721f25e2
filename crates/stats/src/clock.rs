use evictd_node::Mono;
use rustix::time::{ClockId, clock_gettime};

/// The present time: nanoseconds since boot, without the time in which the machine slept
/// (`CLOCK_MONOTONIC`).
///
/// Nothing sets this clock, so grace periods survive what NTP does to a board without a
/// battery; and as nothing runs while a machine sleeps, no grace is over when it wakes.
#[must_use]
pub fn now() -> Mono {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    Mono::from_nanos(seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}

/// Wall time for records, in whole seconds since 1970; 0 before. It may jump, so no pod is
/// evicted by it.
#[must_use]
pub fn wall_seconds() -> u64 {
    u64::try_from(clock_gettime(ClockId::Realtime).tv_sec).unwrap_or(0)
}

/// Wall time in nanoseconds since 1970, to compare with the times that container runtimes
/// tell: of a container that ended in this very second too.
#[must_use]
pub fn wall_nanos() -> i64 {
    let time = clock_gettime(ClockId::Realtime);
    let seconds = time.tv_sec.saturating_mul(1_000_000_000);
    seconds.saturating_add_unsigned(u64::try_from(time.tv_nsec).unwrap_or(0))
}
