//! The state machine of node-pressure eviction.
//!
//! It is fed and asked, it never acts: [`Evict::step`] takes the time and what
//! was observed and answers with a [`Plan`]; the caller carries the plan out and
//! hands the result to [`Evict::outcome`], which answers with the next plan of
//! the round, until [`Plan::Rest`]. No clock, no I/O, and no allocation in a round
//! that finds nothing wrong; so a whole run replays from a recorded file.
//!
//! A round follows Kubernetes v1.32.10 (`eviction_manager.go`, `synchronize`):
//! which thresholds are met; those met before and not yet reclaimed by their
//! minimum; since when; the conditions they raise; those whose grace is over;
//! those of them with fresh observations; local storage limits; the one to act
//! on, memory first; what the node itself can give back; and one pod. Where
//! evictd does better by default, a field of [`Policy`](evictd_node::Policy) says so.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod choose;
mod config;
mod evict;
mod limits;
mod memory;
mod message;
mod observe;
mod plan;
mod reclaim;
mod set;
mod state;

pub use config::{Config, TooManyThresholds};
pub use evict::Evict;
pub use memory::{FirstMet, Memory};
pub use observe::{Met, Observation};
pub use plan::{Annotations, Cause, Eviction, Message, Outcome, Plan};
pub use reclaim::NodeReclaim;

#[cfg(test)]
mod tests;
