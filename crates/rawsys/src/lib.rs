//! The few syscalls that rustix lacks, behind safe functions.
//!
//! [`process_mrelease`] gives back a dying process's memory before it is gone;
//! [`block_signals`] and [`SignalFd`] turn signals into something to poll, and
//! [`wait_precisely`] waits for what is polled to the nanosecond;
//! [`read_project`] and [`read_project_usage`] ask for quotas instead of
//! counting files; [`set_idle_io_priority`] keeps a thread that counts out of
//! the way, [`set_realtime_priority`] gets the one that decides its turn, and
//! [`make_realtime`] one that it makes;
//! [`spawn_self`] starts this program once more; [`measure_fill_rate`]
//! tells how fast memory can be used up.
//! Errors are [`rustix::io::Errno`], so that callers compare one type.
//!
//! This crate holds the only `unsafe` of the tree: each block is one call into
//! libc with pointers to locals that outlive it.
#![deny(unsafe_op_in_unsafe_fn)]
#![expect(
    unsafe_code,
    reason = "rustix 1.1 lacks these syscalls; every other crate forbids unsafe"
)]

mod fill;
mod mrelease;
mod priority;
mod project;
mod signals;
mod spawn;
mod text;
mod wait;

pub use fill::{count_processors, measure_fill_rate};
pub use mrelease::process_mrelease;
pub use priority::{make_realtime, set_idle_io_priority, set_realtime_priority};
pub use project::{Project, ProjectUsage, read_project, read_project_usage};
pub use signals::{Received, SignalFd, block_signals};
pub use spawn::spawn_self;
pub use text::{forget_text, lock_addresses};
pub use wait::wait_precisely;
