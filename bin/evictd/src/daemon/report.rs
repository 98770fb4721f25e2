//! The regular line of conditions and readings.

use core::time::Duration;

use evictd_machine::engine::Engine;
use evictd_node::Mono;

/// As often as a kubelet reports by default.
const EVERY: Duration = Duration::from_secs(10);

/// Logs it, where it is asked for.
pub(super) struct Report {
    pub(super) next: Option<Mono>,
}

impl Report {
    pub(super) fn new() -> Self {
        let wanted = log::log_enabled!(log::Level::Debug);
        Self {
            next: wanted.then_some(Mono::ZERO),
        }
    }

    pub(super) fn log_if_due(&mut self, now: Mono, engine: &Engine) {
        if self.next.is_some_and(|next| now >= next) {
            self.next = Some(now + EVERY);
            crate::log::readings(engine);
        }
    }
}
