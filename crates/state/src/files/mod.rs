//! The directory in which the state is kept, and who writes there.

mod begun;
mod boot;
mod home;
mod journal;
mod keeper;
mod writer;

pub use boot::read_boot_id;
pub use home::{TryLock, read_state};
pub use journal::read_events;
pub use keeper::{About, Keeper};

#[cfg(test)]
pub(crate) use home::{Home, occupy};
#[cfg(test)]
pub(crate) use journal::{Journal, MOST};
