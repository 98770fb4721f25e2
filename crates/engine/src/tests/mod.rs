//! Scripts of time and readings, and what the engine does of them.

mod amount;
mod descriptors;
mod disks;
mod ladder;
mod picture;
mod properties;
mod script;
mod scripts;
mod timers;
