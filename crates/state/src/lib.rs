#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod damaged;
mod error;
#[cfg(feature = "files")]
mod files;
mod json;
mod object;
mod protected;
mod record;
mod relief;
mod remembered;
mod saved;

pub use error::Error;
#[cfg(feature = "files")]
pub use files::{About, Keeper, TryLock, read_boot_id, read_events, read_state};
pub use json::{MAX_BYTES, parse, parse_begun, to_json};
pub use protected::Protected;
pub use record::{HISTORY, Outcome, Record, annotations_by_name};
pub use relief::{RELIEFS, Relief};
pub use remembered::Remembered;
pub use saved::{ConditionState, State};

#[cfg(test)]
#[cfg(feature = "files")]
mod tests;
