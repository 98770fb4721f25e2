//! `evictd gc`: one collection of what nobody needs any more.

mod containers;
mod images;
mod once;

pub(crate) use containers::run as run_containers;
pub(crate) use images::run as run_images;

/// What was asked for.
pub(crate) struct GcOptions {
    pub(crate) json: bool,
}
