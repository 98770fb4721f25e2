#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod compare;
mod coverage;
mod feature;
mod on_disk;
mod oracles;
mod plan;
mod ports;
mod random;
mod recorded;
mod run;
mod shrink;
mod story;
mod strike;
mod thresholds;
mod violation;
mod world;

pub use compare::Comparison;
pub use coverage::Coverage;
pub use feature::{Feature, Features};
pub use plan::{MOST_PODS, Plan};
pub use recorded::replay;
pub use run::{run, watch};
pub use shrink::shrink;
pub use story::{Report, Watched};
pub use violation::Violation;

#[cfg(test)]
mod tests;
