//! The regular line of conditions and readings.

use core::time::Duration;

use evictd_config::Resolved;
use evictd_machine::engine::Engine;
use evictd_node::Mono;

/// Logs it, where it is asked for.
pub(super) struct Report {
    every: Duration,
    pub(super) next: Option<Mono>,
}

impl Report {
    pub(super) fn new(settings: &Resolved) -> Self {
        let wanted = log::log_enabled!(log::Level::Debug);
        Self {
            every: settings.node_status_update_frequency,
            next: wanted.then_some(Mono::ZERO),
        }
    }

    pub(super) fn log_if_due(&mut self, now: Mono, engine: &Engine) {
        if self.next.is_some_and(|next| now >= next) {
            self.next = Some(now + self.every);
            crate::log::readings(engine);
        }
    }
}
