//! The few syscalls that rustix lacks, behind safe functions.
//!
//! [`process_mrelease`] gives back a dying process's memory before it is gone;
//! [`read_project`] and [`read_project_usage`] ask for quotas instead of
//! counting files; [`Priority`] gives a thread its turn among all of the machine;
//! [`lock_program`] keeps the program in memory; [`Helper`] is a thread for what may
//! block.
//! Errors are [`rustix::io::Errno`], so that callers compare one type.
//!
//! This crate holds the only `unsafe` of the tree: each block is one call into
//! libc with pointers to locals that outlive it.
//!
//! What wakes an eviction daemon, as one pollable set.
//!
//! Signals come through a signalfd, everything else is a descriptor that
//! becomes readable (a pidfd whose process has ended, a socket, an eventfd),
//! and the caller brings the next deadline. [`Trigger`] makes descriptors of what
//! the kernel can tell about memory: usage thresholds on cgroup v1, pressure and
//! `memory.events` on v2. No clock is asked here: the caller
//! passes what the time is and until when to wait.
//!
//! ```no_run
//! use evictd_node::Mono;
//! use evictd_sys::{Signal, Wake, Watch};
//!
//! # fn main() -> Result<(), evictd_sys::Error> {
//! let mut watch = Watch::new(&[Signal::TERM, Signal::INT])?;
//! let now = Mono::ZERO;
//! for wake in watch.wait(now, Some(Mono::from_millis(500)))? {
//!     match wake {
//!         Wake::Signal(signal) => println!("{signal:?}"),
//!         Wake::Ready(token) => println!("descriptor {}", token.0),
//!         Wake::Deadline => println!("half a second has passed"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
#![deny(unsafe_op_in_unsafe_fn)]
#![expect(
    unsafe_code,
    reason = "rustix 1.1 lacks these syscalls; every other crate forbids unsafe"
)]

extern crate alloc;

mod bell;
mod caps;
mod directory;
mod error;
mod group;
mod helper;
mod landlock;
mod mrelease;
mod priority;
mod program;
mod project;
mod seccomp;
mod signals;
mod trigger;
mod watch;
mod writable;

pub use bell::Bell;
pub use caps::keep_capabilities;
pub use directory::{Directory, reserve};
pub use error::Error;
pub use group::is_in_no_group;
pub use helper::{Desk, Helper, HelperThread};
pub use landlock::{landlock_version, write_only_below};
pub use mrelease::process_mrelease;
pub use priority::Priority;
pub use program::lock_program;
pub use project::{Project, ProjectUsage, read_project, read_project_usage};
pub use rustix::process::Signal;
pub use seccomp::allow_known_syscalls;
pub use trigger::Trigger;
pub use watch::{Token, Wake, Watch};
pub use writable::{is_writable, reopen_non_blocking};
