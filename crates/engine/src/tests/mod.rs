//! Scripts of time and readings, and what the engine does of them.

mod descriptors;
mod disks;
mod kills;
mod ladder;
mod picture;
mod properties;
mod script;
mod scripts;
mod stall;
mod timers;
