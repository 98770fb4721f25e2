//! Scripts of time and readings, and what the engine does of them.

mod amount;
mod properties;
mod script;
mod scripts;
mod timers;
