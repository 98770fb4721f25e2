use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::QosClass;
use crate::pod::{Container, ResourceList, Resources, Toleration, Volume};

/// Where the kubelet got a pod from; `api` for the API server.
const CONFIG_SOURCE: &str = "kubernetes.io/config.source";
/// Marks the API server's copy of a static pod.
const CONFIG_MIRROR: &str = "kubernetes.io/config.mirror";
/// The operator's own word, in evictd's.
const PROTECT: &str = "evictd.protect";
/// The least priority of the system's own classes.
const SYSTEM_CRITICAL_PRIORITY: i32 = 2_000_000_000;

/// A pod: the fields of the Kubernetes `v1` Pod that eviction looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pod {
    /// What identifies it.
    pub metadata: Metadata,
    /// What it asks for.
    pub spec: Spec,
    /// What was found out about it.
    pub status: Status,
}

/// What identifies a pod: the `metadata` of a Kubernetes object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The name within its namespace.
    pub name: String,
    /// The namespace; empty where none is given.
    pub namespace: String,
    /// What tells it from every other pod, ever. Stats are matched by it.
    pub uid: String,
    /// Annotations. Two of them make a pod critical, see
    /// [`Pod::is_static`], and one says why it is, see [`Pod::protection`].
    pub annotations: BTreeMap<String, String>,
    /// Labels, by which an operator may protect pods.
    pub labels: BTreeMap<String, String>,
}

/// What a pod asks for. There may be thousands: what hardly any has takes little room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// The regular containers.
    pub containers: Vec<Container>,
    /// The init containers, sidecars among them, in the order they start.
    pub init_containers: Box<[Container]>,
    /// What the pod costs beside its containers; boxed, as few pods have it.
    pub overhead: Option<Box<ResourceList>>,
    /// Requests and limits of the pod as a whole. Boxed, as hardly any pod has them and
    /// they are large.
    pub resources: Option<Box<Resources>>,
    /// The volumes.
    pub volumes: Vec<Volume>,
    /// The priority; see [`Pod::priority`].
    pub priority: Option<i32>,
    /// The name of the priority class; empty where none is given.
    pub priority_class_name: Box<str>,
    /// Seconds that the pod's processes get between SIGTERM and SIGKILL.
    pub termination_grace_period_seconds: Option<i64>,
    /// The taints it tolerates.
    pub tolerations: Box<[Toleration]>,
}

/// What was found out about a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The QoS class, where something has already worked it out.
    pub qos_class: Option<QosClass>,
}

impl Pod {
    /// Its priority; one without counts as 0.
    #[must_use]
    pub fn priority(&self) -> i32 {
        self.spec.priority.unwrap_or(0)
    }

    /// Whether it came to the node by another way than the API server
    /// (annotation `kubernetes.io/config.source`).
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.metadata
            .annotations
            .get(CONFIG_SOURCE)
            .is_some_and(|source| source != "api")
    }

    /// Marks it as one that came from a file, as the kubelet does.
    pub fn mark_static(&mut self) {
        let annotations = &mut self.metadata.annotations;
        annotations.insert(CONFIG_SOURCE.to_owned(), "file".to_owned());
    }

    /// Whether it is the API server's copy of a static pod (annotation
    /// `kubernetes.io/config.mirror`, whatever its value).
    #[must_use]
    pub fn is_mirror(&self) -> bool {
        self.metadata.annotations.contains_key(CONFIG_MIRROR)
    }

    /// Whether it must never be evicted: static, mirror, or of a priority of at
    /// least 2,000,000,000 (kubelet v1.32: `IsCriticalPod`).
    #[must_use]
    pub fn is_critical(&self) -> bool {
        self.is_static() || self.is_mirror() || self.priority() >= SYSTEM_CRITICAL_PRIORITY
    }

    /// Marks it as one that its operator protects by that label, for whoever asks why it is
    /// critical: what makes it so is its priority.
    pub fn mark_protected(&mut self) {
        let annotations = &mut self.metadata.annotations;
        annotations.insert(PROTECT.to_owned(), "true".to_owned());
    }

    /// By what it is critical, as its operator would find it; `None` where it is not.
    #[must_use]
    pub fn protection(&self) -> Option<&'static str> {
        let annotations = &self.metadata.annotations;
        if !self.is_critical() {
            None
        } else if annotations.get(PROTECT).is_some_and(|told| told == "true") {
            Some("evictd.protect=true")
        } else if self.is_static() {
            Some("a static pod")
        } else if self.is_mirror() {
            Some("a mirror pod")
        } else {
            Some("its priority is 2000000000 or more")
        }
    }

    /// Every container: the regular ones, then the init containers.
    pub fn all_containers(&self) -> impl Iterator<Item = &Container> + Clone {
        self.spec
            .containers
            .iter()
            .chain(&self.spec.init_containers)
    }
}
