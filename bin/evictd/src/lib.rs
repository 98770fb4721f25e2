//! The evictd program, as a library so that tests and fuzzing can get at its
//! command line: [`run`] is the whole of it.
//!
//! No decisions are made here. [`args`] turns the command line into settings,
//! each command lies in a module of its own, and the daemon joins the crates
//! that measure, decide and act.
#![forbid(unsafe_code)]

pub mod args;
mod columns;
mod config_command;
mod daemon;
mod rank;
mod run;
mod selftest;
mod status;

pub use run::run;
