//! The directory in which the state is kept, and who writes there.

mod begun;
mod home;
mod journal;
mod keeper;
mod writer;

use std::io::{self, Read};
use std::path::Path;

use crate::saved::MOST_BOOT_ID;
pub use home::{TryLock, read_state};
pub use journal::read_events;
pub use keeper::{About, Keeper};

#[cfg(test)]
pub(crate) use home::{Home, occupy};
#[cfg(test)]
pub(crate) use journal::{Journal, MOST};

/// Which boot this is: `PROC/sys/kernel/random/boot_id`, another one after each
/// boot, the same in every container.
///
/// # Errors
/// Where it cannot be read, or is empty.
pub fn read_boot_id(proc: &Path) -> io::Result<String> {
    let file = std::fs::File::open(proc.join("sys/kernel/random/boot_id"))?;
    let mut text = Vec::new();
    // The kernel's file is one short line.
    file.take(256).read_to_end(&mut text)?;
    match core::str::from_utf8(&text).unwrap_or_default().trim() {
        id if id.is_empty() || id.len() > MOST_BOOT_ID => Err(io::ErrorKind::InvalidData.into()),
        id => Ok(id.to_owned()),
    }
}
