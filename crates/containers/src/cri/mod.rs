//! containerd, CRI-O and cri-dockerd, by the Container Runtime Interface (CRI v1).
//!
//! [`CriRuntime`] asks and understands; [`Client`] makes gRPC calls over a unix socket.
//! Each call ends by a deadline of its own, however the other side behaves. An answer is
//! read as it comes in, item by item: what of it cannot be read costs that item or field
//! alone. [`Reader`], [`Writer`], the `parse_*` functions and [`parse_connection`] do no
//! I/O. Nothing here starts a thread.

mod about;
mod answer;
mod calls;
mod client;
mod containers;
mod events;
mod fields;
mod grpc;
mod hpack;
mod http2;
mod image;
mod info;
mod layers;
mod list;
mod look_up;
mod reader;
mod sandbox_image;
mod status;
mod writer;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};

use crate::list::{Listed, Unread};
use crate::pods::{
    Assembly, Details, Found, Grouping, Known, POD_NAME, POD_NAMESPACE, POD_UID, Question,
    own_cgroup,
};
use crate::text::clean;
use crate::{
    Changes, ContainerRuntime, Error, ListedImage, RuntimeDisks, RuntimeListing, RuntimePod,
    WritableLayer,
};
use look_up::{LookUp, TOGETHER};

pub use client::Client;
pub use reader::{Each, Extent, Fault, Reader, Value};
pub use writer::Writer;
// For fuzzing.
#[doc(hidden)]
pub use {
    about::{parse_disks, parse_version},
    answer::parse_connection,
    containers::{parse_container, parse_sandbox},
    events::count_events,
    image::{parse_image, parse_image_id},
    info::parse_info,
    layers::parse_layer,
    list::{Parse, Take, parse_list},
    sandbox_image::find_id,
    status::parse_status,
};

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
/// That of a container on overlayfs is a directory that the host's mount table names, known
/// since the container was first seen to run; other storage is measured by the runtime, see
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
    /// What was odd of the images and layers that were listed last.
    odd_images: Vec<String>,
    odd_layers: Vec<String>,
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
            known: Known::with(proc),
            odd_images: Vec::new(),
            odd_layers: Vec::new(),
        }
    }
}

/// A container in a sandbox that is listed belongs to the pod of that, whatever its own
/// labels say; one whose sandbox is gone, to that of its labels.
fn follow_sandboxes(containers: &mut [Found], sandboxes: &[Found]) {
    let by_id = sandboxes.iter().map(|one| (&one.container.id, one));
    let by_id: BTreeMap<&Arc<str>, &Found> = by_id.collect();
    for container in containers {
        let within = &mut container.container.sandbox;
        if let Some(sandbox) = within.as_ref().and_then(|id| by_id.get(id)) {
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
        let Listed {
            items: sandboxes,
            mut notes,
        } = self.client.sandboxes()?;
        let listed = self.client.containers()?;
        for odd in [&listed.notes, &self.odd_images, &self.odd_layers] {
            notes.extend_from_slice(odd);
        }
        let mut containers = listed.items;
        follow_sandboxes(&mut containers, &sandboxes);
        let mut look_up = LookUp::new(&self.client, &self.proc);
        let ask = |questions: &[Question<'_>], within| {
            let ask = |question: &Question<'_>| look_up.container(*question, within);
            questions.iter().map(ask).collect()
        };
        let how = (TOGETHER, self.client.within);
        let all = self.known.update(containers, how, &mut notes, ask)?;
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
        let containers = listing.containers.iter_mut();
        let open = containers.filter(|one| one.layer == WritableLayer::Unknown);
        let mut open: BTreeMap<Arc<str>, _> = open
            .map(|one| (Arc::clone(&one.id), (&mut one.layer, None)))
            .collect();
        let mut unread = Unread::default();
        self.client.each_layer(&mut |item, part| {
            let item = unread.take(item, part);
            if let Some((id, layer)) = item
                && let Some((_, measured)) = open.get_mut(id.as_str())
            {
                *measured = Some(layer);
            }
        })?;
        self.odd_layers = unread.into_notes();
        for (layer, measured) in open.into_values() {
            *layer = measured.unwrap_or_default();
        }
        Ok(())
    }

    /// By `GetContainerEvents`: containerd 1.7, CRI-O 1.26 and later.
    fn follow(&mut self) -> Result<Box<dyn Changes>, Error> {
        Ok(Box::new(self.client.events()?))
    }

    fn images(&mut self) -> Result<Vec<ListedImage>, Error> {
        let mut listed = self.client.images(self.client.within)?;
        self.odd_images = listed.notes;
        sandbox_image::pin(&self.client, &mut listed.items)?;
        Ok(listed.items)
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
        match self.client.status(id, false, self.client.within) {
            Ok(None) => Ok(()),
            Ok(Some(status)) if look_up::runs(&status) => {
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

    /// CRI removes one that a container uses as well, so they are asked for first: not all
    /// of them may be listed.
    fn remove_image(&mut self, id: &str) -> Result<(), Error> {
        if let Some(user) = self.client.user_of(id)? {
            let why = format!("container {} uses the image", clean(&user));
            return Err(self.client.refusal("RemoveImage", &why));
        }
        self.client.remove_image(id)
    }
}
