#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod pods;
pub mod runtimes;

pub use pods::{AllPods, Consent, Pods};
