//! The backend that needs no container runtime.

#[cfg(test)]
mod again_tests;
mod backend;
mod described;
#[cfg(test)]
mod forged_tests;
mod identify;
mod list;
mod numbers;
mod protected;
#[cfg(test)]
mod reused_tests;
mod root;
#[cfg(test)]
mod runtime_tests;
mod search;
mod services;
mod store;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod visit_tests;

pub use backend::{CgroupConfig, CgroupRuntime};
pub use root::parse_pod_cgroup_root;
pub(crate) use services::{OPENRC, SERVICE, is_service_of, is_session};
pub use services::{ServiceManager, Services};
