#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod cgroup_files;
mod error;
mod keyed;
mod known;
mod meminfo;
mod mountinfo;
mod open_file;
mod pids;
mod pressure;
mod proc_cgroups;
mod proc_pid;
mod proc_pid_memory;
mod scan;
mod value;
mod zram;

pub use cgroup_files::{MemoryStat, parse_memory_stat};
pub use error::{ParseError, ParseErrorKind};
pub use keyed::{Entry, flat_keyed};
pub use meminfo::{Meminfo, parse_meminfo};
pub use mountinfo::{Escaped, Mount, mounts};
pub use open_file::{OpenFile, parse_open_file};
pub use pids::pids;
pub use pressure::{parse_full_stall, parse_some_stall};
pub use proc_cgroups::{Controller, Membership, controllers, memberships};
pub use proc_pid::{LoadAvg, PidStat, parse_loadavg, parse_pid_stat};
pub use proc_pid_memory::{parse_pss, parse_resident_pages};
pub use value::{Limit, parse_limit, parse_u64};
pub use zram::parse_zram_pool;

#[cfg(test)]
mod tests;
