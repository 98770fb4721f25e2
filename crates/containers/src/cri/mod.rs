//! containerd, CRI-O and cri-dockerd, by the Container Runtime Interface.

mod details;
mod images;
mod json;
mod layer;
mod listing;
mod places;
#[cfg(test)]
mod tests;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;
use std::path::{Path, PathBuf};

use crate::cri_api::{Container, ContainerState, Cri, Error, Failure};

use crate::remote::{clean, share};
use crate::{
    CallError, CallFailure, ContainerRuntime, ListedImage, RuntimeDisks, RuntimeListing,
    RuntimePod, WritableLayer,
};
use details::Details;
use places::Places;

/// How long a call may take as a whole; removing, four times that; stopping, the
/// grace longer.
const LIMIT: Duration = Duration::from_secs(30);

/// The gRPC code for what must not be done as things are.
const FAILED_PRECONDITION: u32 = 9;

/// containerd, CRI-O or cri-dockerd behind its unix socket. Feature `cri`.
///
/// Only CRI v1 is spoken: containerd 1.6, CRI-O 1.20, cri-dockerd 0.3 and later.
///
/// # What is a pod
///
/// All sandboxes with the same uid are one pod; a sandbox without one is a pod of
/// its own, with its id as uid. Names, labels and annotations are those of the
/// newest sandbox that is ready, else of the newest.
///
/// # Where it runs
///
/// The cgroup of a container is that of its first process, as the kernel tells it,
/// down to the part that has the container's id in its name. Where the cgroup
/// above it is the pod's by its name (`pod<uid>`), that is the pod's one cgroup.
///
/// # Requests, limits, QoS class
///
/// A container is limited to what the runtime says of memory and cpu; its cpu
/// weight is its request of cpu. Nobody tells a runtime the request of memory.
/// The place in a kubepods tree is the QoS class; elsewhere memory alone tells
/// `Guaranteed` from `Burstable`, and a pod that states nothing is `BestEffort`.
///
/// # Annotations and labels
///
/// `evictd.priority`, `evictd.memory-request` (a Kubernetes quantity) and
/// `evictd.protect=true` (priority 2,000,000,000: never evicted), on the pod or on
/// a container; where one is there as a label and as an annotation, the annotation
/// counts. A pod's memory request is its first container's, where none of its
/// containers has one of its own. What makes no sense is ignored with a note in
/// [`RuntimeListing::notes`]. The annotation `io.kubernetes.pod.terminationGracePeriod`
/// that the kubelet gives its containers is the pod's grace.
///
/// # Writable layers
///
/// That of a container on overlayfs is a directory, known since the container was
/// first seen to run; other storage is measured by the runtime, see
/// [`measure_layers`](ContainerRuntime::measure_layers).
///
/// # Images
///
/// [`ListedContainer::image`](crate::ListedContainer::image) is the id that
/// [`ListedImage::id`] has, as long as the image is there. The sandboxes' own image
/// counts as pinned, whatever the runtime says: containerd 1.6 removes it without
/// a word, and no pod starts any more.
#[derive(Debug)]
pub struct CriRuntime {
    endpoint: String,
    cri: Cri,
    proc: PathBuf,
    /// What is known of each container, as long as the list says the same of it.
    known: Vec<Details>,
    /// Where in `known` it is, by id.
    places: Places,
}

impl CriRuntime {
    /// A runtime behind that socket; nothing is opened yet.
    #[must_use]
    pub fn new(socket: &Path) -> Self {
        Self::with(socket, Path::new("/proc"), LIMIT)
    }

    /// As [`CriRuntime::new`], with another `/proc` and another time limit for
    /// each call.
    #[must_use]
    pub fn with(socket: &Path, proc: &Path, limit: Duration) -> Self {
        Self {
            endpoint: format!("unix://{}", socket.display()),
            cri: Cri::new(socket, limit),
            proc: proc.to_owned(),
            known: Vec::new(),
            places: Places::default(),
        }
    }

    fn error(&self, error: Error) -> CallError {
        CallError {
            endpoint: self.endpoint.as_str().into(),
            call: error.call.into(),
            failure: match error.failure {
                Failure::NotReachable(why) => CallFailure::NotReachable(why),
                Failure::TimedOut(after) => CallFailure::TimedOut(after),
                Failure::Refused { code, message } => CallFailure::Refused { code, message },
                Failure::Malformed(what) => CallFailure::Malformed(what),
            },
        }
    }

    fn refusal(&self, call: &str, message: &str) -> CallError {
        CallError {
            endpoint: self.endpoint.as_str().into(),
            call: call.into(),
            failure: CallFailure::Refused {
                code: FAILED_PRECONDITION,
                message: message.into(),
            },
        }
    }

    /// Two calls when nothing has changed.
    fn list_all(&mut self) -> Result<RuntimeListing, Error> {
        let sandboxes = self.cri.sandboxes()?;
        let mut containers = self.cri.containers()?;
        let mut notes = Vec::new();
        let mut before = core::mem::take(&mut self.known);
        let places = core::mem::take(&mut self.places);
        let mut images = None;
        let mut failed = None;
        containers.retain(|container| {
            let known = places.get(&container.id);
            let known = known.and_then(|place| before.get_mut(place));
            let known = known.map(core::mem::take).unwrap_or_default();
            let layer = known.layer.clone();
            let known = if known.is_of(container) {
                Ok(Some(known))
            } else if failed.is_none() {
                self.look_up(container, &mut images, &mut notes)
            } else {
                Ok(None)
            };
            match known {
                Ok(Some(mut details)) => {
                    // It outlives the process that led to it.
                    details.layer = details.layer.or(layer);
                    self.places.insert(&container.id, self.known.len());
                    self.known.push(details);
                    return true;
                }
                // What vanished in between is not there.
                Ok(None) => {}
                Err(error) => failed = Some(error),
            }
            false
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(listing::assemble(
                &sandboxes,
                &containers,
                &self.known,
                notes,
            )),
        }
    }

    /// What one call tells of a container; `None` when it has vanished meanwhile.
    fn look_up(
        &mut self,
        container: &Container,
        images: &mut Option<Vec<crate::cri_api::Image>>,
        notes: &mut Vec<String>,
    ) -> Result<Option<Details>, Error> {
        let runs = container.state == ContainerState::Running;
        let status = match self.cri.container_status(&container.id, runs) {
            Ok(status) => Some(status),
            Err(error) if error.failure.is_not_found() => return Ok(None),
            // One that the runtime cannot look at must not hide the others.
            Err(error) if matches!(error.failure, Failure::Refused { .. }) => {
                notes.push(clean(&format!("{}: {error}", container.id)));
                None
            }
            Err(error) => return Err(error),
        };
        let image = match images::id_in_list(container) {
            Some(id) => self.share(id),
            None => {
                let images = match images {
                    Some(images) => images,
                    none => none.insert(self.cri.images()?),
                };
                self.share(images::find_id(container, images))
            }
        };
        Ok(Some(Details::new(container, status, image, &self.proc)))
    }

    fn share(&self, image: &str) -> Arc<str> {
        share(image, self.known.last().map(|before| &before.image))
    }

    fn find_images(&mut self) -> Result<Vec<ListedImage>, Error> {
        let images = self.cri.images()?;
        let config = self.cri.config()?;
        let mut pinned = images::of_config(config.as_deref(), &images);
        if pinned.is_none() {
            let sandboxes = self.cri.sandboxes()?;
            if let Some(sandbox) = sandboxes.iter().find(|sandbox| sandbox.is_ready) {
                let info = self.cri.sandbox_info(&sandbox.id)?;
                pinned = images::of_sandbox(info.as_deref(), &images);
            }
        }
        Ok(images::listed(images, pinned))
    }
}

impl ContainerRuntime for CriRuntime {
    fn endpoint(&self) -> &str {
        &self.endpoint
    }

    fn version(&mut self) -> Result<String, CallError> {
        let version = self.cri.version().map_err(|error| self.error(error))?;
        Ok(clean(&format!("{} {}", version.name, version.version)))
    }

    fn list(&mut self) -> Result<RuntimeListing, CallError> {
        self.list_all().map_err(|error| self.error(error))
    }

    /// By `ListContainerStats`, which asks each container's shim: some milliseconds
    /// each. containerd measures the layers every ten seconds.
    fn measure_layers(&mut self, listing: &mut RuntimeListing) -> Result<(), CallError> {
        let layers = self.cri.layers().map_err(|error| self.error(error))?;
        let mut places = Places::default();
        for (place, layer) in layers.iter().enumerate() {
            places.insert(&layer.id, place);
        }
        for container in &mut listing.containers {
            let place = places.get(&container.id);
            let Some(layer) = place.and_then(|place| layers.get(place)) else {
                continue;
            };
            if let (Some(bytes), WritableLayer::Unknown) = (layer.bytes, &container.layer) {
                let inodes = layer.inodes;
                container.layer = WritableLayer::Used { bytes, inodes };
            }
        }
        Ok(())
    }

    fn images(&mut self) -> Result<Vec<ListedImage>, CallError> {
        self.find_images().map_err(|error| self.error(error))
    }

    fn disks(&mut self) -> Result<RuntimeDisks, CallError> {
        let info = self
            .cri
            .image_fs_info()
            .map_err(|error| self.error(error))?;
        Ok(images::find_disks(info))
    }

    /// `StopContainer` for all that runs, then `StopPodSandbox`, which kills what
    /// came up meanwhile; in a sandbox that was stopped nothing starts any more.
    /// Without a grace the timeout is 0: containerd 1.6 then kills within 50 ms.
    fn end_pod(&mut self, pod: &RuntimePod, grace: Duration) -> Result<(), CallError> {
        let whole = u32::from(grace.subsec_nanos() > 0);
        let seconds = u32::try_from(grace.as_secs()).unwrap_or(u32::MAX);
        let timeout = seconds.saturating_add(whole);
        let stopped = self.cri.stop_containers(&pod.running, timeout);
        let ended = match &pod.sandbox {
            Some(sandbox) => self.cri.stop_sandbox(sandbox),
            None => Ok(()),
        };
        stopped.and(ended).map_err(|error| self.error(error))
    }

    /// CRI removes one that runs as well, so it is asked first.
    fn remove_container(&mut self, id: &str) -> Result<(), CallError> {
        match self.cri.container_status(id, false) {
            Ok(status) if status.state == ContainerState::Running => {
                return Err(self.refusal("RemoveContainer", "the container runs"));
            }
            Err(error) if error.failure.is_not_found() => return Ok(()),
            // One in disorder can be removed all the same.
            Ok(_) | Err(_) => {}
        }
        let removed = self.cri.remove_container(id);
        removed.map_err(|error| self.error(error))
    }

    /// CRI removes the containers in it as well, so they are asked for first.
    fn remove_sandbox(&mut self, id: &str) -> Result<(), CallError> {
        let within = self
            .cri
            .containers_of(id)
            .map_err(|error| self.error(error))?;
        if !within.is_empty() {
            return Err(self.refusal("RemovePodSandbox", "containers are in the sandbox"));
        }
        let removed = self
            .cri
            .stop_sandbox(id)
            .and_then(|()| self.cri.remove_sandbox(id));
        removed.map_err(|error| self.error(error))
    }

    fn remove_image(&mut self, id: &str) -> Result<(), CallError> {
        let removed = self.cri.remove_image(id);
        removed.map_err(|error| self.error(error))
    }
}
