#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bounds;
mod choose;
mod clean_up;
mod config;
mod disk_relief;
mod elsewhere;
mod evict;
mod evidence;
mod explain;
mod left;
mod limits;
pub mod memory_relief;
mod message;
mod no_pod;
mod observe;
mod outcome;
mod plan;
mod reconfigure;
mod rehearsal;
mod restart;
mod returns;
mod skipped;
mod stage;
mod state;
mod verdict;
mod watched;
mod worth;

pub use config::Config;
pub use disk_relief::{NodeReclaim, Step};
pub use evict::Evict;
pub use left::{Left, Remedy};
pub use no_pod::NoPod;
pub use observe::{Met, Observation};
pub use plan::{Annotations, Cause, Eviction, Message, Outcome, Plan, Relieved};
pub use restart::{EvictState, FirstMet};
pub use returns::{Return, Returns};
pub use skipped::Skip;
pub use stage::{OutcomeName, Reaction, StageName, reaction};
pub use verdict::{Account, Holds, Proposed, Shortage, Verdict};
pub use watched::Thresholds;

#[cfg(test)]
mod tests;
