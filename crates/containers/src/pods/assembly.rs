use alloc::sync::Arc;

use evictd_node::QosClass;
use evictd_node::pod::{Container, Pod};
use evictd_quantity::Quantity;

use super::resources::{class_of, resources};
use super::wishes::{Wishes, read_wishes};
use super::{COMPOSE_PROJECT, Details, Found, POD_NAME, POD_NAMESPACE, POD_UID};
use crate::notes::bound;
use crate::text::clean;
use crate::{ListedSandbox, RuntimeListing, RuntimePod};

/// The class of what its operator protects: the kubelet gives it the `oom_score_adj` of a
/// Guaranteed pod.
const NODE_CRITICAL: &str = "system-node-critical";

/// What makes containers one pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Kubernetes,
    Group,
    Compose,
    Alone,
}

/// The pod that a container belongs to.
struct Owner<'a> {
    kind: Kind,
    uid: &'a str,
    name: &'a str,
    namespace: &'a str,
}

/// The rule for what a pod is. The first of these that fits a container or sandbox:
///
/// 1. It has the labels `io.kubernetes.pod.{uid,name,namespace}`: that pod.
/// 2. The runtime itself groups it: Podman's pod, or CRI's sandbox where that has no uid.
/// 3. It has the label `com.docker.compose.project`, and projects are pods.
/// 4. It is a pod of its own.
fn find_owner(found: &Found, how: Grouping) -> Owner<'_> {
    let own_name = found.container.name.as_str();
    let namespace = found.label(POD_NAMESPACE);
    let runtime = how.namespace;
    let owner = |kind, uid, name, namespace| Owner {
        kind,
        uid,
        name: if str::is_empty(name) { uid } else { name },
        namespace,
    };
    if let Some(uid) = found.label(POD_UID) {
        let name = found.label(POD_NAME).unwrap_or(own_name);
        owner(Kind::Kubernetes, uid, name, namespace.unwrap_or_default())
    } else if let Some((id, name)) = &found.group {
        owner(Kind::Group, id, name, namespace.unwrap_or(runtime))
    } else if let Some(project) = found.label(COMPOSE_PROJECT).filter(|_| how.projects) {
        owner(Kind::Compose, project, project, runtime)
    } else {
        owner(Kind::Alone, &found.container.id, own_name, runtime)
    }
}

/// How a runtime's containers are put together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grouping {
    /// The namespace of pods that say none.
    pub(crate) namespace: &'static str,
    /// Whether a compose project is one pod.
    pub(crate) projects: bool,
}

/// Puts together what a runtime holds, in the order in which it is added.
pub(crate) struct Assembly {
    how: Grouping,
    listing: RuntimeListing,
    drafts: Vec<Draft>,
    /// Which draft is whose, in order.
    by_owner: Vec<((Kind, Box<str>), usize)>,
    /// What names an image, each once, in order.
    images: Vec<Arc<str>>,
}

/// Pods of what was listed; the details are told of one container after the other. For
/// fuzzing.
pub fn assemble(listed: Vec<Found>, details: &[Details], projects: bool) -> RuntimeListing {
    let how = Grouping {
        namespace: "docker",
        projects,
    };
    let mut assembly = Assembly::new(how, Vec::new());
    let unknown = Details::default();
    let mut told = details.iter().cycle();
    for found in listed {
        assembly.add(found, told.next().unwrap_or(&unknown));
    }
    assembly.finish()
}

/// A pod while not all of it has been seen.
#[derive(Default)]
struct Draft {
    description: Pod,
    pod: RuntimePod,
    /// Whether its sandbox is ready, and when that was made: the newest counts.
    standing: Option<(bool, i64)>,
    /// What the pod as a whole requests of memory, by its sandbox's wish.
    memory_request: Option<Quantity>,
    /// The class that its place in a kubepods tree tells.
    class: Option<QosClass>,
    /// Whether nothing of its containers' logs may be given up, by its sandbox's wish.
    keeps_logs: bool,
}

impl Assembly {
    pub(crate) fn new(how: Grouping, notes: Vec<String>) -> Self {
        let listing = RuntimeListing {
            notes,
            ..RuntimeListing::default()
        };
        Self {
            how,
            listing,
            drafts: Vec::new(),
            by_owner: Vec::new(),
            images: Vec::new(),
        }
    }

    /// Many containers are made from one image.
    fn share(&mut self, image: &mut Arc<str>) {
        match self.images.binary_search(image) {
            Ok(place) => *image = self.images.get(place).unwrap_or(image).clone(),
            Err(place) => self.images.insert(place, Arc::clone(image)),
        }
    }

    /// The pod that it belongs to, as an index; a new one where need be.
    fn pod_of(&mut self, found: &Found) -> usize {
        let owner = find_owner(found, self.how);
        let next = self.drafts.len();
        let key = (owner.kind, owner.uid.into());
        let index = match self.by_owner.binary_search_by(|(of, _)| of.cmp(&key)) {
            Ok(place) => self.by_owner.get(place).map_or(next, |(_, index)| *index),
            Err(place) => {
                self.by_owner.insert(place, (key, next));
                next
            }
        };
        if index == next {
            let mut draft = Draft::default();
            let metadata = &mut draft.description.metadata;
            metadata.uid = clean(owner.uid);
            metadata.name = clean(owner.name);
            metadata.namespace = clean(owner.namespace);
            draft.pod.is_replaced = owner.kind == Kind::Kubernetes;
            self.drafts.push(draft);
        }
        index
    }

    pub(crate) fn add(&mut self, found: Found, details: &Details) {
        let index = self.pod_of(&found);
        let mut relief = (false, false);
        if let Some(draft) = self.drafts.get_mut(index) {
            let name = &draft.description.metadata.name;
            let wishes = read_wishes(&found, name, &mut self.listing.notes);
            relief = (wishes.keeps_log, wishes.disk_limit.is_some());
            draft.keeps_logs |= wishes.keeps_log && found.is_sandbox;
            draft.add(&found, details, wishes);
        }
        let runs = found.runs();
        let mut container = found.container;
        container.pod = index;
        (container.keeps_log, container.has_disk_limit) = relief;
        if found.is_sandbox {
            self.listing.sandboxes.push(ListedSandbox {
                id: container.id,
                pod: index,
                ready: runs,
                created_nanos: container.created_nanos,
                attempt: container.attempt,
            });
            return;
        }
        container.attempt = container.attempt.max(details.restarts);
        container.finished_nanos = details.finished_nanos.filter(|_| !runs);
        container.cgroup.clone_from(&details.cgroup);
        container.layer.clone_from(&details.layer);
        container.log.clone_from(&details.log);
        container.log_format = details.log_format;
        container.log_is_bounded = details.log_is_bounded;
        container.mounts.clone_from(&details.mounts);
        if let Some(image) = &details.image {
            container.image = Arc::clone(image);
        }
        self.share(&mut container.image);
        container.image_volumes.clone_from(&details.image_volumes);
        self.listing.containers.push(container);
    }

    pub(crate) fn finish(mut self) -> RuntimeListing {
        bound(&mut self.listing.notes);
        let mut listing = self.listing;
        for container in &mut listing.containers {
            let pod = self.drafts.get(container.pod);
            container.keeps_log |= pod.is_some_and(|pod| pod.keeps_logs);
        }
        listing.pods = self.drafts.into_iter().map(Draft::finish).collect();
        // It is kept until something changes.
        listing.pods.shrink_to_fit();
        listing.sandboxes.shrink_to_fit();
        listing.containers.shrink_to_fit();
        listing
    }
}

impl Draft {
    fn finish(mut self) -> RuntimePod {
        let spec = &mut self.description.spec;
        let has_request = |it: &Container| it.resources.requests.memory.is_some();
        let has_none = !spec.containers.iter().any(has_request);
        // Then the pod's is its first one's.
        if let Some(first) = spec.containers.first_mut().filter(|_| has_none) {
            first.resources.requests.memory = self.memory_request.map(Box::new);
        }
        let class = self.class.unwrap_or_else(|| class_of(spec));
        self.description.status.qos_class = Some(class);
        self.pod.pod = Arc::new(self.description);
        self.pod
    }

    /// What a container or sandbox adds to its pod.
    fn add(&mut self, found: &Found, details: &Details, wishes: Wishes) {
        let Self {
            description, pod, ..
        } = self;
        if wishes.is_protected {
            description.mark_protected();
        }
        let spec = &mut description.spec;
        spec.priority = spec.priority.max(wishes.priority);
        if wishes.is_protected {
            // That is what the OOM killer is to spare, too.
            spec.priority_class_name = NODE_CRITICAL.into();
        }
        let runs = found.runs();
        let standing = Some((runs, found.container.created_nanos));
        let is_newest = found.is_sandbox && standing > self.standing;
        // What is not read may be long, and is not kept.
        let read = |(key, _): &(&String, &String)| key.starts_with("kubernetes.io/config.");
        for (key, value) in found.annotations.iter().filter(read) {
            let annotations = &mut description.metadata.annotations;
            if is_newest || !annotations.contains_key(key) {
                annotations.insert(key.clone(), value.clone());
            }
        }
        if is_newest {
            self.standing = standing;
            self.memory_request.clone_from(&wishes.memory_request);
            pod.sandbox = Some(Arc::clone(&found.container.id));
        }
        // Each container's, not the parent of all: Podman keeps its monitors there as well.
        if let Some(cgroup) = &details.cgroup {
            push(&mut pod.cgroups, Arc::clone(cgroup));
        }
        if !found.is_sandbox && (runs || details.cgroup.is_some()) {
            push(&mut pod.running, Arc::clone(&found.container.id));
        }
        if !runs {
            return;
        }
        self.class = self.class.or(details.class);
        if found.is_sandbox {
            return;
        }
        let grace = found.grace_seconds.max(details.grace_seconds);
        spec.termination_grace_period_seconds = spec.termination_grace_period_seconds.max(grace);
        let container = Container {
            name: found.container.name.clone(),
            resources: resources(&details.limits, wishes),
            restart_policy: details.restart_policy.as_deref().map(Into::into),
        };
        push(&mut spec.containers, container);
    }
}

/// Most pods have one of each: there is no room for more before there are more.
fn push<T>(list: &mut Vec<T>, one: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(one);
}
