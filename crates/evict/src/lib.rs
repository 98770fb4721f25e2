//! The state machine of node-pressure eviction.
//!
//! It decides and never acts: [`Evict::step`] takes the time and what
//! was observed and returns a [`Plan`]; the caller carries the plan out and
//! hands the result to [`Evict::outcome`], which returns the next plan of
//! the round, until [`Plan::Rest`]. Time is an argument. It knows no files, no sockets and
//! no cgroups, and does not allocate in a round that finds nothing wrong; so a whole run
//! replays from a recorded file.
//!
//! A round follows the kubelet (`eviction_manager.go`, `synchronize`):
//! which thresholds are met; those met before and not yet reclaimed by their
//! minimum; since when; the conditions they raise; those whose grace is over;
//! those of them with fresh observations; local storage limits; the one to act
//! on, memory first; what the node itself can give back; and one pod. Where
//! evictd does better by default, a field of [`Policy`](evictd_node::Policy) says so.
//!
//! ```
//! use evictd_evict::{Config, Evict, Observation, Outcome, Plan, Spared};
//! use evictd_node::pod::Pod;
//! use evictd_node::{Mono, Reading, Readings, Signal};
//! use evictd_rank::Candidate;
//! use evictd_threshold::{Lists, parse};
//!
//! let thresholds = parse(&Lists { hard: "memory.available<100Mi", ..Lists::default() })?;
//! let mut evict = Evict::new(Config { thresholds, ..Config::default() }).unwrap();
//! let mut readings = Readings::default();
//! let reading = Reading { available: 50 << 20, capacity: 1 << 30, sampled: None };
//! readings.set(Signal::MemoryAvailable, Some(reading));
//!
//! let observation = Observation { readings: &readings, layout: None };
//! assert_eq!(evict.step(Mono::ZERO, &observation, None), Plan::ReadPods);
//! let pods = [Candidate { pod: &Pod::default(), usage: None }];
//! let plan = evict.outcome(Mono::ZERO, Outcome::PodsRead, Some(&pods));
//! assert!(matches!(plan, Plan::Evict(eviction) if eviction.candidate == 0));
//! # Ok::<(), evictd_threshold::Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod choose;
mod config;
mod evict;
mod evidence;
mod explain;
mod limits;
mod memory;
mod message;
mod observe;
mod plan;
mod reclaim;
mod rehearsal;
mod set;
mod state;
mod worth;

pub use config::{Config, TooManyThresholds};
pub use evict::Evict;
pub use memory::{FirstMet, Memory};
pub use observe::{Met, Observation};
pub use plan::{Annotations, Cause, Eviction, Message, Outcome, Plan, Spared};
pub use reclaim::NodeReclaim;

#[cfg(test)]
mod tests;
