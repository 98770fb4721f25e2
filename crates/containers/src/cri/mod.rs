//! containerd, CRI-O and cri-dockerd, by the Container Runtime Interface (CRI v1).
//!
//! [`CriRuntime`] asks and understands; [`Client`] makes gRPC calls over a unix socket. Each call ends by a deadline of its own, however the other side behaves; what
//! it receives is bounded, and read in full or not at all. [`Bytes`], [`Writer`], the
//! `parse_*` functions and [`parse_connection`] do no I/O. Nothing here starts a thread.

mod client;
mod events;
mod fields;
mod grpc;
mod hpack;
mod http2;
mod images;
mod parse;
mod proto;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};

use crate::pods::{
    Assembly, Details, Found, Grouping, Known, POD_NAME, POD_NAMESPACE, POD_UID, kubepods_class,
    own_cgroup, read_cgroup, read_layer,
};
use crate::text::clean;
use crate::{
    Changes, ContainerRuntime, Error, ListedImage, RuntimeDisks, RuntimeListing, RuntimePod,
    WritableLayer,
};

pub use client::Client;
// For fuzzing.
pub use grpc::parse_message;
pub use http2::parse_connection;
pub use parse::{
    parse_container, parse_disks, parse_image, parse_image_id, parse_info, parse_layer, parse_list,
    parse_sandbox, parse_status, parse_version,
};
pub use proto::{Bytes, ProtoError, Value, Writer};
#[doc(hidden)]
pub use {events::count_events, images::find_id};

const GROUPING: Grouping = Grouping {
    namespace: "",
    projects: false,
};

/// How long a call may take as a whole; removing, four times that; stopping, the
/// grace longer.
const LIMIT: Duration = Duration::from_secs(30);

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
/// weight is its request of cpu. A runtime is never told the request of memory.
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
/// [`ListedImage::id`] has, as long as the image is there. So are those of image volumes,
/// which [`ListedContainer::image_volumes`](crate::ListedContainer::image_volumes) holds:
/// nothing keeps a runtime from removing an image that is mounted. The sandboxes' own image
/// counts as pinned, whatever the runtime says: containerd 1.6 removes it without
/// a word, and no pod starts any more.
#[derive(Debug)]
pub struct CriRuntime {
    client: Client,
    proc: PathBuf,
    known: Known,
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
            client: Client::new(socket, limit),
            proc: proc.to_owned(),
            known: Known::default(),
        }
    }
}

/// What one call tells of a container; `None` when it has vanished meanwhile. `images`
/// are listed at most once, where a container is told by the name of its image.
fn look_up(
    client: &Client,
    proc: &Path,
    found: &Found,
    before: Option<&Details>,
    images: &mut Option<Vec<ListedImage>>,
    notes: &mut Vec<String>,
) -> Result<Option<Details>, Error> {
    let id = &found.container.id;
    let mut details = match client.status(id, found.runs()) {
        Ok(Some(details)) => details,
        Ok(None) => return Ok(None),
        // One that the runtime cannot look at must not hide the others. What was known
        // counts, and it is asked again the next time.
        Err(error) if error.is_answer() => {
            notes.push(clean(&format!("{id}: {}: {}", error.call, error.failure)));
            let told = Box::default();
            Details {
                told,
                ..before.cloned().unwrap_or_default()
            }
        }
        Err(error) => return Err(error),
    };
    details.cgroup = read_cgroup(proc, details.pid, id);
    if let Some(cgroup) = &details.cgroup {
        let layer = read_layer(proc, details.pid);
        details.layer = layer.map_or(WritableLayer::Unknown, WritableLayer::Dir);
        let parent = cgroup.parent().map(Path::to_string_lossy);
        details.class = parent.and_then(|parent| kubepods_class(&parent));
    } else if found.runs() {
        // One that runs in no cgroup that could be found is asked again the next time.
        details.told = Box::default();
    }
    let image = &found.container.image;
    if !parse::is_image_id(image) {
        let images = match images {
            Some(images) => images,
            none => none.insert(client.images()?),
        };
        details.image = images::find_id(image, images).map(Into::into);
    }
    for volume in &mut details.image_volumes {
        find_volumes_image(client, volume)?;
    }
    Ok(Some(details))
}

/// Puts its id in the place of an image's name. The runtime says what a name means, as
/// `busybox` may stand for `docker.io/library/busybox:latest`; one that it does not know
/// stays as it is.
fn find_volumes_image(client: &Client, image: &mut Arc<str>) -> Result<(), Error> {
    if parse::is_image_id(image) {
        return Ok(());
    }
    match client.image_id(image) {
        Ok(id) if !id.is_empty() => *image = id.into(),
        Err(error) if !error.is_answer() => return Err(error),
        Ok(_) | Err(_) => {}
    }
    Ok(())
}

/// A container in a sandbox that is listed belongs to the pod of that, whatever its own
/// labels say; one whose sandbox is gone, to that of its labels.
fn follow_sandboxes(containers: &mut [Found], sandboxes: &[Found]) {
    for container in containers {
        let within = &mut container.container.sandbox;
        let is_it = |sandbox: &&Found| within.as_ref() == Some(&sandbox.container.id);
        if let Some(sandbox) = sandboxes.iter().find(is_it) {
            *within = Some(Arc::clone(&sandbox.container.id));
            for key in [POD_UID, POD_NAME, POD_NAMESPACE] {
                let label = sandbox.label(key).unwrap_or_default();
                container.labels.insert(key.into(), label.into());
            }
        }
    }
}

impl ContainerRuntime for CriRuntime {
    fn endpoint(&self) -> &str {
        &self.client.endpoint
    }

    fn version(&mut self) -> Result<String, Error> {
        self.client.version()
    }

    /// Two calls when nothing has changed.
    fn list(&mut self) -> Result<RuntimeListing, Error> {
        let sandboxes = self.client.sandboxes()?;
        let mut containers = self.client.containers()?;
        follow_sandboxes(&mut containers, &sandboxes);
        let (mut images, mut notes) = (None, Vec::new());
        let within = self.client.within;
        let ask = |found: &Found, before: Option<&Details>, notes: &mut Vec<String>| {
            let mut details = look_up(&self.client, &self.proc, found, before, &mut images, notes)?;
            // The layer outlives the process that led to it.
            if let (Some(details), Some(before)) = (&mut details, before)
                && details.layer == WritableLayer::Unknown
            {
                details.layer.clone_from(&before.layer);
            }
            Ok(details)
        };
        let all = self.known.update(containers, within, &mut notes, ask)?;
        let mut assembly = Assembly::new(GROUPING, notes);
        for sandbox in sandboxes {
            assembly.add(sandbox, &Details::default());
        }
        for (found, details) in all {
            assembly.add(found, &details);
        }
        let mut listing = assembly.finish();
        for pod in &mut listing.pods {
            if let Some(own) = own_cgroup(&pod.cgroups, &pod.pod) {
                pod.cgroups = vec![own];
            }
        }
        Ok(listing)
    }

    /// By `ListContainerStats`, which asks each container's shim: some milliseconds
    /// each. containerd measures the layers every ten seconds.
    fn measure_layers(&mut self, listing: &mut RuntimeListing) -> Result<(), Error> {
        for (id, layer) in self.client.layers()? {
            let of_it = listing.containers.iter_mut().find(|one| *one.id == id);
            if let Some(container) = of_it
                && container.layer == WritableLayer::Unknown
            {
                container.layer = layer;
            }
        }
        Ok(())
    }

    /// By `GetContainerEvents`: containerd 1.7, CRI-O 1.26 and later.
    fn follow(&mut self) -> Result<Box<dyn Changes>, Error> {
        Ok(Box::new(self.client.events()?))
    }

    fn images(&mut self) -> Result<Vec<ListedImage>, Error> {
        let mut images = self.client.images()?;
        images::pin_sandboxes_image(&self.client, &mut images)?;
        Ok(images)
    }

    fn disks(&mut self) -> Result<RuntimeDisks, Error> {
        self.client.disks()
    }

    /// `StopContainer` for all that runs, then `StopPodSandbox`, which kills what
    /// came up meanwhile; in a sandbox that was stopped nothing starts any more.
    /// Without a grace the timeout is 0: containerd 1.6 then kills within 50 ms.
    fn end_pod(&mut self, pod: &RuntimePod, grace: Duration) -> Result<(), Error> {
        let whole = u32::from(grace.subsec_nanos() > 0);
        let seconds = u32::try_from(grace.as_secs()).unwrap_or(u32::MAX);
        let stopped = self
            .client
            .stop(&pod.running, seconds.saturating_add(whole));
        let ended = match &pod.sandbox {
            Some(sandbox) => self.client.stop_sandbox(sandbox),
            None => Ok(()),
        };
        stopped.and(ended)
    }

    fn collect_garbage(&mut self) -> Result<bool, Error> {
        self.client.collect_garbage()
    }

    fn reopen_log(&mut self, id: &str) -> Result<(), Error> {
        self.client.reopen_log(id)
    }

    /// CRI removes one that runs as well, so it is asked first.
    fn remove_container(&mut self, id: &str) -> Result<(), Error> {
        match self.client.status(id, false) {
            Ok(None) => Ok(()),
            Ok(Some(status)) if parse::runs(&status) => {
                Err(self.client.refusal("RemoveContainer", "the container runs"))
            }
            // One in disorder can be removed all the same.
            Ok(Some(_)) | Err(_) => self.client.remove_container(id),
        }
    }

    /// CRI removes the containers in it as well, so they are asked for first.
    fn remove_sandbox(&mut self, id: &str) -> Result<(), Error> {
        if self.client.is_used(id)? {
            return Err(self
                .client
                .refusal("RemovePodSandbox", "containers are in the sandbox"));
        }
        self.client.stop_sandbox(id)?;
        self.client.remove_sandbox(id)
    }

    fn remove_image(&mut self, id: &str) -> Result<(), Error> {
        self.client.remove_image(id)
    }
}
