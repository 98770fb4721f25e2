//! Where images and writable layers lie, as the container runtimes say it: one that
//! was started after evictd says it late (decision D55).

use evictd_node::Mono;
use evictd_stats::NodeReader;

use super::{Engine, Event, Tell};

impl Engine {
    /// The mount table has changed: the filesystems are looked at anew (decision D55).
    pub(crate) fn mounts_changed(&mut self) {
        self.reader.mounts_changed();
    }

    /// Watches the filesystems that the runtimes name, unless flags name them.
    pub(super) fn follow_disks(&mut self, now: Mono, tell: Tell<'_>) {
        let mut node = self.node.clone();
        let (images, layers) = self.pods.runtimes.places();
        if self.finds_imagefs && images.is_some() {
            node.imagefs = images;
        }
        if self.finds_containerfs && layers.is_some() {
            node.containerfs = layers;
        }
        if node.imagefs == self.node.imagefs && node.containerfs == self.node.containerfs {
            return;
        }
        match NodeReader::open(node.clone()) {
            Ok(reader) => {
                (self.reader, self.node) = (reader, node);
                self.tick_now();
            }
            Err(error) => tell(now, &Event::problem("filesystem", &error)),
        }
    }
}
