#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod counts;
mod kubernetes;
mod page;
mod prometheus;
mod resource;
pub mod summary;

pub use counts::Counts;
pub use page::page;
pub use summary::Summary;
