#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod admit;
pub mod args;
mod check;
mod columns;
mod completions;
mod config;
mod explain;
mod gc;
mod history;
mod look;
mod man;
mod metrics;
mod moments;
mod next;
mod oom_score;
mod output;
mod record;
mod reload;
mod replay;
mod run;
mod sampled;
mod screen;
mod selftest;
mod status;
#[cfg(test)]
mod tests;

pub use run::run;
