//! The backend that needs no container runtime.

mod backend;
mod discover;
mod merge;
mod names;
mod numbers;
mod revisit;
#[cfg(test)]
mod revisit_tests;
#[cfg(test)]
mod runtime_tests;
#[cfg(test)]
mod tests;
mod trail;
#[cfg(test)]
mod visit_tests;

pub use backend::{CgroupConfig, CgroupRuntime};
#[cfg(feature = "cri")]
pub(crate) use merge::is_uid;
pub use names::{KubepodsName, parse_kubepods_name, parse_pod_cgroup_root};
pub use revisit::Recheck;
pub(crate) use trail::Trail;
