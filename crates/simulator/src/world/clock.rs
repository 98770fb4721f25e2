//! The world's clock, and its times as people read them.

use core::cell::Cell;

use evictd_node::Mono;

thread_local! {
    static CLOCK: Cell<Mono> = const { Cell::new(Mono::ZERO) };
    /// By how many seconds the wall clock was set.
    static WALL: Cell<i64> = const { Cell::new(0) };
}

/// The world's clock, as the engine asks for it.
pub(crate) fn clock() -> Mono {
    CLOCK.get()
}

/// The world's wall clock in seconds, some day of 2026.
pub(crate) fn wall_clock() -> u64 {
    let seconds = 1_790_000_000 + CLOCK.get().as_nanos() / 1_000_000_000;
    seconds.saturating_add_signed(WALL.get())
}

/// The wall clock is set.
pub(super) fn step_wall(seconds: i64) {
    WALL.set(WALL.get().saturating_add(seconds));
}

/// A world begins.
pub(super) fn begin() {
    set(Mono::ZERO);
    WALL.set(0);
}

/// It is that late.
pub(super) fn set(now: Mono) {
    CLOCK.set(now);
}

/// For people to read only: nothing is decided by it.
pub(crate) fn seconds(at: Mono) -> Seconds {
    Seconds(at)
}

/// A time as seconds with three digits behind the point, made of whole numbers.
pub(crate) struct Seconds(Mono);

impl core::fmt::Display for Seconds {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let millis = self.0.as_nanos() / 1_000_000;
        f.pad_integral(true, "", &format!("{}.{:03}", millis / 1000, millis % 1000))
    }
}
