//! The settings of node-pressure eviction, by the kubelet's flags.
//!
//! Two steps: [`Typed`] holds the text of each flag as it was given, and
//! [`resolve`] makes [`Resolved`] of it: every value checked, every default
//! filled in, with where each came from. Both are pure: the same text gives the
//! same settings or the same [`ConfigError`] on every machine. What only the
//! machine can tell, percentages in bytes among it, is [`effective`]'s, which is
//! handed the machine's numbers. A configuration file's bytes go into [`Typed`]
//! too, by [`Typed::add_file`]; flags beat them.
//!
//! It does not read files, know the loop that the settings are for, or parse a command
//! line: whoever does hands in names and texts.
//!
//! ```
//! use evictd_config::{Typed, resolve};
//!
//! let mut typed = Typed::default();
//! assert!(typed.add("eviction-hard", "memroy.available<1Gi"));
//! assert_eq!(
//!     resolve(&typed).unwrap_err().to_string(),
//!     "--eviction-hard: unsupported eviction signal memroy.available, \
//!      in \"memroy.available<1Gi\" at byte 0; did you mean memory.available? \
//!      signals are memory.available, nodefs.available, nodefs.inodesFree, \
//!      imagefs.available, imagefs.inodesFree, pid.available, swap.available"
//! );
//! ```
#![forbid(unsafe_code)]

extern crate alloc;

mod allocatable;
mod book;
mod collection;
mod effective;
mod endpoint;
mod error;
mod file;
mod flags;
mod lists;
mod machine;
mod nearest;
mod resolve;
mod resolved;
mod setting;
mod source;
mod texts;
mod thresholds;
mod typed;
mod values;
mod warning;

pub use allocatable::{Allocatable, Share, allocatable, check_reserves};
pub use effective::{Effective, EffectiveThreshold, effective, lint};
pub use error::{ConfigError, Place};
pub use evictd_manifest::yaml::MAX_BYTES as MAX_FILE_BYTES;
pub use flags::{Flag, Group, Takes, foreign_flag};
pub use machine::Machine;
pub use nearest::nearest;
pub use resolve::resolve;
pub use resolved::{Compat, Directory, ImageGc, LogFormat, PodsOf, Reserved, Resolved};
pub use setting::{Origin, Setting};
pub use typed::Typed;
pub use values::{parse_boolean, parse_priority, parse_qos_class, parse_signal};
pub use warning::Warning;

#[cfg(test)]
mod tests;
