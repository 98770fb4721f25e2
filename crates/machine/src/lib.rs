#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod config_file;
pub mod engine;
pub mod facts;
pub mod keep_alive;
pub mod kernel;
pub mod memory_relief;
pub mod metrics_file;
pub mod notify;
pub mod oom_score;
pub mod protect;
pub mod roots;
pub mod setup;
pub mod summary;
