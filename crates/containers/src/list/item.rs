//! What lists are made of.

use alloc::sync::Arc;
use core::cmp::Reverse;

use crate::pods::Found;
use crate::{ContainerState, ListedImage, ListedVolume, WritableLayer};

/// An item of a list.
pub trait Item {
    /// What it is.
    fn kind(&self) -> &'static str;

    /// By which its runtime knows it; empty where that could not be read.
    fn id(&self) -> &str;

    /// By which a note names it.
    fn name(&self) -> &str {
        self.id()
    }
}

/// An item of a list that may be of any length: of those that have a rank only the first are
/// kept.
pub trait Ranked: Item {
    /// Sorts before what is kept less.
    type Rank: Copy + Ord;

    /// How many are kept that have a rank.
    const MOST: usize;

    /// None of what is always kept.
    fn rank(&self) -> Option<Self::Rank>;

    /// Of those that use this too one is kept, so that it does not look unused.
    fn uses(&self) -> Option<&Arc<str>> {
        None
    }

    /// What its texts take.
    fn bytes(&self) -> usize;

    /// Said once where such items are left out.
    fn left_out(&self) -> &'static str;
}

impl Item for Found {
    fn kind(&self) -> &'static str {
        if self.is_sandbox {
            "sandbox"
        } else {
            "container"
        }
    }

    fn id(&self) -> &str {
        &self.container.id
    }

    /// In each sandbox a container may have the name of another.
    fn name(&self) -> &str {
        let container = &self.container;
        if container.name.is_empty() || self.group.is_some() {
            &container.id
        } else {
            &container.name
        }
    }
}

impl Ranked for Found {
    /// One whose state could not be read may run.
    type Rank = (bool, i64);

    /// Each takes some hundred bytes, and some thousand once it is described.
    const MOST: usize = 1024;

    fn rank(&self) -> Option<Self::Rank> {
        let container = &self.container;
        let is_known = container.state != ContainerState::Unknown;
        (!self.runs()).then_some((is_known, container.created_nanos))
    }

    fn uses(&self) -> Option<&Arc<str>> {
        Some(&self.container.image).filter(|image| !image.is_empty())
    }

    fn bytes(&self) -> usize {
        let labels = self.labels.iter().chain(&self.annotations);
        let labels = labels.map(|(key, value)| key.len().saturating_add(value.len()));
        let container = &self.container;
        let names = [&*container.id, &container.name, &container.image];
        labels.chain(names.map(str::len)).sum()
    }

    fn left_out(&self) -> &'static str {
        if self.is_sandbox {
            "of the sandboxes that do not run only the oldest are listed, 1024 at most"
        } else {
            "of the containers that do not run only the oldest are listed, 1024 at most"
        }
    }
}

impl Item for ListedImage {
    fn kind(&self) -> &'static str {
        "image"
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn name(&self) -> &str {
        self.tags.first().unwrap_or(&self.id)
    }
}

impl Ranked for ListedImage {
    type Rank = Reverse<u64>;

    const MOST: usize = 4096;

    fn rank(&self) -> Option<Self::Rank> {
        Some(Reverse(self.size_bytes))
    }

    fn bytes(&self) -> usize {
        let names = self.tags.iter().chain(&self.digests);
        names.chain([&self.id]).map(String::len).sum()
    }

    fn left_out(&self) -> &'static str {
        "of the images only the largest are listed, 4096 at most"
    }
}

impl Item for ListedVolume {
    fn kind(&self) -> &'static str {
        "volume"
    }

    fn id(&self) -> &str {
        &self.name
    }
}

impl Ranked for ListedVolume {
    type Rank = (bool, i64);

    const MOST: usize = 4096;

    fn rank(&self) -> Option<Self::Rank> {
        let created = self.created_nanos.unwrap_or(i64::MAX);
        Some((!self.is_anonymous, created))
    }

    fn bytes(&self) -> usize {
        let path = self.path.as_os_str().len();
        self.name.len().saturating_add(path)
    }

    fn left_out(&self) -> &'static str {
        "of the unused volumes only the oldest without a name are listed, 4096 at most"
    }
}

/// What a container has written, by its id.
impl Item for (String, WritableLayer) {
    fn kind(&self) -> &'static str {
        "layer of container"
    }

    fn id(&self) -> &str {
        &self.0
    }
}
