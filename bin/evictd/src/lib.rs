//! The evictd program, as a library so that tests and fuzzing can get at its
//! command line: [`run`] is the whole of it.
//!
//! No decisions are made here. [`cli::args`] turns the command line into settings,
//! each command lies in a module of its own, and the daemon joins the crates
//! that measure, decide and act.
#![forbid(unsafe_code)]

extern crate alloc;

pub mod cli;
mod config_file;
mod daemon;
mod descriptors;
mod dump;
mod engine;
mod exporter;
mod gc;
mod hook;
mod kernel;
mod log;
mod machine;
mod memory;
mod metrics;
mod notify;
mod oom_score;
mod plain;
mod pods;
mod protect;
mod reload;
mod roots;
mod runtimes;
mod sandbox;
mod setup;
pub mod socket;
mod supervisor;

pub use cli::run;
use evictd_engine::amount;
