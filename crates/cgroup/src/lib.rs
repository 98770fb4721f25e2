#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod cgroup;
mod dir;
mod error;
mod held;
mod keep;
mod kill;
mod knobs;
mod leftovers;
pub mod own;
mod pages;
mod pods;
mod press;
mod process;
mod procs;
mod release;
mod scores;
#[cfg(test)]
mod testkit;

pub use cgroup::{CgroupConfig, CgroupRuntime, ServiceManager, Services, parse_pod_cgroup_root};
pub use error::{Error, RootError};
use evictd_node::pod::RuntimePod;
pub use keep::{KeepAlive, Kept};
pub use kill::{Kill, KillLimits, Target};
// For fuzzing, too.
pub use knobs::{Knob, KnobFile, KnobJournal, KnobPlaces, Knobs, parse_knobs};
// For fuzzing.
#[doc(hidden)]
pub use leftovers::find_mount_id;
pub use leftovers::{Freed, Leftover, LeftoverKind, Leftovers, NamedDir, NamedFile, NamedWalk};
pub use pages::PageReclaimer;
pub use pods::{FoundPod, Grace, Listing, Origin, SkipReason, Skipped};
pub use press::{Fares, Presser};
pub use release::Releaser;
pub use scores::{OomScores, Refused, ScoreOf, ScoreOutcome, ScoreReport, ScoredProcess};
