//! The loop of node-pressure eviction: what outlives a restart, and how long its
//! stages take.
#![forbid(unsafe_code)]

extern crate alloc;

pub mod state;
pub mod timing;
