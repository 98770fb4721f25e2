//! Collecting what is no longer needed: dead containers, images, and what pods
//! left on disk; for the daemon, and for `evictd gc`.

mod collect;
mod leftovers;
mod runtime;

pub use collect::{Collected, Collector, Deleted};
pub use leftovers::Cleaner;
pub use runtime::{Item, RuntimeCollected, RuntimeCollector, SharedRecords};
