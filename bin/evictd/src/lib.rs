//! The evictd program, as a library so that tests and fuzzing can get at its
//! command line: [`run`] is the whole of it.
//!
//! No decisions are made here. [`cli::args`] turns the command line into settings,
//! each command lies in a module of its own, the daemon joins the crates that measure,
//! decide and act, and a process beside it serves metrics.
#![forbid(unsafe_code)]

extern crate alloc;

pub mod cli;
mod config_file;
mod daemon;
mod log;
mod metrics_file;
mod sandbox;
mod serve;

pub use cli::run;
