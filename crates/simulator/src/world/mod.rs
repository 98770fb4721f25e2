//! The machine that is made up: memory by kind, disks, process ids, pods and what they do.
//!
//! It knows nothing of evictd. Time passes in it only by [`World::advance`]; whatever chance
//! it takes comes from the seed.

mod amount;
mod asked;
pub(crate) mod bounds;
mod brink;
mod clock;
mod clocks;
mod described;
mod describing;
pub(crate) mod disk;
mod ebb;
mod ebbing;
mod evictd;
mod full;
mod knobs;
mod limits;
mod logs;
mod machine;
mod memory;
mod operator;
mod passing;
pub(crate) mod pod;
mod pressed;
mod reading;
mod reclaim;
mod relief_rules;
pub(crate) mod reliever;
mod relieving;
mod runtime;
mod says;
pub(crate) mod shown;
mod struck;
mod upset;

pub(crate) use clock::{clock, seconds, wall_clock};
pub(crate) use machine::World;
