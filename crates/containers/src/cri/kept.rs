//! What of a list of sandboxes or containers is kept.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;

use crate::ContainerState;
use crate::pods::Found;

/// The most sandboxes or containers that are kept of those that have ended, and the most
/// bytes of their texts.
const MOST_DEAD: usize = 4096;
const MOST_DEAD_BYTES: usize = 2 << 20;
/// The most images that are remembered of the others.
const MOST_IMAGES: usize = 4096;

/// Everything but what has ended, and of that the oldest, which is collected first. The
/// others are known again once those are gone. So a node of any age costs bounded memory.
#[derive(Default)]
pub(super) struct Kept {
    live: Vec<(usize, Found)>,
    /// By age, then by place in the list.
    dead: BTreeMap<(i64, usize), Found>,
    /// What the texts of those take.
    bytes: usize,
    count: usize,
    left_out: usize,
    /// What the containers name as their images that are left out.
    images: BTreeSet<Arc<str>>,
}

impl Kept {
    pub(super) fn take(&mut self, found: Found) {
        let place = self.count;
        self.count = place.saturating_add(1);
        if found.container.state != ContainerState::Exited {
            self.live.push((place, found));
            return;
        }
        self.bytes = self.bytes.saturating_add(bytes_of(&found));
        let age = found.container.created_nanos;
        self.dead.insert((age, place), found);
        while (self.dead.len() > MOST_DEAD || self.bytes > MOST_DEAD_BYTES)
            && let Some((_, newest)) = self.dead.pop_last()
        {
            self.leave_out(newest);
        }
    }

    fn leave_out(&mut self, found: Found) {
        self.bytes = self.bytes.saturating_sub(bytes_of(&found));
        self.left_out = self.left_out.saturating_add(1);
        let image = found.container.image;
        if self.images.len() < MOST_IMAGES && !image.is_empty() {
            self.images.insert(image);
        }
    }

    /// A line about those that are left out; `what` names them. It stays the same while they
    /// are about as many.
    pub(super) fn note(&self, what: &str) -> Option<String> {
        let digits = self.left_out.checked_ilog10()?;
        let unit = 10_usize.saturating_pow(digits);
        let about = self.left_out.saturating_sub(self.left_out % unit);
        Some(format!(
            "at least {about} {what} that have ended are left out; the oldest are listed"
        ))
    }

    /// What is kept, in the order of the list, and the images of the containers that are left
    /// out.
    pub(super) fn finish(self) -> (Vec<Found>, BTreeSet<Arc<str>>) {
        let dead = self
            .dead
            .into_iter()
            .map(|((_, place), found)| (place, found));
        let mut all = self.live;
        all.extend(dead);
        all.sort_unstable_by_key(|(place, _)| *place);
        (
            all.into_iter().map(|(_, found)| found).collect(),
            self.images,
        )
    }
}

fn bytes_of(found: &Found) -> usize {
    let one = &found.container;
    let labels = found.labels.iter().chain(&found.annotations);
    let labels = labels.map(|(key, value)| key.len().saturating_add(value.len()));
    let names = [one.id.len(), one.name.len(), one.image.len()];
    labels.chain(names).sum()
}
