//! Scripts of time and readings, and what the engine does of them.

mod properties;
mod script;
mod scripts;
