//! What evictd keeps over a restart. While nothing happens nothing is written: the
//! directory may lie on a flash card.
//!
//! [`State`] is plain data: which conditions hold and when they were last
//! observed, since when thresholds are met, the last evictions, when images were used, and
//! which cgroups are protected. [`parse`] and
//! [`to_json`] turn it into text and back. Times count on over a restart of the
//! daemon, because its clock counts from the boot; over a reboot,
//! [`State::rebase`] takes over what wall time makes plausible.
//!
//! [`Keeper`] is what a daemon holds: the state in memory, and a directory that
//! belongs to evictd alone, held by its descriptor, with these files.
//!
//! | file | is |
//! |---|---|
//! | `state.json` | the state, padded with blanks; only ever replaced as a whole |
//! | `begun.jsonl` | evictions that are not in the state yet: the process may be killed |
//! | `state.spare` | room for the next one, so that a full disk stops no save |
//! | `events.jsonl` | the events of late ([`read_events`]), 32 KiB at most |
//! | `events.old.jsonl` | those before them |
//! | `lock` | locked (flock) while a daemon lives |
//!
//! Losing any of it loses no safety: without a state, the daemon starts as if
//! nothing had been observed before (failure F26).

mod begun;
mod boot;
mod error;
mod files;
mod journal;
mod json;
mod keeper;
mod object;
mod protected;
mod record;
mod saved;
mod writer;

pub use begun::parse as parse_begun;
pub use boot::read_boot_id;
pub use error::Error;
pub use files::{TryLock, read_state};
pub use journal::read_events;
pub use json::{MAX_BYTES, parse, to_json};
pub use keeper::{About, Keeper};
pub use protected::{Protected, in_order};
pub(crate) use record::by_name;
pub use record::{HISTORY, Outcome, Record};
pub use saved::{ConditionState, State};

#[cfg(test)]
mod tests;
