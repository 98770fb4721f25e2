//! Docker, Podman and balenaEngine, by the Docker Engine API over its unix socket.
//!
//! [`DockerRuntime`] speaks HTTP/1.1: what eviction and garbage collection need, and no
//! more. It starts no thread, and knows no TCP and no TLS. The `parse_*` functions and
//! [`read_response`] are what it reads answers with.

mod about;
mod answer;
mod build_cache;
mod cache_usage;
mod client;
mod details;
mod end;
mod engine;
mod events;
mod http;
mod images;
mod labels;
mod listed;
mod log_config;
mod look_up;
mod members;
mod message;
mod mounts;
mod podman;
mod remove;
mod request;
mod time;
mod volumes;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use core::time::Duration;
use std::path::{Path, PathBuf};

use crate::pods::{Assembly, Grouping, Known, Question};
use crate::text::clean;
use crate::{
    Changes, ContainerRuntime, Error, ListedImage, ListedVolume, RuntimeDisks, RuntimeListing,
    RuntimePod,
};
use about::EngineVersion;
use client::Client;
use engine::Engine;
use events::Events;
use labels::ImageLabels;
use look_up::{TOGETHER, look_up};

pub use crate::list::Listed;
pub use details::parse_details;
pub use http::{Body, Response, read_response};
pub use images::parse_images;
pub use listed::parse_containers;
// For fuzzing.
#[doc(hidden)]
pub use about::{parse_info, parse_version};
#[doc(hidden)]
pub use cache_usage::{parse_pruned, parse_usage};
#[doc(hidden)]
pub use details::parse_size;
#[doc(hidden)]
pub use events::read_event;
#[doc(hidden)]
pub use images::{parse_image, parse_image_labels};
#[doc(hidden)]
pub use listed::parse_uses;
#[doc(hidden)]
pub use message::parse_message;
#[doc(hidden)]
pub use podman::parse_pods;
pub use time::parse_rfc3339;
#[doc(hidden)]
pub use volumes::parse_volumes;

/// How long a call may take as a whole; stopping, the grace longer.
const LIMIT: Duration = Duration::from_secs(30);

/// Docker, Podman or balenaEngine behind its unix socket. Feature `docker`.
///
/// # What is a pod
///
/// The first of these that fits a container:
///
/// 1. The labels `io.kubernetes.pod.{uid,name,namespace}` (cri-dockerd,
///    dockershim): that pod. A container of the type `podsandbox`, or with the
///    name `POD`, is its sandbox.
/// 2. A pod of Podman's: its uid is Podman's id of it, its namespace `podman`,
///    its infra container the sandbox.
/// 3. The label `com.docker.compose.project`, where
///    [projects are pods](Self::with_projects_as_pods): the project is one pod, with
///    its name as name and uid.
/// 4. Every other container is a pod of its own, with its name as name and its id
///    as uid.
///
/// The namespace of the last two is `docker`, `podman` or `balena`.
///
/// # Requests, limits, QoS class
///
/// A container requests its memory reservation and is limited to its memory
/// limit; what it does not state it does not have, so that the same numbers come
/// out as from its cgroup. `--cpus` and `--cpu-shares` count as limit and request
/// of cpu. Only what runs counts. Where the parent cgroup lies in a kubepods
/// tree, its place there is the QoS class. Else memory alone tells `Guaranteed`
/// (every container's request equals its limit) from `Burstable`, as hardly
/// anyone states a request of cpu here; a pod that states nothing at all is
/// `BestEffort`.
///
/// # Labels
///
/// `evictd.priority` (a whole number of 32 bits; the highest of its containers
/// counts), `evictd.memory-request` (a Kubernetes quantity, in place of the
/// reservation) and `evictd.protect=true` (the pod gets the priority
/// 2,000,000,000 and the class `system-node-critical`, so it is never evicted). A value that makes no
/// sense is ignored with a note in [`RuntimeListing::notes`]. Labels that the container's
/// image carries count for nothing, neither these nor those that make a pod.
///
/// # Ending a pod for good
///
/// [`end_pod`](ContainerRuntime::end_pod) stops all containers at once. Their restart
/// policies stay as they are: an engine remembers that it was told to stop a container,
/// and starts it again at the earliest when the engine itself is started anew (policy
/// `always`). What starts containers from outside cannot be held back: Swarm services,
/// `docker compose up`, systemd units of Podman (Quadlet).
#[derive(Debug)]
pub struct DockerRuntime {
    client: Client,
    proc: PathBuf,
    engine: Option<Engine>,
    known: Known,
    images: ImageLabels,
    /// What was odd of the images and volumes that were listed last.
    odd_images: Vec<String>,
    odd_volumes: Vec<String>,
    projects_are_pods: bool,
}

impl DockerRuntime {
    /// A runtime behind that socket; nothing is opened yet.
    #[must_use]
    pub fn new(socket: &Path) -> Self {
        Self::with(socket, Path::new("/proc"), LIMIT)
    }

    /// As [`DockerRuntime::new`], with another `/proc` and another time limit for
    /// each call.
    #[must_use]
    pub fn with(socket: &Path, proc: &Path, limit: Duration) -> Self {
        Self {
            client: Client::new(socket.to_owned(), limit),
            proc: proc.to_owned(),
            engine: None,
            known: Known::with(proc),
            images: ImageLabels::default(),
            odd_images: Vec::new(),
            odd_volumes: Vec::new(),
            projects_are_pods: false,
        }
    }

    /// Takes a compose project as one pod, or each container of it as one.
    #[must_use]
    pub fn with_projects_as_pods(mut self, are_pods: bool) -> Self {
        self.projects_are_pods = are_pods;
        self
    }

    /// Asked once: what listens on a socket does not become something else.
    fn engine(&mut self) -> Result<Engine, Error> {
        match self.engine {
            Some(engine) => Ok(engine),
            None => Ok(self.ask_engine()?.0),
        }
    }

    fn ask_engine(&mut self) -> Result<(Engine, EngineVersion), Error> {
        let version = self.client.version()?;
        let engine = Engine::of(&version, &self.client.endpoint);
        self.engine = Some(engine);
        Ok((engine, version))
    }
}

impl ContainerRuntime for DockerRuntime {
    fn endpoint(&self) -> &str {
        &self.client.endpoint
    }

    fn version(&mut self) -> Result<String, Error> {
        let (engine, version) = self.ask_engine()?;
        Ok(format!("{} {}", engine.name(), clean(&version.version)))
    }

    fn list(&mut self) -> Result<RuntimeListing, Error> {
        let engine = self.engine()?;
        let Listed { items, mut notes } = self.client.containers()?;
        notes.extend_from_slice(&self.odd_images);
        notes.extend_from_slice(&self.odd_volumes);
        let ask = |questions: &[Question<'_>], within| {
            look_up(&self.client, &self.proc, questions, within)
        };
        let how = (TOGETHER, self.client.limit);
        let mut all = self.known.update(items, how, &mut notes, ask)?;
        self.images.read(&self.client, &mut all, &mut notes)?;
        members::find_pods(engine, &self.client, &mut all)?;
        let how = Grouping {
            namespace: engine.namespace(),
            projects: self.projects_are_pods,
        };
        let mut assembly = Assembly::new(how, notes);
        let cgroups = all.iter().filter_map(|(_, details)| details.cgroup.clone());
        let cgroups: Vec<_> = cgroups.collect();
        let of_kubepods = |cgroup| labels::pod_of_kubepods(cgroup);
        let pods: Vec<_> = cgroups
            .iter()
            .map(AsRef::as_ref)
            .filter_map(of_kubepods)
            .collect();
        for (mut found, details) in all {
            labels::follow_kubepods(&mut found, details.cgroup.as_deref());
            labels::leave_kubepods(&mut found, details.cgroup.as_deref(), &pods);
            assembly.add(found, &details);
        }
        let mut listing = assembly.finish();
        for pod in &mut listing.pods {
            pod.stays_down_only_if_ended_running = engine == Engine::Podman;
        }
        for container in &mut listing.containers {
            container.log_format = engine.log_format(container.log_format);
        }
        Ok(listing)
    }

    /// Where a layer is no directory of its own (`vfs`, `btrfs`, `zfs`), the engine compares
    /// it with its image, file by file: it is given a few seconds for all of them, and those
    /// that have a limit come first.
    fn measure_layers(&mut self, listing: &mut RuntimeListing) -> Result<(), Error> {
        look_up::measure_layers(&self.client, &mut listing.containers);
        Ok(())
    }

    fn follow(&mut self) -> Result<Box<dyn Changes>, Error> {
        Ok(Box::new(Events::new(self.client.events()?)))
    }

    fn images(&mut self) -> Result<Vec<ListedImage>, Error> {
        let listed = self.client.images()?;
        self.odd_images = listed.notes;
        Ok(listed.items)
    }

    fn disks(&mut self) -> Result<RuntimeDisks, Error> {
        Ok(engine::find_disks(&self.client.info()?))
    }

    fn end_pod(&mut self, pod: &RuntimePod, grace: Duration) -> Result<(), Error> {
        let engine = self.engine()?;
        end::end_pod(&self.client, engine, pod, grace)
    }

    fn written_bytes(&mut self, id: &str) -> Option<u64> {
        self.client.written_bytes(id).ok().flatten()
    }

    fn remove_container(&mut self, id: &str) -> Result<(), Error> {
        self.client.remove_container(id)
    }

    fn remove_sandbox(&mut self, id: &str) -> Result<(), Error> {
        let engine = self.engine()?;
        remove::remove_sandbox(&self.client, engine, id)
    }

    fn remove_image(&mut self, id: &str) -> Result<(), Error> {
        remove::remove_image(&self.client, id)
    }

    fn unused_volumes(&mut self) -> Result<Vec<ListedVolume>, Error> {
        let listed = self.client.unused_volumes()?;
        self.odd_volumes = listed.notes;
        Ok(listed.items)
    }

    fn remove_volume(&mut self, name: &str) -> Result<(), Error> {
        self.client.remove_volume(name)
    }

    fn prunable_build_cache(&mut self) -> Result<Option<u64>, Error> {
        build_cache::prunable(&self.client)
    }

    fn prune_build_cache(&mut self, missing: Option<u64>) -> Result<Option<u64>, Error> {
        build_cache::prune(&self.client, missing)
    }
}
