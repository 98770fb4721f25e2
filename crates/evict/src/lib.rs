#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod choose;
mod clean_up;
mod config;
mod elsewhere;
mod evict;
mod evidence;
mod explain;
mod left;
mod limits;
mod message;
mod no_pod;
mod observe;
mod outcome;
mod plan;
mod reclaim;
mod reconfigure;
mod rehearsal;
pub mod relief;
mod restart;
mod returns;
mod skipped;
mod stage;
mod state;
mod verdict;
mod watched;
mod worth;

pub use config::Config;
pub use evict::Evict;
pub use left::{Left, Remedy};
pub use no_pod::NoPod;
pub use observe::{Met, Observation};
pub use plan::{Annotations, Cause, Eviction, Message, Outcome, Plan};
pub use reclaim::NodeReclaim;
pub use restart::{EvictState, FirstMet};
pub use returns::{Return, Returns};
pub use skipped::Skip;
pub use stage::{OutcomeName, Reaction, StageName, reaction};
pub use verdict::{Account, Holds, Proposed, Shortage, Verdict};
pub use watched::Thresholds;

#[cfg(test)]
mod tests;
