//! The loop of node-pressure eviction over three ports, what outlives a restart, and how
//! long its stages take.
//!
//! An [`Engine`] asks its [`ports`] what the node has left and which pods there are, lets
//! [`evictd_evict`] decide, and has the ports carry that out; what happens it reports as
//! [`Event`]s. The loop around it calls [`Engine::run_due`] whenever [`Engine::wake_at`] has
//! come, a descriptor of a kill is readable, or somebody else has news for it.
//!
//! What this crate does not do: it reads no file, asks no clock, writes no log line and
//! listens to no signal; and it never decides which pod is evicted, which
//! [`evictd_evict`] does.
//!
//! ```
//! use evictd_engine::fake::{FakeNode, FakePod, FakePods, FakeReclaim};
//! use evictd_engine::ports::Sample;
//! use evictd_engine::{Engine, Settings};
//! use evictd_node::{Mono, Reading, Signal};
//! use evictd_threshold::{Lists, parse};
//!
//! const MIB: i64 = 1 << 20;
//! let mut settings = Settings::default();
//! settings.evict.thresholds = parse(&Lists {
//!     hard: "memory.available<100Mi",
//!     ..Lists::default()
//! })?;
//! let mut sample = Sample::default();
//! sample.readings.set(
//!     Signal::MemoryAvailable,
//!     Some(Reading { available: 60 * MIB, capacity: 1024 * MIB, sampled: None }),
//! );
//! let mut node = FakeNode::default();
//! node.set(sample);
//! let pods = FakePods::of([FakePod::new("small", 1 << 20), FakePod::new("big", 600 << 20)]);
//! let mut engine = Engine::new(settings, (node, pods, FakeReclaim::default()))?;
//!
//! let mut told = Vec::new();
//! engine.run_due(Mono::from_millis(1), &mut |_, event| told.push(event.name()));
//! assert_eq!(engine.pods.killed(), ["big"]);
//! assert_eq!(told, ["met", "condition", "evicting", "killed"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

extern crate alloc;

pub mod amount;
mod census;
mod engine;
mod event;
pub mod fake;
mod fields;
mod killing;
mod pace;
mod pages;
pub mod ports;
mod reclaiming;
mod repeats;
mod settings;
pub mod state;
mod telling;
pub mod timers;
pub mod timing;

pub use engine::{Engine, FIRST_FS_WAIT, FS_WAIT};
pub use event::{Decision, Event, OomKilled, Tell, Victim, full_name, summary};
pub use fields::Fields;
pub use settings::Settings;

#[cfg(test)]
mod tests;
