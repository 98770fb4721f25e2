//! From what the engine says to pods. No I/O.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::docker_api::{ContainerDetail, ContainerSummary, PodmanPod, clean};
use evictd_node::QosClass;
use evictd_node::pod::{Container, Pod};

use super::Known;
use super::engine::Engine;
use super::labels::{self, label};
use super::resources::resources;
use crate::remote::{class_of, kubepods_class, read_wishes, share};
use crate::{
    ContainerState, ListedContainer, ListedSandbox, RuntimeListing, RuntimePod, WritableLayer,
};

/// What makes containers one pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Kubernetes,
    Podman,
    Compose,
    Alone,
}

/// Puts all of it together, in the order of the list.
pub(super) struct Assembly<'a> {
    engine: Engine,
    podman: &'a [PodmanPod],
    /// Of each pod its kind, and the class that its place in a kubepods tree tells.
    kinds: Vec<(Kind, Option<QosClass>)>,
    listing: RuntimeListing,
}

impl<'a> Assembly<'a> {
    /// For so many containers at most. There is room for all from the start, as
    /// lists that grow are there twice for a moment.
    pub(super) fn new(engine: Engine, podman: &'a [PodmanPod], count: usize) -> Self {
        let mut listing = RuntimeListing::default();
        listing.pods.reserve_exact(count);
        listing.containers.reserve_exact(count);
        Self {
            engine,
            podman,
            kinds: Vec::with_capacity(count),
            listing,
        }
    }

    pub(super) const fn notes(&mut self) -> &mut Vec<String> {
        &mut self.listing.notes
    }

    pub(super) fn add(&mut self, mut summary: ContainerSummary, known: &Known) {
        let has = |pod: &&PodmanPod| pod.container_ids.contains(&summary.id);
        let podman = self.podman.iter().find(has);
        let index = self.pod_of(&summary, podman);
        let infra = podman.map_or("", |pod| &pod.infra_id);
        let is_sandbox = infra == summary.id || labels::is_sandbox(&summary.labels);
        let state = state_of(&summary.state);
        self.add_to_pod(index, &summary, known, is_sandbox);
        let created_nanos = summary.created_seconds.saturating_mul(1_000_000_000);
        let attempt = attempt(&summary, &known.detail);
        let name = name_of(&summary);
        let sandbox = label(&summary.labels, labels::SANDBOX_ID).unwrap_or(infra);
        let sandbox = (!sandbox.is_empty()).then(|| sandbox.into());
        if let Some(pod) = self.listing.pods.get_mut(index) {
            let labels = core::mem::take(&mut summary.labels);
            labels::keep(labels, &mut Arc::make_mut(&mut pod.pod).metadata);
        }
        if is_sandbox {
            self.listing.sandboxes.push(ListedSandbox {
                id: summary.id,
                pod: index,
                ready: state == ContainerState::Running,
                created_nanos,
                attempt,
            });
            return;
        }
        let image = if summary.image_id.is_empty() {
            &summary.image
        } else {
            &summary.image_id
        };
        let before = self.listing.containers.last().map(|before| &before.image);
        let image = share(image, before);
        let detail = &known.detail;
        let finished = detail.finished_nanos;
        self.listing.containers.push(ListedContainer {
            name,
            pod: index,
            sandbox,
            state,
            created_nanos,
            finished_nanos: finished.filter(|_| state != ContainerState::Running),
            attempt,
            cgroup: known.cgroup.clone(),
            layer: known
                .layer
                .clone()
                .map_or(WritableLayer::Unknown, WritableLayer::Dir),
            log: known.log.clone(),
            image,
            id: Arc::clone(&known.id),
        });
    }

    /// What a container adds to its pod.
    fn add_to_pod(
        &mut self,
        index: usize,
        summary: &ContainerSummary,
        known: &Known,
        is_sandbox: bool,
    ) {
        let (Some(pod), Some((_, class))) =
            (self.listing.pods.get_mut(index), self.kinds.get_mut(index))
        else {
            return;
        };
        let runs = state_of(&summary.state) == ContainerState::Running;
        let label_of = |key: &str| summary.labels.get(key);
        let wishes = read_wishes(&label_of, &summary.name, &mut self.listing.notes);
        let spec = &mut Arc::make_mut(&mut pod.pod).spec;
        spec.priority = spec.priority.max(wishes.priority);
        // The one that runs, else the newest, which the engines list first.
        if is_sandbox && (pod.sandbox.is_none() || runs) {
            pod.sandbox = Some(summary.id.clone());
        }
        if !runs {
            return;
        }
        // Each container's, not the parent of all: Podman keeps its monitors there
        // as well.
        pod.cgroups.extend(known.cgroup.clone());
        *class = class.or_else(|| kubepods_class(&known.detail.cgroup_parent));
        if is_sandbox {
            return;
        }
        pod.running.push(Arc::clone(&known.id));
        let grace = known.detail.stop_seconds;
        let grace = grace.map(|seconds| seconds.get().cast_signed());
        spec.termination_grace_period_seconds = spec.termination_grace_period_seconds.max(grace);
        // Most pods have one, and a list that grows by itself begins with four.
        spec.containers.reserve_exact(1);
        spec.containers.push(Container {
            name: name_of(summary),
            resources: resources(&known.detail, wishes.memory_request),
            restart_policy: None,
        });
    }

    /// Which pod a container belongs to; a new one where need be.
    fn pod_of(&mut self, summary: &ContainerSummary, podman: Option<&PodmanPod>) -> usize {
        let of = |key| label(&summary.labels, key).unwrap_or_default();
        let own = self.engine.namespace();
        let (kubernetes, project) = (of(labels::POD_UID), of(labels::COMPOSE_PROJECT));
        let (kind, uid, name, namespace) = if !kubernetes.is_empty() {
            let (name, namespace) = (of(labels::POD_NAME), of(labels::POD_NAMESPACE));
            (Kind::Kubernetes, kubernetes, name, namespace)
        } else if let Some(pod) = podman {
            (Kind::Podman, pod.id.as_str(), pod.name.as_str(), own)
        } else if !project.is_empty() {
            (Kind::Compose, project, project, own)
        } else {
            (Kind::Alone, summary.id.as_str(), summary.name.as_str(), own)
        };
        let uid = clean(uid);
        let next = self.listing.pods.len();
        // An id is there once only.
        if kind != Kind::Alone {
            let mut known = self.listing.pods.iter().zip(&self.kinds);
            let same =
                |(pod, of): (&RuntimePod, &(Kind, _))| of.0 == kind && pod.pod.metadata.uid == uid;
            if let Some(index) = known.position(same) {
                return index;
            }
        }
        let mut pod = Pod::default();
        pod.metadata.name = clean(if name.is_empty() { &uid } else { name });
        pod.metadata.namespace = clean(namespace);
        pod.metadata.uid = uid;
        self.kinds.push((kind, None));
        self.listing.pods.push(RuntimePod {
            pod: Arc::new(pod),
            ..RuntimePod::default()
        });
        next
    }

    pub(super) fn finish(mut self) -> RuntimeListing {
        for (pod, (_, class)) in self.listing.pods.iter_mut().zip(self.kinds) {
            let pod = Arc::make_mut(&mut pod.pod);
            let by_numbers = class_of(&pod.spec);
            pod.status.qos_class = Some(class.unwrap_or(by_numbers));
        }
        self.listing
    }
}

fn state_of(word: &str) -> ContainerState {
    match word {
        "created" | "configured" | "initialized" => ContainerState::Created,
        "running" | "paused" | "restarting" | "stopping" => ContainerState::Running,
        "exited" | "stopped" | "dead" | "removing" => ContainerState::Exited,
        _ => ContainerState::Unknown,
    }
}

/// What it is called within its pod.
fn name_of(summary: &ContainerSummary) -> String {
    clean(label(&summary.labels, labels::CONTAINER_NAME).unwrap_or(&summary.name))
}

/// dockershim and cri-dockerd number the containers of a pod in labels, and at the
/// end of their names: `k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT`.
fn attempt(summary: &ContainerSummary, detail: &ContainerDetail) -> u32 {
    let by_name = || {
        let name = summary.name.strip_prefix("k8s_")?;
        name.rsplit('_').next()?.parse().ok()
    };
    labels::restart_count(&summary.labels)
        .or_else(by_name)
        .unwrap_or(detail.restart_count)
}
