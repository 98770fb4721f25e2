//! The machine that is made up: memory by kind, disks, process ids, pods and what they do.
//!
//! It knows nothing of evictd. Time passes in it only by [`World::advance`]; whatever chance
//! it takes comes from the seed.

mod amount;
mod asked;
mod clock;
pub(crate) mod disk;
mod evictd;
mod full;
mod logs;
mod machine;
mod memory;
mod passing;
pub(crate) mod pod;
mod reading;
mod reclaim;
mod runtime;
mod says;
pub(crate) mod shown;
mod struck;

pub(crate) use clock::{clock, seconds, wall_clock};
pub(crate) use machine::World;
