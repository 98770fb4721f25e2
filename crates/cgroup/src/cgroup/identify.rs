//! Which pod a cgroup is, and what is known of it.

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use evictd_node::QosClass;
use evictd_node::kubepods::KubepodsName;
use evictd_node::pod::{Container, Pod, Resources};
use evictd_stats::Hierarchies;
use rustix::fd::{AsFd, OwnedFd};

use super::described::Described;
use super::numbers::Numbers;
use super::search::{kubepods_name, more_cgroups, runtime_pod};
use super::store::{Candidate, Listed};
use crate::{FoundPod, RuntimePod};

/// Where a pod's description comes from.
pub(super) struct Lookup<'a> {
    pub(super) hierarchies: &'a Hierarchies,
    pub(super) manifests: Described<'a>,
    pub(super) runtime: &'a [&'a [RuntimePod]],
}

impl Lookup<'_> {
    /// What pod a candidate is. What it was listed as before is taken over where it is
    /// still so.
    pub(super) fn identify(
        &self,
        candidate: &Candidate,
        dir: Option<&OwnedFd>,
        former: Option<Listed>,
    ) -> Listed {
        let of_runtime = runtime_pod(candidate, self.runtime);
        let file_name = candidate.path.file_name().unwrap_or_default();
        let name = || file_name.to_string_lossy();
        let kubepods = kubepods_name(candidate);
        let manifest = match (kubepods, of_runtime) {
            (Some(KubepodsName::Pod { uid, systemd }), _) => self.manifests.by_uid(uid, systemd),
            (_, Some(of)) => self.manifests.by_runtime(&of.pod),
            (_, None) => file_name
                .to_str()
                .and_then(|name| self.manifests.by_name(name)),
        };
        let described = manifest.and_then(|index| self.manifests.get(index));
        // Of a pod that had a manifest, or that a runtime describes otherwise now, nobody
        // knows what its cgroup alone said.
        let former_pod = former.as_ref().filter(|former| {
            former.found.manifest.is_none()
                && former.of_runtime.as_ref() == of_runtime.map(|of| &of.pod)
        });
        let former_pod = former_pod.map(|former| &former.found.pod);
        let mut pod = match (described, of_runtime) {
            (Some(described), _) => Arc::clone(described),
            (None, Some(of)) => self.complete(of, candidate, dir, former_pod),
            (None, None) => self.describe(candidate, &name(), dir, former_pod),
        };
        if pod.metadata.uid.is_empty() {
            let of_kubepods = kubepods.and_then(KubepodsName::uid);
            let uid = of_kubepods.or_else(|| of_runtime.map(|of| of.pod.metadata.uid.clone()));
            let uid = uid.unwrap_or_else(|| identity(&candidate.path));
            Arc::make_mut(&mut pod).metadata.uid = uid;
        }
        let more = || more_cgroups(candidate, self.runtime).into();
        Listed {
            found: FoundPod {
                pod,
                cgroup: Arc::clone(&candidate.path),
                inode: None,
                more_cgroups: former.map_or_else(more, |former| former.found.more_cgroups),
                origin: candidate.origin,
                manifest,
                runtime: candidate.runtime,
            },
            of_runtime: of_runtime.map(|of| Arc::clone(&of.pod)),
        }
    }

    /// A runtime's pod: where the runtime gives no request and no limit, those of
    /// its cgroup count.
    fn complete(
        &self,
        of: &RuntimePod,
        candidate: &Candidate,
        dir: Option<&OwnedFd>,
        former: Option<&Arc<Pod>>,
    ) -> Arc<Pod> {
        if says(&of.pod) {
            return Arc::clone(&of.pod);
        }
        let class = candidate.class;
        let numbers = self.numbers(class, dir);
        if class.is_none() && numbers == Numbers::default() {
            return Arc::clone(&of.pod); // nor does its cgroup say anything
        }
        take_over(former, |pod| numbers.are_of(pod)).unwrap_or_else(|| {
            let mut pod = Pod::clone(&of.pod);
            pod.status.qos_class = class.or(Some(numbers.qos_class()));
            if let Some(container) = pod.spec.containers.first_mut() {
                container.resources = numbers.resources();
            }
            Arc::new(pod)
        })
    }

    /// A pod without a manifest, from what its cgroup says.
    fn describe(
        &self,
        candidate: &Candidate,
        name: &str,
        dir: Option<&OwnedFd>,
        former: Option<&Arc<Pod>>,
    ) -> Arc<Pod> {
        let numbers = self.numbers(candidate.class, dir);
        take_over(former, |pod| numbers.are_of(pod)).unwrap_or_else(|| {
            let mut pod = numbers.pod(name);
            pod.status.qos_class = candidate.class.or(pod.status.qos_class);
            Arc::new(pod)
        })
    }

    /// What the cgroup of a pod says, where its place says that it is of this class.
    fn numbers(&self, class: Option<QosClass>, dir: Option<&OwnedFd>) -> Numbers {
        // The hierarchy that pods are looked for in is the memory controller's, if there is
        // one.
        let memory = self.hierarchies.memory.as_ref();
        let numbers = memory.zip(dir);
        let numbers = numbers.map(|(memory, dir)| Numbers::read(dir.as_fd(), memory.version));
        let mut numbers = numbers.unwrap_or_default();
        if class == Some(QosClass::Guaranteed) {
            // By definition of the class.
            numbers.request_bytes = numbers.request_bytes.or(numbers.limit_bytes);
        }
        numbers
    }
}

/// Whether anything is said of what a pod requests or may have.
fn says(pod: &Pod) -> bool {
    let says = |container: &Container| container.resources != Resources::default();
    pod.spec.containers.iter().any(says)
}

/// The path of a cgroup as a uid: a name is bytes, and no two give the same text.
pub(super) fn identity(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// The pod from before, where it still is what a new one would be.
fn take_over(former: Option<&Arc<Pod>>, is_it: impl FnOnce(&Pod) -> bool) -> Option<Arc<Pod>> {
    former.filter(|pod| is_it(pod)).map(Arc::clone)
}
