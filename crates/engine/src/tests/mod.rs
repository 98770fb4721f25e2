//! Scripts of time and readings, and what the engine does of them.

mod asked;
mod descriptors;
mod disk_relief;
mod disks;
mod kills;
mod picture;
mod properties;
mod script;
mod scripts;
mod stall;
mod timers;
