//! From what the runtime says to pods. No I/O.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::cri_api::{Container, ContainerState as State, Resources, Sandbox};
use evictd_node::pod::{Pod, ResourceList};
use evictd_node::{QosClass, insert_text};
use evictd_quantity::Quantity;

use super::details::Details;
use super::places::Places;
use crate::kubepods::{KubepodsName, is_uid, parse_kubepods_name};
use crate::remote::{
    bytes, class_of, clean, cpu, is_read, kubepods_class, read_wishes, thousandths,
};
use crate::{
    ContainerState, ListedContainer, ListedSandbox, RuntimeListing, RuntimePod, WritableLayer,
};

/// The kubelet's: seconds of grace, on each container.
const GRACE: &str = "io.kubernetes.pod.terminationGracePeriod";
/// What the kubelet writes on containers too, for those whose sandbox is gone.
const POD_UID: &str = "io.kubernetes.pod.uid";
const POD_NAME: &str = "io.kubernetes.pod.name";
const POD_NAMESPACE: &str = "io.kubernetes.pod.namespace";

/// A weight that stands for no request of cpu.
const LEAST_SHARES: u64 = 2;

/// Puts all of it together, in the order of the lists. `known` has the details of
/// each container.
pub(super) fn assemble(
    sandboxes: &[Sandbox],
    containers: &[Container],
    known: &[Details],
    notes: Vec<String>,
) -> RuntimeListing {
    // There is room for all from the start, as lists that grow are there twice for a
    // moment.
    let mut assembly = Assembly {
        pods: Vec::with_capacity(sandboxes.len()),
        sandboxes: Vec::with_capacity(sandboxes.len()),
        containers: Vec::with_capacity(containers.len()),
        notes,
        ..Assembly::default()
    };
    for sandbox in sandboxes {
        assembly.add_sandbox(sandbox);
    }
    for (container, details) in containers.iter().zip(known) {
        assembly.add_container(container, details);
    }
    let pods = assembly.pods.into_iter().map(Draft::finish).collect();
    RuntimeListing {
        pods,
        sandboxes: assembly.sandboxes,
        containers: assembly.containers,
        notes: assembly.notes,
    }
}

/// A pod of which not all has been seen.
#[derive(Default)]
struct Draft {
    pod: RuntimePod,
    /// Whether its sandbox is ready, and when that was made: the newest counts.
    standing: (bool, i64),
    /// What the pod as a whole requests of memory, by a wish.
    memory_request: Option<Quantity>,
}

#[derive(Default)]
struct Assembly {
    pods: Vec<Draft>,
    by_uid: Places,
    by_sandbox: Places,
    sandboxes: Vec<ListedSandbox>,
    containers: Vec<ListedContainer>,
    notes: Vec<String>,
}

impl Assembly {
    /// The pod with this uid; a new one where need be.
    fn pod(&mut self, uid: &str) -> usize {
        if let Some(index) = self.by_uid.get(uid) {
            return index;
        }
        let index = self.pods.len();
        self.by_uid.insert(uid, index);
        let mut draft = Draft::default();
        Arc::make_mut(&mut draft.pod.pod).metadata.uid = clean(uid);
        draft.standing = (false, i64::MIN);
        self.pods.push(draft);
        index
    }

    fn add_sandbox(&mut self, sandbox: &Sandbox) {
        let uid = if sandbox.uid.is_empty() {
            &sandbox.id
        } else {
            &sandbox.uid
        };
        let index = self.pod(uid);
        self.by_sandbox.insert(&sandbox.id, index);
        let standing = (sandbox.is_ready, sandbox.created_nanos);
        if let Some(draft) = self.pods.get_mut(index)
            && standing >= draft.standing
        {
            draft.standing = standing;
            draft.describe(sandbox, &mut self.notes);
        }
        self.sandboxes.push(ListedSandbox {
            id: sandbox.id.clone(),
            pod: index,
            ready: sandbox.is_ready,
            created_nanos: sandbox.created_nanos,
            attempt: sandbox.attempt,
        });
    }

    fn add_container(&mut self, container: &Container, details: &Details) {
        let index = self.pod_of(container);
        if let (Some(draft), State::Running) = (self.pods.get_mut(index), container.state) {
            draft.add_running(container, details, &mut self.notes);
        }
        self.containers.push(ListedContainer {
            id: Arc::clone(&details.id),
            name: clean(&container.name),
            pod: index,
            sandbox: Some(container.sandbox.clone()).filter(|id| !id.is_empty()),
            state: match container.state {
                State::Created => ContainerState::Created,
                State::Running => ContainerState::Running,
                State::Exited => ContainerState::Exited,
                State::Unknown => ContainerState::Unknown,
            },
            image: Arc::clone(&details.image),
            created_nanos: container.created_nanos,
            finished_nanos: details.finished_nanos,
            attempt: container.attempt,
            cgroup: details.cgroup.clone(),
            layer: match &details.layer {
                Some(path) => WritableLayer::Dir(path.clone()),
                None => WritableLayer::Unknown,
            },
            log: details.log.clone(),
        });
    }

    /// By its sandbox; one whose sandbox is not listed, by its labels.
    fn pod_of(&mut self, container: &Container) -> usize {
        if let Some(index) = self.by_sandbox.get(&container.sandbox) {
            return index;
        }
        let label = |key: &str| text(&container.labels, key).map(String::as_str);
        let uid = label(POD_UID).filter(|uid| !uid.is_empty());
        let index = self.pod(uid.unwrap_or(&container.sandbox));
        if let Some(draft) = self.pods.get_mut(index) {
            let metadata = &mut Arc::make_mut(&mut draft.pod.pod).metadata;
            if metadata.name.is_empty() {
                metadata.name = clean(label(POD_NAME).unwrap_or(&container.name));
                metadata.namespace = clean(label(POD_NAMESPACE).unwrap_or_default());
            }
        }
        index
    }
}

impl Draft {
    fn describe(&mut self, sandbox: &Sandbox, notes: &mut Vec<String>) {
        let mark = |key: &str| mark(&sandbox.annotations, &sandbox.labels, key);
        let wishes = read_wishes(&mark, &sandbox.name, notes);
        self.pod.sandbox = Some(sandbox.id.clone());
        self.memory_request = wishes.memory_request;
        let pod = Arc::make_mut(&mut self.pod.pod);
        pod.spec.priority = wishes.priority;
        let metadata = &mut pod.metadata;
        let name = if sandbox.name.is_empty() {
            &sandbox.id
        } else {
            &sandbox.name
        };
        metadata.name = clean(name);
        metadata.namespace = clean(&sandbox.namespace);
        metadata.annotations.clear();
        let kept = sandbox.annotations.iter().filter(|(key, _)| is_read(key));
        for (key, value) in kept {
            insert_text(&mut metadata.annotations, key.clone(), value.clone());
        }
    }

    fn add_running(&mut self, container: &Container, details: &Details, notes: &mut Vec<String>) {
        let who = format!("{}/{}", self.pod.pod.metadata.name, container.name);
        let mark = |key: &str| mark(&container.annotations, &container.labels, key);
        let wishes = read_wishes(&mark, &who, notes);
        self.pod.running.push(Arc::clone(&details.id));
        self.pod.cgroups.extend(details.cgroup.clone());
        let spec = &mut Arc::make_mut(&mut self.pod.pod).spec;
        spec.priority = spec.priority.max(wishes.priority);
        let grace = text(&container.annotations, GRACE);
        let grace = grace.and_then(|text| text.parse().ok());
        spec.termination_grace_period_seconds = spec.termination_grace_period_seconds.max(grace);
        spec.containers.push(evictd_node::pod::Container {
            name: clean(&container.name),
            resources: resources(&details.resources, wishes.memory_request),
            restart_policy: None,
        });
    }

    fn finish(mut self) -> RuntimePod {
        let pod = Arc::make_mut(&mut self.pod.pod);
        let containers = &mut pod.spec.containers;
        let has_own = containers
            .iter()
            .any(|container| container.resources.requests.memory.is_some());
        if let (false, Some(first)) = (has_own, containers.first_mut()) {
            first.resources.requests.memory = self.memory_request;
        }
        let by_place = self
            .pod
            .cgroups
            .first()
            .and_then(|first| class_by_place(first));
        let by_numbers = class_of(&pod.spec);
        pod.status.qos_class = Some(by_place.unwrap_or(by_numbers));
        if let Some(own) = own_cgroup(&self.pod.cgroups, &self.pod.pod) {
            self.pod.cgroups = alloc::vec![own];
        }
        self.pod
    }
}

type Texts = [(String, String)];

/// An annotation, else a label.
fn mark<'a>(annotations: &'a Texts, labels: &'a Texts, key: &str) -> Option<&'a String> {
    text(annotations, key).or_else(|| text(labels, key))
}

fn text<'a>(texts: &'a Texts, key: &str) -> Option<&'a String> {
    let found = texts.iter().find(|(known, _)| known == key);
    found.map(|(_, value)| value)
}

fn resources(told: &Resources, memory_request: Option<Quantity>) -> evictd_node::pod::Resources {
    let positive = |number: i64| u64::try_from(number).ok().filter(|number| *number > 0);
    let shares = positive(told.cpu_shares).filter(|shares| *shares > LEAST_SHARES);
    let quota = positive(told.cpu_quota).zip(positive(told.cpu_period));
    let limit = quota.map(|(quota, period)| quota.saturating_mul(1000).div_ceil(period));
    evictd_node::pod::Resources {
        requests: ResourceList {
            cpu: shares.map(|shares| cpu(thousandths(shares))),
            memory: memory_request,
            ..ResourceList::default()
        },
        limits: ResourceList {
            cpu: limit.map(cpu),
            memory: positive(told.memory_limit_bytes).map(bytes),
            ..ResourceList::default()
        },
    }
}

fn class_by_place(cgroup: &Path) -> Option<QosClass> {
    kubepods_class(&cgroup.parent()?.to_string_lossy())
}

/// The cgroup that holds all of a pod's containers and nothing else: the one above
/// each of them, when its name says that it is this pod's.
fn own_cgroup(cgroups: &[Arc<Path>], pod: &Pod) -> Option<Arc<Path>> {
    let above = cgroups.first()?.parent()?;
    let name = parse_kubepods_name(above.file_name()?.as_bytes())?;
    let is_own = match name {
        KubepodsName::Pod { uid, systemd } => is_uid(uid, &pod.metadata.uid, systemd),
        KubepodsName::Class(_) => false,
    };
    let holds_all = cgroups.iter().all(|cgroup| cgroup.parent() == Some(above));
    (is_own && holds_all).then(|| above.into())
}
