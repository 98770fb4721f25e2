#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod observer;
mod run;
mod sandbox;
mod verdict;
mod workload;

pub use run::evict_one;
pub use verdict::{Check, Verdict};
pub use workload::{ARGUMENT as WORKLOAD_ARGUMENT, run as run_workload};
