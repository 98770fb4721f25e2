//! The pods that are protected as it is remembered, as one runtime that lists them.

use alloc::sync::Arc;
use std::path::Path;

use evictd_containers::{RuntimeListing, RuntimePod};
use evictd_node::pod::{Container, Pod};
use evictd_state::Protected;

/// What stands for an endpoint where manifests say it.
pub(super) const MANIFESTS: &str = "manifests";

/// What the kubelet never evicts has at least this priority, and what its operator protects
/// this class: the OOM killer is to spare it as well.
const CRITICAL: i32 = 2_000_000_000;
const NODE_CRITICAL: &str = "system-node-critical";

/// The protected cgroups, and a list of what those protected who have not answered yet.
#[derive(Default)]
pub(super) struct Remembered {
    known: evictd_state::Remembered,
    silent: Arc<RuntimeListing>,
}

impl Remembered {
    /// Takes over what was known before a restart; nobody has answered yet.
    pub(super) fn restore(&mut self, protected: &Protected) {
        self.known.restore(protected);
        self.list_silent();
    }

    /// All of them, to be remembered over the next restart.
    pub(super) const fn protected(&self) -> &Protected {
        self.known.protected()
    }

    /// The pods of those who have not answered yet.
    pub(super) fn silent(&self) -> Arc<RuntimeListing> {
        Arc::clone(&self.silent)
    }

    /// Notes which cgroups are protected by those who have answered.
    pub(super) fn note(&mut self, answered: &[&str], protected: Protected) {
        self.known.note(answered, protected);
        self.list_silent();
    }

    /// Whoever compares lists need not compare the same one.
    fn list_silent(&mut self) {
        let listed = self.silent.pods.iter().flat_map(|pod| &pod.cgroups);
        let silent = self.known.silent();
        if !listed
            .map(AsRef::as_ref)
            .eq(silent.iter().map(AsRef::<Path>::as_ref))
        {
            let mut listing = RuntimeListing::default();
            listing.pods = silent.iter().map(|cgroup| pod(cgroup)).collect();
            self.silent = Arc::new(listing);
        }
    }
}

/// All that is known of it: where it is, and that it is not to be evicted.
fn pod(cgroup: &Path) -> RuntimePod {
    let mut pod = Pod::default();
    let name = cgroup.file_name().unwrap_or_default();
    pod.metadata.name = name.to_string_lossy().into_owned();
    pod.spec.priority = Some(CRITICAL);
    pod.spec.priority_class_name = NODE_CRITICAL.into();
    // What its cgroup says of requests and limits has a place there.
    pod.spec.containers.push(Container::default());
    RuntimePod {
        pod: Arc::new(pod),
        cgroups: vec![cgroup.into()],
        ..RuntimePod::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 177.
    #[test]
    fn what_is_remembered_is_listed_as_critical_and_once() {
        let mut remembered = Remembered::default();
        let before: Protected = ["docker/a", "docker/b"]
            .map(|cgroup| (cgroup.into(), "docker".to_owned()))
            .into();
        remembered.restore(&before);
        let silent = remembered.silent();
        assert_eq!(silent.pods.len(), 2);
        assert!(silent.pods.iter().all(|pod| pod.pod.is_critical()));
        remembered.note(&[], Protected::new());
        assert!(Arc::ptr_eq(&silent, &remembered.silent()));
        remembered.note(&["docker"], Protected::new());
        assert!(remembered.silent().pods.is_empty());
    }
}
