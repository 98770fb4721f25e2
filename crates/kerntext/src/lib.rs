//! Grammars of the kernel's text files, as far as node-pressure eviction reads
//! them.
//!
//! Every parser takes the bytes of a whole file, borrows from them, allocates
//! nothing and never panics, whatever the bytes are. Keys that are not known
//! are skipped, so a newer kernel does no harm; keys that are missing are
//! `None`, so an older one does not either. A known key with a value that is
//! not what the kernel writes is an error that says at which byte.
//!
//! What this crate does not do: it opens no file, knows no path, and judges no
//! number.
//!
//! ```
//! use evictd_kerntext::{Limit, parse_limit, parse_memory_stat};
//!
//! assert_eq!(parse_limit(b"max\n"), Ok(Limit::Max));
//! let stat = parse_memory_stat(b"anon 4096\ninactive_file 8192\n").unwrap();
//! assert_eq!(stat.inactive_file_bytes, Some(8192));
//! assert_eq!(stat.total_inactive_file_bytes, None);
//! assert_eq!(
//!     parse_limit(b"12x\n").unwrap_err().to_string(),
//!     "not a number at byte 0",
//! );
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod cgroup_files;
mod error;
mod keyed;
mod meminfo;
mod mountinfo;
mod pids;
mod proc_cgroups;
mod proc_pid;
mod proc_pid_memory;
mod scan;
mod value;

pub use cgroup_files::{MemoryStat, parse_memory_stat};
pub use error::{ParseError, ParseErrorKind};
pub use keyed::{Entry, flat_keyed};
pub use meminfo::{Meminfo, parse_meminfo};
pub use mountinfo::{Escaped, Mount, mounts};
pub use pids::pids;
pub use proc_cgroups::{Controller, Membership, controllers, memberships};
pub use proc_pid::{LoadAvg, PidStat, parse_loadavg, parse_pid_stat};
pub use proc_pid_memory::{parse_pss, parse_resident_pages};
pub use value::{Limit, parse_limit, parse_u64};

#[cfg(test)]
mod tests;
