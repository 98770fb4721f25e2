//! Finds the pods of a node without a kubelet, and kills them.
//!
//! [`CgroupRuntime`] needs no container runtime: it reads pods off the cgroup tree and
//! kills one by signals through pidfds and, at the end of its grace, by the kernel's own
//! means. Listing again and killing allocate nothing, as both are wanted when memory is
//! short. The traits [`PodSource`], [`PodKiller`] and [`KillInFlight`] are what it
//! implements; other backends can. A kill in flight never blocks and asks no clock: the
//! caller's loop drives it. [`Leftovers`] finds and deletes what dead pods left on disk,
//! [`OomScores`] sets `oom_score_adj`.
//!
//! What this crate does not do: it chooses no victim, knows no threshold, starts
//! no process, and touches nothing outside the cgroups it was pointed to.
//!
//! The pods of this machine, and how one would be killed:
//!
//! ```no_run
//! use core::time::Duration;
//! use std::path::{Path, PathBuf};
//!
//! use evictd_cgroup::{
//!     CgroupConfig, CgroupRuntime, Grace, KillInFlight, KillLimits, KillState, PodKiller,
//!     PodSource, Services, parse_pod_cgroup_root,
//! };
//! use evictd_stats::{Hierarchies, now};
//!
//! # fn main() -> Result<(), Box<dyn core::error::Error>> {
//! let mut runtime = CgroupRuntime::new(CgroupConfig {
//!     hierarchies: Hierarchies::read(Path::new("/proc"))?,
//!     proc: PathBuf::from("/proc"),
//!     pod_cgroup_roots: vec![parse_pod_cgroup_root(b"/machine")?],
//!     services: Services::default(),
//!     limits: KillLimits::default(),
//!     releaser: None,
//! })?;
//! let listing = runtime.list_pods(&[], &[]);
//! for found in &listing.pods {
//!     println!("{}", found.cgroup.display());
//! }
//! if let Some(victim) = listing.pods.first() {
//!     let grace = Grace::of(Duration::from_secs(30));
//!     let mut kill = runtime.start_kill(now(), victim, grace)?;
//!     while let KillState::Waiting { until } = kill.poll(now()) {
//!         std::thread::sleep(until.since(now())); // a loop would wait for pidfds too
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A backend of another kind:
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use evictd_cgroup::{FoundPod, Listing, Origin, PodSource};
//! use evictd_containers::RuntimePod;
//! use evictd_node::pod::Pod;
//!
//! /// One pod, always the same.
//! struct Fixed(Arc<Pod>);
//!
//! impl PodSource for Fixed {
//!     fn list_pods(&mut self, _: &[Pod], _: &[&RuntimePod]) -> Listing {
//!         let mut listing = Listing::default();
//!         let pod = Arc::clone(&self.0);
//!         let cgroup = Path::new("machine/fixed");
//!         listing.pods.push(FoundPod::new(pod, cgroup, Origin::PodCgroupRoot));
//!         listing
//!     }
//! }
//!
//! let listing = Fixed(Arc::default()).list_pods(&[], &[]);
//! assert_eq!(listing.pods.len(), 1);
//! ```
#![forbid(unsafe_code)]

extern crate alloc;

mod cgroup;
mod dir;
mod error;
mod kill;
mod leftovers;
pub mod own;
mod pages;
mod ports;
mod process;
mod procs;
mod release;
mod scores;
#[cfg(test)]
mod testkit;

pub use cgroup::{
    Beside, CgroupConfig, CgroupRuntime, Same, ServiceManager, Services, parse_pod_cgroup_root,
};
pub use error::{Error, RootError};
use evictd_containers::RuntimePod;
pub use kill::{Kill, KillLimits, KillMethod, KillReport, KillState, Problem, Remaining, Target};
// For fuzzing.
#[doc(hidden)]
pub use leftovers::find_mount_id;
pub use leftovers::{Freed, Leftover, LeftoverKind, Leftovers};
pub use pages::PageReclaimer;
pub use ports::{
    FoundPod, Grace, KillInFlight, Listing, Origin, PodKiller, PodSource, SkipReason, Skipped,
};
pub use release::Releaser;
pub use scores::{OomScores, Refused, ScoreOf, ScoreOutcome, ScoreReport, ScoredProcess};
