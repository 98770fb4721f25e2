//! What a node and its pods use, read from the kernel by raw syscalls.
//!
//! Finds the cgroup hierarchies controller by controller, reads the node's
//! memory by the kubelet's formula on cgroup v1 and v2, the filesystems without
//! ever waiting for a dead one, the process ids, and a pod's usage when asked.
//! Every root (`/proc`, the cgroup mounts) is a parameter, so that a recorded
//! tree reads like a machine.
//!
//! What this crate does not do: it decides nothing and changes nothing.
#![forbid(unsafe_code)]

mod clock;
mod error;
mod file;
mod hierarchy;

pub use clock::now;
pub use error::{Class, Error, Result, is_gone};
pub use hierarchy::{Hierarchies, Hierarchy, Version, read_memory_switched_off};

#[cfg(test)]
mod tests;
