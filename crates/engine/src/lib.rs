#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod awaited;
mod engine;
mod event;
mod events;
pub mod fake;
mod fields;
mod holding;
mod killing;
mod listing;
mod own_log;
mod pace;
mod pages;
mod picture;
pub mod ports;
mod reclaiming;
mod settings;
mod telling;
pub mod timers;
pub mod timing;

pub use engine::{Engine, FIRST_FS_WAIT, FS_WAIT, Gate};
pub use event::{Decision, Event, EvictionLoop, OomKilled, Victim, Volume, full_name, summary};
pub use fields::Fields;
pub use settings::Settings;

#[cfg(test)]
mod tests;
