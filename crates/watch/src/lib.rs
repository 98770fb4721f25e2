//! What wakes an eviction daemon, as one pollable set.
//!
//! Signals come through a signalfd, everything else is a descriptor that
//! becomes readable (a pidfd whose process has ended, a socket, an eventfd),
//! and the caller brings the next deadline. [`Trigger`] makes descriptors of what
//! the kernel can tell about memory: usage thresholds on cgroup v1, pressure and
//! `memory.events` on v2, changes of the mount table. No clock is asked here: the caller
//! passes what the time is and until when to wait.
//!
//! ```no_run
//! use evictd_node::Mono;
//! use evictd_watch::{Signal, Wake, Watch};
//!
//! # fn main() -> Result<(), evictd_watch::Error> {
//! let mut watch = Watch::new(&[Signal::TERM, Signal::INT])?;
//! let now = Mono::ZERO;
//! for wake in watch.wait(now, Some(Mono::from_millis(500)))? {
//!     match wake {
//!         Wake::Signal(received) => println!("{:?}", received.signal),
//!         Wake::Ready(token) => println!("descriptor {}", token.0),
//!         Wake::Deadline => println!("half a second has passed"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod error;
mod trigger;
mod watch;
mod writable;

pub use error::Error;
pub use evictd_rawsys::Received;
pub use rustix::process::Signal;
pub use trigger::Trigger;
pub use watch::{Token, Wake, Watch};
pub use writable::{is_writable, reopen_non_blocking};
