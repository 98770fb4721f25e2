#![doc = include_str!("../README.md")]
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
mod helper;
mod landlock;
mod priority;
mod process;
mod program;
mod project;
mod seccomp;
mod signals;
mod trigger;
mod watch;
mod writable;

pub use bell::Bell;
pub use caps::keep_capabilities;
pub use directory::{Directory, Links, changeable_by_others, open_below, open_directory, reserve};
pub use error::Error;
pub use helper::{Desk, Helper, HelperThread, Writes};
pub use landlock::{landlock_version, write_only_below};
pub use priority::Priority;
pub use process::{is_in_no_group, process_mrelease};
pub use program::lock_program;
pub use project::{Project, ProjectUsage, read_project, read_project_usage};
pub use rustix::process::Signal;
pub use seccomp::{allow_known_syscalls, write_nowhere};
pub use trigger::Trigger;
pub use watch::{Token, Wake, Watch};
pub use writable::{is_writable, reopen_non_blocking};
