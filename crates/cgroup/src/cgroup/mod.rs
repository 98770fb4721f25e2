//! The backend that needs no container runtime.

mod backend;
mod discover;
mod merge;
mod numbers;
mod revisit;
#[cfg(test)]
mod revisit_tests;
mod root;
#[cfg(test)]
mod runtime_tests;
#[cfg(test)]
mod tests;
mod trail;
#[cfg(test)]
mod visit_tests;

pub use backend::{CgroupConfig, CgroupRuntime};
pub use revisit::Recheck;
pub use root::parse_pod_cgroup_root;
pub(crate) use trail::Trail;
