use alloc::boxed::Box;
use alloc::string::String;

use crate::pod::Resources;

/// A container of a pod, regular or init.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    /// Its name, unique within the pod.
    pub name: String,
    /// What it requests and what it is limited to.
    pub resources: Resources,
    /// The restart policy of an init container, as Kubernetes spells it; of a regular one,
    /// as its container runtime does (`always`).
    pub restart_policy: Option<Box<str>>,
}

impl Container {
    /// Whether this init container is a sidecar: one with the restart policy
    /// `Always`, which runs as long as the pod.
    ///
    /// Means something for init containers only; regular ones have no policy
    /// of their own.
    #[must_use]
    pub fn is_sidecar(&self) -> bool {
        self.restart_policy.as_deref() == Some("Always")
    }
}
