//! For a disk the next pod is evicted only once the last one is down, as it might go on writing.

use core::time::Duration;

use evictd_engine::{Decision, Event};
use evictd_node::Mono;

use crate::violation::Violation;
use crate::world::World;

/// So long what the last pod left is awaited (docs/dev/decisions.md, D31), but for a moment.
const MOST: Duration = Duration::from_secs(29);

/// A pod that was evicted for a disk, and whose runtime was told to end it.
#[derive(Debug, Default)]
pub(super) struct Down {
    last: Option<Last>,
}

#[derive(Debug)]
struct Last {
    uid: String,
    gone: Option<Mono>,
}

impl Down {
    pub(super) fn restarted(&mut self) {
        self.last = None;
    }

    /// Another is evicted, or what became of this one is told.
    pub(super) fn judge(&mut self, world: &mut World, event: &Event) {
        let now = world.now;
        if let Event::Evicting(decision) = event {
            self.begin(world, decision);
        } else if let Event::Killed { victim, .. } = event {
            let last = self.last.as_mut().filter(|last| last.uid == victim.uid);
            if let Some(last) = last {
                last.gone = Some(now);
            }
        } else if let Event::Stuck { victim, .. } | Event::NotBegun { victim, .. } = event {
            self.last.take_if(|last| last.uid == victim.uid);
        }
    }

    fn begin(&mut self, world: &mut World, decision: &Decision) {
        let now = world.now;
        let threshold = decision.threshold.as_ref();
        let disk = threshold.and_then(|of| of.signal.filesystem());
        let victim = &decision.victim.uid;
        let last = self.last.take();
        let open = last.filter(|last| {
            let is_awaited = last.gone.is_some_and(|gone| now < gone + MOST);
            is_awaited && disk.is_some() && !world.kills.down.contains(&last.uid)
        });
        if let Some(Last { uid, .. }) = open {
            let text = format!("{victim} goes, and {uid} is not known to be down");
            let found = Violation::new("not-down", now, text);
            world.violations.push(found);
        }
        let uid = victim.clone();
        let is_told = disk.is_some() && world.runtime.exists;
        self.last = is_told.then_some(Last { uid, gone: None });
    }
}
