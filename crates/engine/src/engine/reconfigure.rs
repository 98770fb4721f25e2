//! Other settings for an engine that runs.

use core::time::Duration;

use evictd_evict::TooManyThresholds;
use evictd_node::Mono;

use super::Engine;
use crate::ports::{Node, Pods, Reclaim};
use crate::settings::Settings;
use crate::timers::Timer;

/// How soon after the first round by other settings the next one begins.
const AFTER_RELOAD: Duration = Duration::from_millis(50);

impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// Goes on with other settings, but for the clocks and the number of processors, which
    /// stay. A round is due now, and soon after it another: a threshold that has changed
    /// needs two to act ([`Evict::reconfigure`](evictd_evict::Evict::reconfigure)). What
    /// goes on goes on: the kill in flight ends as it was begun.
    ///
    /// # Errors
    /// As [`Engine::new`]; then nothing has changed.
    pub fn reconfigure(&mut self, mut settings: Settings) -> Result<(), TooManyThresholds> {
        self.evict
            .reconfigure(core::mem::take(&mut settings.evict))?;
        self.settings = Settings {
            processors: self.settings.processors,
            clock: self.settings.clock,
            wall_clock: self.settings.wall_clock,
            ..settings
        };
        self.is_new = true;
        self.round_now();
        Ok(())
    }

    /// The first round by other settings is soon followed by the next.
    pub(super) fn hasten_after_reload(&mut self, now: Mono) {
        if core::mem::take(&mut self.is_new) {
            self.timers.set_earlier(Timer::Round, now + AFTER_RELOAD);
        }
    }
}
