#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod confined;
mod device;
pub mod engine;
pub mod facts;
pub mod gc;
pub mod keep_alive;
pub mod kernel;
pub mod memory_relief;
pub mod notify;
pub mod oom_score;
pub mod pods;
pub mod protect;
pub mod relief;
pub mod roots;
pub mod runtimes;
pub mod setup;
pub mod summary;

/// Where procfs is mounted.
pub const PROC: &str = "/proc";
