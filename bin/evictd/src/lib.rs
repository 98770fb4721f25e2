//! The evictd program, as a library: [`run`] is the whole of it.
//!
//! No decisions are made here. The daemon joins the crates that measure, decide and act; a
//! process beside it serves metrics, and another one runs the operator's program for each
//! record. The commands are the crate `evictd-cli`, which the feature `cli` brings in.
#![forbid(unsafe_code)]

extern crate alloc;

mod daemon;
mod hook;
mod log;
mod run;
mod sandbox;
mod serve;

pub use run::run;
