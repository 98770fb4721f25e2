//! Which pods are never evicted, remembered from before a restart until whoever said so
//! says it again.

use alloc::sync::Arc;
use std::path::Path;

use evictd_containers::{RuntimeListing, RuntimePod};
use evictd_node::pod::{Container, Pod};
use evictd_state::{Protected, in_order};

/// What stands for an endpoint where manifests say it.
pub(super) const MANIFESTS: &str = "manifests";

/// What the kubelet never evicts has at least this priority, and what its operator protects
/// this class: the OOM killer is to spare it as well.
const CRITICAL: i32 = 2_000_000_000;
const NODE_CRITICAL: &str = "system-node-critical";

/// The protected cgroups: those of whoever has answered since the start as they are now, and
/// of all others as they were before it.
#[derive(Default)]
pub(super) struct Remembered {
    protected: Protected,
    /// Those who have not answered yet, as one runtime that lists what they protected.
    silent: Arc<RuntimeListing>,
    has_silent: bool,
}

impl Remembered {
    /// Takes over what was known before a restart; nobody has answered yet.
    pub(super) fn restore(&mut self, protected: &Protected) {
        self.protected.clone_from(protected);
        self.list_silent(|_| true);
    }

    /// All of them, to be remembered over the next restart.
    pub(super) const fn protected(&self) -> &Protected {
        &self.protected
    }

    /// The pods of those who have not answered yet.
    pub(super) fn silent(&self) -> Arc<RuntimeListing> {
        Arc::clone(&self.silent)
    }

    /// Notes which cgroups are protected by those who have answered. All that they said
    /// before and do not say now is forgotten.
    pub(super) fn note(&mut self, answered: &[&str], protected: Protected) {
        let is_answered = |by: &str| answered.contains(&by);
        let of_silent = self.protected.iter().filter(|(_, by)| !is_answered(by));
        let mut all = protected;
        // Behind the others: whoever is there to say so counts.
        all.extend(of_silent.cloned());
        let all = in_order(all);
        if all != self.protected {
            self.protected = all;
        }
        if self.has_silent {
            self.list_silent(|by| !is_answered(by));
        }
    }

    fn list_silent(&mut self, is_silent: impl Fn(&str) -> bool) {
        let silent = self.protected.iter().filter(|(_, by)| is_silent(by));
        let pods: Vec<RuntimePod> = silent.map(|(cgroup, _)| pod(cgroup)).collect();
        self.has_silent = !pods.is_empty();
        // Whoever compares lists need not compare the same one.
        if self.silent.pods != pods {
            let mut listing = RuntimeListing::default();
            listing.pods = pods;
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

    fn protected(all: &[(&str, &str)]) -> Protected {
        let all = all.iter();
        all.map(|(cgroup, by)| (cgroup.into(), (*by).to_owned()))
            .collect()
    }

    fn silent(remembered: &Remembered) -> Vec<String> {
        let pods = &remembered.silent().pods;
        assert!(pods.iter().all(|pod| pod.pod.is_critical()));
        let cgroups = pods.iter().flat_map(|pod| &pod.cgroups);
        cgroups.map(|path| path.display().to_string()).collect()
    }

    /// Acceptance row 177.
    #[test]
    fn protection_is_remembered_until_the_runtime_answers() {
        let mut remembered = Remembered::default();
        remembered.note(&["docker"], protected(&[("docker/a", "docker")]));
        assert!(silent(&remembered).is_empty(), "its runtime says so itself");

        let before = protected(&[
            ("docker/a", "docker"),
            ("docker/gone", "docker"),
            ("kubepods/b", "cri"),
            ("pods/web", MANIFESTS),
        ]);
        remembered.restore(&before);
        assert_eq!(silent(&remembered).len(), 4);
        // Nobody has answered: a restart now forgets nothing either.
        remembered.note(&[], Protected::new());
        assert_eq!(remembered.protected(), &before);
        let same = remembered.silent();
        remembered.note(&[], Protected::new());
        assert!(Arc::ptr_eq(&same, &remembered.silent()));

        remembered.note(&["docker"], protected(&[("docker/a", "docker")]));
        assert_eq!(silent(&remembered), ["kubepods/b", "pods/web"]);
        let mut left = remembered.protected().iter();
        assert!(left.all(|(cgroup, _)| cgroup != Path::new("docker/gone")));
        // Another than before says so.
        let all = protected(&[("docker/a", "docker"), ("pods/web", "docker")]);
        remembered.note(&["docker", MANIFESTS], all.clone());
        assert_eq!(silent(&remembered), ["kubepods/b"]);
        remembered.note(&["docker", MANIFESTS, "cri"], all.clone());
        assert!(silent(&remembered).is_empty());
        assert_eq!(remembered.protected(), &all);
        remembered.note(&["docker", MANIFESTS, "cri"], Protected::new());
        assert_eq!(remembered.protected(), &Protected::new());
    }
}
