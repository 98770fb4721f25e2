use alloc::boxed::Box;

use evictd_quantity::Quantity;

/// What a container, or a pod as a whole, requests and is limited to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// What the node must have for it.
    pub requests: ResourceList,
    /// What it may use at most.
    pub limits: ResourceList,
}

/// A quantity for each resource that eviction looks at; `None` where none is
/// given, which is not the same as zero. They stand apart: few containers have all of
/// them, and there may be thousands of containers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceList {
    /// `cpu`, in cores. Only the QoS class depends on it.
    pub cpu: Option<Box<Quantity>>,
    /// `memory`, in bytes.
    pub memory: Option<Box<Quantity>>,
    /// `ephemeral-storage`, in bytes.
    pub ephemeral_storage: Option<Box<Quantity>>,
    /// `inodes`, a count. Kubernetes has no such resource, but the kubelet's
    /// ranking by inodes asks for a request of that name.
    pub inodes: Option<Box<Quantity>>,
    /// Whether it names huge pages of any size. How many plays no part in eviction, that
    /// they are named does for a pod as a whole.
    pub huge_pages: bool,
}

impl Resources {
    /// Whether anything is named that a pod as a whole may have (K:
    /// `IsPodLevelResourcesSet`): cpu, memory or huge pages. Anything else counts as nothing.
    #[must_use]
    pub fn name_anything(&self) -> bool {
        [&self.requests, &self.limits]
            .into_iter()
            .any(|list| list.cpu.is_some() || list.memory.is_some() || list.huge_pages)
    }
}
