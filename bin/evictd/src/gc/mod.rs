//! Collecting what nobody needs any more: dead containers, images, and what pods
//! left on disk; by `evictd gc`, and for the daemon.

mod collect;
mod containers;
mod images;
mod once;
mod runtime;

pub(crate) use collect::{Collected, Collection, Collector};
pub(crate) use containers::run as run_containers;
pub(crate) use images::run as run_images;
pub(crate) use runtime::{Kind, RuntimeCollected, RuntimeCollector, SharedRecords};

/// What was asked for.
pub(crate) struct GcOptions {
    pub(crate) json: bool,
}
