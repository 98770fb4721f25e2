//! The loop of node-pressure eviction over its ports, what outlives a restart, and how
//! long its stages take.
#![forbid(unsafe_code)]

extern crate alloc;

pub mod amount;
mod census;
mod engine;
mod event;
mod killing;
mod pace;
pub mod ports;
mod reclaiming;
pub mod state;
mod telling;
pub mod timers;
pub mod timing;

pub use engine::{Engine, FIRST_FS_WAIT, FS_WAIT, Settings};
pub use event::{Decision, Event, Field, Fields, Tell, Victim};
