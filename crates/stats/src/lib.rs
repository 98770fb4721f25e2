#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod cgroup_memory;
mod clock;
mod cpu;
mod dir;
mod disk;
mod error;
mod file;
mod filesystem;
mod hierarchy;
mod lack;
mod memory;
mod node;
mod node_settings;
mod oom_kills;
mod outside;
mod pids;
mod pod;
mod pod_disk;
mod probe;
mod resident;
mod sample;
mod stall;

pub use cgroup_memory::FilePages;
pub use clock::{now, wall_nanos, wall_seconds};
pub use cpu::{CpuReader, NodeCpu};
pub use dir::{Walked, each_child, each_entry, walk};
pub use disk::read_tree_usage;
pub use disk::{DiskScanner, DiskTree, MountedOn, Pace, Progress, TreeUsage};
pub use disk::{Held, OpenFiles, OpenFilesReader, WatchedDisks};
pub use error::{Error, Result, is_gone};
pub use filesystem::{FsSample, read_filesystem};
pub use hierarchy::{Hierarchies, Hierarchy, Version, read_cpu_shares, read_memory_switched_off};
pub use lack::{has_lacked, noted_lack, take_lack};
pub use memory::read_swap_total;
pub use memory::{MemoryUsage, NodeMemory, PodsMemory};
pub use node::NodeReader;
pub use node_settings::NodeSettings;
pub use oom_kills::{OomKillCounter, OomKills, read_cgroup_limit_hits, read_cgroup_oom_kills};
pub use outside::{Holder, HolderKind, OutsideReader};
pub use pids::{NodePids, TaskCount};
pub use pod::{PodReader, PodSample};
pub use pod_disk::{PodDirs, PodTree, TreeKind, pod_trees};
pub use pod_disk::{add_deleted_of_layers, add_disk_usage, add_mounts, add_open_files};
pub use sample::NodeSample;
pub use stall::MemoryStall;

/// Where procfs is mounted.
pub const PROC: &str = "/proc";

#[cfg(test)]
mod tests;
