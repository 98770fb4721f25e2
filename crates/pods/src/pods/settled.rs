//! Which pods no container runtime will describe.

use std::path::PathBuf;

use evictd_cgroup::FoundPod;

/// The pods that only their cgroups described when every runtime had answered: services
/// and plain cgroups; in order. A pod that is new since then may still be a runtime's.
#[derive(Default)]
pub(super) struct Settled(Vec<PathBuf>);

impl Settled {
    /// Every runtime has answered, and these are the pods.
    pub(super) fn note(&mut self, found: &[FoundPod]) {
        let alone = || found.iter().filter(|found| is_alone(found));
        if alone().count() == self.0.len() && alone().all(|found| self.holds(found)) {
            return;
        }
        self.0 = alone().map(|found| found.cgroup.to_path_buf()).collect();
        self.0.sort_unstable();
    }

    /// Whether a runtime may describe it yet.
    pub(super) fn leaves_open(&self, found: &FoundPod) -> bool {
        is_alone(found) && !self.holds(found)
    }

    fn holds(&self, found: &FoundPod) -> bool {
        let place = self
            .0
            .binary_search_by(|path| path.as_path().cmp(&found.cgroup));
        place.is_ok()
    }
}

/// Whether nothing but its cgroup describes it.
const fn is_alone(found: &FoundPod) -> bool {
    found.runtime.is_none() && found.manifest.is_none()
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;
    use std::path::Path;

    use evictd_cgroup::Origin;
    use evictd_node::pod::Pod;

    use super::*;

    fn found(cgroup: &str, runtime: Option<usize>) -> FoundPod {
        let pod = Arc::new(Pod::default());
        let mut found = FoundPod::new(pod, Path::new(cgroup), Origin::PodCgroupRoot);
        found.runtime = runtime;
        found
    }

    /// Acceptance row 177.
    #[test]
    fn what_is_new_since_the_runtimes_answered_may_be_theirs() {
        let (service, new) = (found("system/cron", None), found("docker/abc", None));
        let described = found("docker/def", Some(0));
        let mut settled = Settled::default();
        // No runtime has answered since the start: nothing is known of any.
        assert!(settled.leaves_open(&service));
        assert!(!settled.leaves_open(&described));
        settled.note(&[found("system/cron", None), found("docker/def", Some(0))]);
        assert!(!settled.leaves_open(&service));
        assert!(settled.leaves_open(&new));
        // One that has ended and comes back is new.
        settled.note(&[found("docker/def", Some(0))]);
        assert!(settled.leaves_open(&service));
    }
}
