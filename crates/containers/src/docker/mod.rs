//! Docker, Podman and balenaEngine, by the Docker Engine API.

mod disks;
mod end;
mod engine;
mod labels;
mod listing;
mod remove;
mod resources;
#[cfg(test)]
mod tests;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;
use std::path::{Path, PathBuf};

use crate::docker_api::{
    Client, ContainerDetail, ContainerSummary, Error, Failure, ImageSummary, Result, clean,
};

use crate::remote::read_cgroup;
use crate::{
    CallError, CallFailure, ContainerRuntime, ListedImage, RuntimeDisks, RuntimeListing, RuntimePod,
};
use engine::Engine;
use listing::Assembly;

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
/// 3. The label `com.docker.compose.project`: the project is one pod, with its
///    name as name and uid.
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
/// 2,000,000,000, so it is critical and never evicted). A value that makes no
/// sense is ignored with a note in [`RuntimeListing::notes`].
///
/// # Ending a pod for good
///
/// [`end_pod`](ContainerRuntime::end_pod) sets the restart policies to `no`, then
/// stops all containers at once. What starts containers from outside cannot be
/// held back: Swarm services, `docker compose up`, systemd units of Podman
/// (Quadlet). Podman before version 5 cannot change a policy: a container stopped
/// there stays so until `podman-restart.service` starts all with
/// `restart=always` at the next boot.
#[derive(Debug)]
pub struct DockerRuntime {
    endpoint: String,
    client: Client,
    proc: PathBuf,
    engine: Option<Engine>,
    /// What is known of each container, as long as the list says the same of it.
    known: Vec<Known>,
}

/// What was learnt of a container.
#[derive(Debug, Default)]
struct Known {
    id: Arc<str>,
    /// Its state and status, a line each; none when it is to be asked again.
    told: Box<str>,
    detail: ContainerDetail,
    cgroup: Option<Arc<Path>>,
    layer: Option<Arc<Path>>,
    log: Option<Arc<Path>>,
}

impl Known {
    /// Whether the list says the same of it as before.
    fn holds(&self, summary: &ContainerSummary) -> bool {
        let told = self.told.split_once('\n');
        told == Some((&summary.state, &summary.status))
    }
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
            endpoint: format!("unix://{}", socket.display()),
            client: Client::new(socket.to_owned(), limit),
            proc: proc.to_owned(),
            engine: None,
            known: Vec::new(),
        }
    }

    fn error(&self, error: Error) -> CallError {
        CallError {
            endpoint: self.endpoint.as_str().into(),
            call: error.call,
            failure: match error.failure {
                Failure::NotReachable(why) => CallFailure::NotReachable(why),
                Failure::TimedOut(after) => CallFailure::TimedOut(after),
                Failure::Refused { status, message } => CallFailure::Refused {
                    code: u32::from(status),
                    message,
                },
                Failure::Malformed(what) => CallFailure::Malformed(what),
            },
        }
    }

    /// Asked once: who listens on a socket does not become another.
    fn engine(&mut self) -> Result<Engine> {
        if let Some(engine) = self.engine {
            return Ok(engine);
        }
        let version = self.client.version()?;
        let engine = Engine::of(&version, self.client.socket());
        self.engine = Some(engine);
        Ok(engine)
    }

    fn list_all(&mut self) -> Result<RuntimeListing> {
        let engine = self.engine()?;
        let summaries = self.client.containers()?;
        let pods = match engine {
            Engine::Podman => self.client.podman_pods()?,
            Engine::Docker | Engine::Balena => Vec::new(),
        };
        let mut assembly = Assembly::new(engine, &pods, summaries.len());
        let mut old = Old::from(core::mem::take(&mut self.known));
        self.known.reserve_exact(summaries.len());
        for summary in summaries {
            let mut known = old.take(&summary);
            if known.id.is_empty() {
                let notes = assembly.notes();
                if !self.look_up(&summary, &mut known, notes)? {
                    continue;
                }
            }
            assembly.add(summary, &known);
            self.known.push(known);
        }
        Ok(assembly.finish())
    }

    /// Finds out about a container; false when it has vanished meanwhile.
    fn look_up(
        &mut self,
        summary: &ContainerSummary,
        known: &mut Known,
        notes: &mut Vec<String>,
    ) -> Result<bool> {
        match self.client.container(&summary.id) {
            Ok(mut detail) => {
                known.layer = path(core::mem::take(&mut detail.upper_dir));
                known.log = path(core::mem::take(&mut detail.log_path));
                known.detail = detail;
            }
            Err(error) => match error.status() {
                Some(404) => return Ok(false),
                // One that the engine cannot look at must not hide the others.
                Some(_) => notes.push(clean(&format!("{error}"))),
                None => return Err(error),
            },
        }
        let cgroup = read_cgroup(&self.proc, known.detail.pid, &summary.id);
        known.cgroup = cgroup.map(Into::into);
        known.id = summary.id.as_str().into();
        // Who runs in no cgroup that could be found is asked again the next time.
        if known.detail.pid == 0 || known.cgroup.is_some() {
            known.told = format!("{}\n{}", summary.state, summary.status).into();
        }
        Ok(true)
    }
}

/// A path that is there.
fn path(text: String) -> Option<Arc<Path>> {
    (!text.is_empty()).then(|| Path::new(&text).into())
}

/// What was known at the last list, which was most likely in the same order.
struct Old {
    known: Vec<Known>,
    next: usize,
}

impl From<Vec<Known>> for Old {
    fn from(known: Vec<Known>) -> Self {
        Self { known, next: 0 }
    }
}

impl Old {
    /// What still holds of a container; nothing where its state is another now.
    fn take(&mut self, summary: &ContainerSummary) -> Known {
        let start = self.next;
        let (before, after) = self.known.split_at_mut(start);
        let found = after.iter_mut().chain(before);
        for (index, known) in found.enumerate() {
            if *known.id == *summary.id {
                let known = core::mem::take(known);
                self.next = (start + index + 1) % self.known.len();
                return if known.holds(summary) {
                    known
                } else {
                    Known::default()
                };
            }
        }
        Known::default()
    }
}

impl ContainerRuntime for DockerRuntime {
    fn endpoint(&self) -> &str {
        &self.endpoint
    }

    fn version(&mut self) -> core::result::Result<String, CallError> {
        let version = self.client.version().map_err(|error| self.error(*error))?;
        let engine = Engine::of(&version, self.client.socket());
        self.engine = Some(engine);
        Ok(format!("{} {}", engine.name(), clean(&version.version)))
    }

    fn list(&mut self) -> core::result::Result<RuntimeListing, CallError> {
        self.list_all().map_err(|error| self.error(*error))
    }

    fn images(&mut self) -> core::result::Result<Vec<ListedImage>, CallError> {
        let images = self.client.images().map_err(|error| self.error(*error))?;
        Ok(images.into_iter().map(listed_image).collect())
    }

    fn disks(&mut self) -> core::result::Result<RuntimeDisks, CallError> {
        let info = self.client.info().map_err(|error| self.error(*error))?;
        Ok(disks::find_disks(&info))
    }

    fn end_pod(
        &mut self,
        pod: &RuntimePod,
        grace: Duration,
    ) -> core::result::Result<(), CallError> {
        end::end_pod(&self.client, pod, grace).map_err(|error| self.error(*error))
    }

    fn remove_container(&mut self, id: &str) -> core::result::Result<(), CallError> {
        remove::gone_is_fine(self.client.remove_container(id)).map_err(|error| self.error(*error))
    }

    fn remove_sandbox(&mut self, id: &str) -> core::result::Result<(), CallError> {
        let engine = self.engine().map_err(|error| self.error(*error))?;
        remove::remove_sandbox(&mut self.client, engine, id).map_err(|error| self.error(*error))
    }

    fn remove_image(&mut self, id: &str) -> core::result::Result<(), CallError> {
        remove::remove_image(&mut self.client, id).map_err(|error| self.error(*error))
    }
}

/// No engine of these pins images.
fn listed_image(image: ImageSummary) -> ListedImage {
    ListedImage {
        id: image.id,
        tags: image.tags,
        digests: image.digests,
        size_bytes: image.size_bytes,
        pinned: false,
    }
}

/// A refusal of ours, in the words of the API.
fn refusal(call: &str, message: String) -> Box<Error> {
    Box::new(Error {
        call: call.into(),
        failure: Failure::Refused {
            status: 409,
            message: message.into(),
        },
    })
}
