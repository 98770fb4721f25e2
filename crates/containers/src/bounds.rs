//! How much is taken from a container runtime. With all of it, evictd keeps within
//! 16 MiB; a node with so much in its runtime has lost its order long before.

use crate::{Found, ListedImage, WritableLayer};

/// The most containers, sandboxes or images of one list.
const MOST_ITEMS: usize = 4096;
/// The most labels, annotations and names of all items of a list.
const MOST_PARTS: usize = 16_384;
/// The same of one item.
pub(crate) const MOST_OF_ONE: usize = 1024;
/// The most images that are mounted in one container; each may cost a call.
pub(crate) const MOST_IMAGE_VOLUMES: usize = 128;
/// The most bytes of all that is kept of a list's texts.
const MOST_TEXT_BYTES: usize = 2 << 20;
/// The longest label that is kept; no longer one means anything to evictd.
pub(crate) const MOST_LABEL_BYTES: usize = 1024;

pub(crate) const TOO_MANY_OF_ONE: &str = "more than 1024 labels or names of one kind";

/// Counts what a list brings, item by item.
#[derive(Default)]
pub(crate) struct Bounds {
    items: usize,
    parts: usize,
    bytes: usize,
}

impl Bounds {
    /// # Errors
    /// What there is too much of.
    pub(crate) fn take(&mut self, item: &impl Weigh) -> Result<(), &'static str> {
        self.items = self.items.saturating_add(1);
        item.weigh(&mut |text| {
            self.parts = self.parts.saturating_add(1);
            self.bytes = self.bytes.saturating_add(text.len());
        });
        if self.items > MOST_ITEMS {
            Err("more than 4096 items in a list")
        } else if self.parts > MOST_PARTS + 8 * self.items {
            Err("more than 16384 labels, annotations and names in a list")
        } else if self.bytes > MOST_TEXT_BYTES {
            Err("more than 2 MiB of labels, annotations and names in a list")
        } else {
            Ok(())
        }
    }
}

/// An item of a list.
pub trait Weigh {
    /// Shows all its texts.
    fn weigh(&self, show: &mut dyn FnMut(&str));
}

impl Weigh for Found {
    fn weigh(&self, show: &mut dyn FnMut(&str)) {
        let container = &self.container;
        show(&container.id);
        show(&container.image);
        show(container.sandbox.as_deref().unwrap_or_default());
        for (key, value) in self.labels.iter().chain(&self.annotations) {
            show(key);
            show(value);
        }
    }
}

impl Weigh for ListedImage {
    fn weigh(&self, show: &mut dyn FnMut(&str)) {
        show(&self.id);
        self.tags
            .iter()
            .chain(&self.digests)
            .for_each(|name| show(name));
    }
}

impl Weigh for (String, WritableLayer) {
    fn weigh(&self, show: &mut dyn FnMut(&str)) {
        show(&self.0);
    }
}
