//! The pod that is evicted again and again, because something starts it anew.

use alloc::string::String;
use core::time::Duration;

use evictd_node::{Mono, Signal};

/// After so long without an eviction a pod counts as new.
const WINDOW: Duration = Duration::from_secs(600);

/// The last eviction, and how many of the same there were.
#[derive(Default)]
pub(crate) struct Repeats {
    namespace: String,
    name: String,
    signal: Option<Signal>,
    times: u32,
    first: Mono,
    last: Mono,
}

impl Repeats {
    /// A pod is evicted. Returns how often that was so, and within how many seconds.
    pub(crate) fn note(
        &mut self,
        now: Mono,
        (namespace, name): (&str, &str),
        signal: Option<Signal>,
    ) -> (u32, u64) {
        let is_same = self.signal == signal && self.name == name && self.namespace == namespace;
        if !is_same || now.since(self.last) >= WINDOW {
            *self = Self {
                namespace: namespace.into(),
                name: name.into(),
                signal,
                first: now,
                ..Self::default()
            };
        }
        self.last = now;
        self.times = self.times.saturating_add(1);
        (self.times, now.since(self.first).as_secs())
    }

    /// Whether what happens to that signal belongs to it.
    pub(crate) fn is_of(&self, now: Mono, signal: Signal) -> bool {
        self.times > 1 && self.signal == Some(signal) && now.since(self.last) < WINDOW
    }
}
