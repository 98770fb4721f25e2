//! Finds the pods of a node without a kubelet, and kills them.
//!
//! The ports are small traits, [`PodSource`] and [`PodKiller`]; the backend
//! here is [`CgroupRuntime`], which needs no container runtime: it reads pods
//! off the cgroup tree and kills one by signals through pidfds and, at the end
//! of its grace, by the kernel's own means. A kill in flight ([`KillInFlight`])
//! never blocks and asks no clock: the caller's loop drives it.
//!
//! What this crate does not do: it chooses nobody, knows no threshold, starts
//! no process, and touches nothing outside the cgroups it was pointed to.
#![forbid(unsafe_code)]

extern crate alloc;

mod cgroup;
mod dir;
mod error;
mod kill;
mod leftovers;
pub mod own;
mod ports;
mod process;
mod procs;
mod release;
mod scores;
#[cfg(test)]
mod testkit;

pub use cgroup::{Beside, CgroupConfig, CgroupRuntime, Same, parse_pod_cgroup_root};
pub use dir::open_cgroup;
pub use error::{Error, RootError};
use evictd_containers::RuntimePod;
pub use kill::{Kill, KillLimits, KillMethod, KillReport, KillState, Problem, Remaining, Target};
pub use leftovers::{Freed, Leftover, LeftoverKind, Leftovers};
pub use ports::{
    FoundPod, Grace, KillInFlight, Listing, Origin, PodKiller, PodSource, SkipReason, Skipped,
};
pub use release::Releaser;
pub use scores::{OomScores, Refused, ScoreOf, ScoreOutcome, ScoreReport, ScoredProcess};
