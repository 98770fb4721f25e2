//! Runs a program of the operator's for each record of the daemon.
//!
//! The daemon starts itself once more, early: that process is not locked in memory, gives up
//! no privilege that a program may need, and runs the program for one record after the other,
//! with the record on its standard input and its fields in the environment (`EVICTD_POD`). The
//! daemon writes records, a line of JSON each, into a pipe and never waits: what a slow program
//! leaves no space for is lost, and evictd logs that. A program that takes more than ten
//! seconds is killed with all that it started; only the first of its complaints are passed on;
//! while process ids are short none is run; and what a daemon that has ended left behind is
//! still handed to the program, for ten seconds at most.
//!
//! It decides nothing, keeps no record and knows no flag but the name that it is told by.

mod complaints;
mod handle;
mod outlet;
mod records;
mod runner;

pub(crate) use handle::Hook;
pub(crate) use runner::{ARGUMENT, run};
