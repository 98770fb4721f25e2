//! From what the engine says to pods. No I/O.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use std::path::PathBuf;

use evictd_docker::{ContainerSummary, PodmanPod, clean};
use evictd_node::QosClass;
use evictd_pod::{Container, Pod};

use super::Known;
use super::engine::Engine;
use super::labels::{self, label};
use super::resources::resources;
use crate::remote::{class_of, kubepods_class, read_wishes};
use crate::{
    ContainerState, ListedContainer, ListedSandbox, RuntimeListing, RuntimePod, WritableLayer,
};

/// A container, and what is known of it.
pub(super) struct Seen<'a> {
    pub(super) summary: ContainerSummary,
    pub(super) known: &'a Known,
}

impl Seen<'_> {
    fn state(&self) -> ContainerState {
        match self.summary.state.as_str() {
            "created" | "configured" | "initialized" => ContainerState::Created,
            "running" | "paused" | "restarting" | "stopping" => ContainerState::Running,
            "exited" | "stopped" | "dead" | "removing" => ContainerState::Exited,
            _ => ContainerState::Unknown,
        }
    }

    fn runs(&self) -> bool {
        self.state() == ContainerState::Running
    }

    fn created_nanos(&self) -> i64 {
        self.summary.created_seconds.saturating_mul(1_000_000_000)
    }
}

/// What makes a container part of one pod and no other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Kubernetes(String),
    Podman(String),
    Compose(String),
    Alone(String),
}

/// Puts all of it together, in the order of the list.
pub(super) fn assemble(
    engine: Engine,
    seen: Vec<Seen<'_>>,
    podman: &[PodmanPod],
    notes: Vec<String>,
) -> RuntimeListing {
    let mut assembly = Assembly {
        engine,
        podman: members(podman),
        keys: BTreeMap::new(),
        classes: Vec::new(),
        listing: RuntimeListing {
            notes,
            ..RuntimeListing::default()
        },
    };
    for container in seen {
        assembly.add(container);
    }
    assembly.finish()
}

/// Podman's pods by the ids of their containers.
fn members<'a>(pods: &'a [PodmanPod]) -> BTreeMap<&'a str, &'a PodmanPod> {
    let ids = |pod: &'a PodmanPod| {
        let ids = pod.container_ids.iter();
        ids.map(move |id| (id.as_str(), pod))
    };
    pods.iter().flat_map(ids).collect()
}

struct Assembly<'a> {
    engine: Engine,
    podman: BTreeMap<&'a str, &'a PodmanPod>,
    keys: BTreeMap<Key, usize>,
    /// The class of each pod, where its place in a kubepods tree tells it.
    classes: Vec<Option<QosClass>>,
    listing: RuntimeListing,
}

impl Assembly<'_> {
    fn add(&mut self, seen: Seen<'_>) {
        let index = self.pod_of(&seen.summary);
        let infra = self.podman.get(seen.summary.id.as_str());
        let is_infra = infra.is_some_and(|pod| pod.infra_id == seen.summary.id);
        let is_sandbox = is_infra || labels::is_sandbox(&seen.summary.labels);
        let (who, labels) = (&seen.summary.name, &seen.summary.labels);
        let wishes = read_wishes(&|key| labels.get(key), who, &mut self.listing.notes);
        if let (Some(pod), Some(class)) = (
            self.listing.pods.get_mut(index),
            self.classes.get_mut(index),
        ) {
            let metadata = &mut pod.pod.metadata;
            labels::split_annotations(
                &seen.summary.labels,
                &mut metadata.labels,
                &mut metadata.annotations,
            );
            pod.pod.spec.priority = pod.pod.spec.priority.max(wishes.priority);
            if seen.runs() {
                // Each container's, not the parent of all: Podman keeps its
                // monitors there as well.
                pod.cgroups.extend(seen.known.cgroup.clone());
                *class = class.or_else(|| kubepods_class(&seen.known.detail.cgroup_parent));
            }
            if is_sandbox {
                // The one that runs, else the newest, which the engines list first.
                if pod.sandbox.is_none() || seen.runs() {
                    pod.sandbox = Some(seen.summary.id.clone());
                }
            } else if seen.runs() {
                pod.running.push(seen.summary.id.clone());
                let grace = seen.known.detail.stop_seconds.map(i64::from);
                let spec = &mut pod.pod.spec;
                let known = spec.termination_grace_period_seconds;
                spec.termination_grace_period_seconds = known.max(grace);
                spec.containers.push(Container {
                    name: name_of(&seen.summary),
                    resources: resources(&seen.known.detail, wishes.memory_request),
                    restart_policy: None,
                });
            }
        }
        if is_sandbox {
            self.listing.sandboxes.push(sandbox(&seen, index));
        } else {
            let sandbox = self.sandbox_of(&seen.summary);
            self.listing
                .containers
                .push(container(seen, index, sandbox));
        }
    }

    /// Which pod a container belongs to; a new one where need be.
    fn pod_of(&mut self, summary: &ContainerSummary) -> usize {
        let podman = self.podman.get(summary.id.as_str()).copied();
        let key = key_of(summary, podman);
        let next = self.listing.pods.len();
        let index = *self.keys.entry(key.clone()).or_insert(next);
        if index == next {
            self.classes.push(None);
            self.listing.pods.push(RuntimePod {
                pod: self.named(key, summary, podman),
                ..RuntimePod::default()
            });
        }
        index
    }

    fn named(&self, key: Key, summary: &ContainerSummary, podman: Option<&PodmanPod>) -> Pod {
        let namespace = self.engine.namespace();
        let of = |key| label(&summary.labels, key).unwrap_or_default();
        let (name, namespace, uid) = match &key {
            Key::Kubernetes(uid) => (of(labels::POD_NAME), of(labels::POD_NAMESPACE), uid),
            Key::Podman(id) => (podman.map_or("", |pod| &pod.name), namespace, id),
            Key::Compose(project) => (project.as_str(), namespace, project),
            Key::Alone(id) => (summary.name.as_str(), namespace, id),
        };
        let mut pod = Pod::default();
        pod.metadata.name = clean(if name.is_empty() { uid } else { name });
        pod.metadata.namespace = clean(namespace);
        pod.metadata.uid = clean(uid);
        pod
    }

    /// The sandbox that a container names, or its pod of Podman's has.
    fn sandbox_of(&self, summary: &ContainerSummary) -> Option<String> {
        let podman = self.podman.get(summary.id.as_str());
        let infra = podman.map(|pod| pod.infra_id.as_str());
        label(&summary.labels, labels::SANDBOX_ID)
            .or(infra.filter(|id| !id.is_empty()))
            .map(String::from)
    }

    fn finish(mut self) -> RuntimeListing {
        for (pod, class) in self.listing.pods.iter_mut().zip(self.classes) {
            let by_numbers = class_of(&pod.pod.spec);
            pod.pod.status.qos_class = Some(class.unwrap_or(by_numbers));
        }
        self.listing
    }
}

fn key_of(summary: &ContainerSummary, podman: Option<&PodmanPod>) -> Key {
    if let Some(uid) = label(&summary.labels, labels::POD_UID) {
        Key::Kubernetes(uid.into())
    } else if let Some(pod) = podman {
        Key::Podman(pod.id.clone())
    } else if let Some(project) = label(&summary.labels, labels::COMPOSE_PROJECT) {
        Key::Compose(project.into())
    } else {
        Key::Alone(summary.id.clone())
    }
}

/// What it is called within its pod.
fn name_of(summary: &ContainerSummary) -> String {
    clean(label(&summary.labels, labels::CONTAINER_NAME).unwrap_or(&summary.name))
}

fn sandbox(seen: &Seen<'_>, pod: usize) -> ListedSandbox {
    ListedSandbox {
        id: seen.summary.id.clone(),
        pod,
        ready: seen.runs(),
        created_nanos: seen.created_nanos(),
        attempt: attempt(seen),
    }
}

fn container(seen: Seen<'_>, pod: usize, sandbox: Option<String>) -> ListedContainer {
    let state = seen.state();
    let detail = &seen.known.detail;
    let path = |text: &str| (!text.is_empty()).then(|| PathBuf::from(text));
    ListedContainer {
        name: name_of(&seen.summary),
        pod,
        sandbox,
        state,
        created_nanos: seen.created_nanos(),
        finished_nanos: detail
            .finished_nanos
            .filter(|_| state != ContainerState::Running),
        attempt: attempt(&seen),
        cgroup: seen.known.cgroup.clone(),
        layer: path(&detail.upper_dir).map_or(WritableLayer::Unknown, WritableLayer::Dir),
        log: path(&detail.log_path),
        image: if seen.summary.image_id.is_empty() {
            seen.summary.image
        } else {
            seen.summary.image_id
        },
        id: seen.summary.id,
    }
}

/// dockershim and cri-dockerd number the containers of a pod in labels, and at the
/// end of their names: `k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT`.
fn attempt(seen: &Seen<'_>) -> u32 {
    let by_name = || {
        let name = seen.summary.name.strip_prefix("k8s_")?;
        name.rsplit('_').next()?.parse().ok()
    };
    labels::restart_count(&seen.summary.labels)
        .or_else(by_name)
        .unwrap_or(seen.known.detail.restart_count)
}
