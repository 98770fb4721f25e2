//! The first picture of the pods. Until all that describes them was heard once, one that is
//! critical or protected looks like any other, and one that only a runtime knows is not
//! there: so no pod is evicted before, for a while (decision D65).

use core::time::Duration;

use evictd_node::Mono;

use crate::ports::{Heard, Listing};

/// How long an eviction waits after the first round for whoever says nothing.
const SILENT: Duration = Duration::from_secs(2);

/// How long it waits for whoever has begun to answer: a container runtime says in several answers
/// what it holds, and a slow one is slow with each.
const ANSWERING: Duration = Duration::from_secs(5);

/// How soon to decide again meanwhile. Memory is read as often, as nothing is promised
/// about it while it is short.
pub(crate) const SOON: Duration = Duration::from_millis(20);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Awaited,
    /// Somebody took too long.
    InPart,
    Whole,
}

/// How much of it there is, as of the last look.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Picture {
    /// When it was first looked at.
    begun: Option<Mono>,
    state: State,
}

impl Picture {
    /// Looks how much of it there is. Before pods are listed, so that the list holds all
    /// that was heard by then.
    pub(crate) fn look<P: Listing>(&mut self, now: Mono, pods: &P) {
        if self.state == State::Whole {
            return;
        }
        let waits = now.since(*self.begun.get_or_insert(now));
        self.state = match pods.heard() {
            Heard::All => State::Whole,
            Heard::Begun if waits < ANSWERING => State::Awaited,
            Heard::Nothing if waits < SILENT => State::Awaited,
            Heard::Begun | Heard::Nothing => State::InPart,
        };
    }

    pub(crate) const fn is_awaited(&self) -> bool {
        matches!(self.state, State::Awaited)
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.state == State::Whole
    }
}
