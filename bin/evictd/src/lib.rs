//! The evictd program, as a library so that tests and fuzzing can get at its
//! command line: [`run`] is the whole of it.
//!
//! No decisions are made here. [`args`] turns the command line into settings,
//! each command lies in a module of its own, and the daemon joins the crates
//! that measure, decide and act.
#![forbid(unsafe_code)]

extern crate alloc;

mod admit;
mod amount;
pub mod args;
mod columns;
mod config_command;
mod config_file;
mod daemon;
mod engine;
mod gc;
mod history;
mod local;
mod log;
mod machine;
mod memory;
mod metrics;
mod notify;
mod oom_score;
mod pods;
mod protect;
mod rank;
mod run;
mod runtimes;
mod screen;
mod selftest;
pub mod serve;
mod setup;
mod snapshot;
mod status;
mod timing;

pub use run::run;
