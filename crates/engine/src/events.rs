//! What has happened and is to be told. The engine only notes it here, and the loop around it
//! tells it once the engine has done what was due: so nothing, however slow its reader is,
//! is told between a decision and SIGKILL.

use alloc::vec::Drain;

use evictd_node::Mono;

use crate::event::Event;

/// More than happens in a turn of the loop, but for the rarest.
const MANY: usize = 32;

/// Events in their order, each with the time of the turn in which it happened.
pub(crate) struct Events(Vec<(Mono, Event)>);

impl Default for Events {
    fn default() -> Self {
        Self(Vec::with_capacity(MANY))
    }
}

impl Events {
    pub(crate) fn tell(&mut self, now: Mono, event: Event) {
        self.0.push((now, event));
    }

    /// Makes the memory that a turn needs, before anything is decided in it.
    pub(crate) fn reserve(&mut self) {
        self.0.reserve(MANY);
    }

    /// Hands them over, and keeps the memory that they took.
    pub(crate) fn take(&mut self) -> Drain<'_, (Mono, Event)> {
        self.0.drain(..)
    }
}
