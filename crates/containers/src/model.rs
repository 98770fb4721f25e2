//! What the daemon asks of a container runtime. One who answers may take long:
//! a [`ContainerRuntime`] lives on a thread of its own, never on the loop's.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_node::pod::Pod;

/// A container runtime behind its socket: the Docker Engine API or CRI.
///
/// Every call ends by a deadline of its own, reconnects by itself when the
/// runtime was started anew, and either answers in full or fails: there is no
/// partial list.
pub trait ContainerRuntime: Send {
    /// The socket, as `--container-runtime-endpoint` names it:
    /// `unix:///run/containerd/containerd.sock`.
    fn endpoint(&self) -> &str;

    /// Who answers: name and version as the runtime says them (`containerd 1.6.20`).
    ///
    /// # Errors
    /// When nobody answers, or not as this API does.
    fn version(&mut self) -> Result<String, CallError>;

    /// All pods and containers, running or not.
    ///
    /// # Errors
    /// When any part of the answer is missing.
    fn list(&mut self) -> Result<RuntimeListing, CallError>;

    /// Fills in what is dear to find out and [`list`](Self::list) left open: the
    /// writable layers that only the runtime can measure. What cannot be found out
    /// stays [`WritableLayer::Unknown`].
    ///
    /// # Errors
    /// When the runtime does not answer; then the listing is as it was.
    fn measure_layers(&mut self, listing: &mut RuntimeListing) -> Result<(), CallError> {
        let _ = listing;
        Ok(())
    }

    /// All images.
    ///
    /// # Errors
    /// When any part of the answer is missing.
    fn images(&mut self) -> Result<Vec<ListedImage>, CallError>;

    /// Where images and writable layers lie.
    ///
    /// # Errors
    /// When the runtime does not say.
    fn disks(&mut self) -> Result<RuntimeDisks, CallError>;

    /// Ends all running containers of a pod and sees to it that nobody starts
    /// them again: each gets its stop signal at once, and SIGKILL after `grace`.
    /// Without a grace they are killed. Returns when they have ended.
    ///
    /// # Errors
    /// What the first failing call gave; the others are tried nevertheless. What
    /// is gone already is no error.
    fn end_pod(&mut self, pod: &RuntimePod, grace: Duration) -> Result<(), CallError>;

    /// Removes a container that has ended, and its anonymous volumes. One that
    /// is gone is no error; one that runs is.
    ///
    /// # Errors
    /// When it is still there.
    fn remove_container(&mut self, id: &str) -> Result<(), CallError>;

    /// Stops and removes a sandbox that holds no container any more. One that is
    /// gone is no error.
    ///
    /// # Errors
    /// When it is still there.
    fn remove_sandbox(&mut self, id: &str) -> Result<(), CallError>;

    /// Removes an image with all its names. One that is gone is no error.
    ///
    /// Some runtimes remove an image that a container uses without a word: the
    /// caller asks [`list`](Self::list) first.
    ///
    /// # Errors
    /// When it is still there.
    fn remove_image(&mut self, id: &str) -> Result<(), CallError>;
}

/// All that a runtime holds, at one moment. Indexes lead from sandboxes and
/// containers to their pod. What several have a part in is shared: a node may hold
/// hundreds of containers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuntimeListing {
    /// The pods, each once.
    pub pods: Vec<RuntimePod>,
    /// Sandboxes; none where the API knows no such thing.
    pub sandboxes: Vec<ListedSandbox>,
    /// Containers in every state.
    pub containers: Vec<ListedContainer>,
    /// What was odd and was passed over, such as an `evictd.*` label whose value
    /// makes no sense: a line each, fit for a log.
    pub notes: Vec<String>,
}

/// A pod as a runtime knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuntimePod {
    /// Names, uid, labels and annotations; requests and limits where the runtime
    /// knows them; priority and protection by `evictd.*` labels. Where no
    /// Kubernetes-like tool gave a uid, one that stays the same: the id of the
    /// sandbox or container, or the name of the compose project.
    pub pod: Arc<Pod>,
    /// The containers of it that run, by id.
    pub running: Vec<Arc<str>>,
    /// Its sandbox, where it has one.
    pub sandbox: Option<String>,
    /// The cgroups of what runs, below the mount point of each hierarchy and
    /// without `/` in front: the pod's own where one holds all of it, else one
    /// of each container. Empty where nothing runs.
    pub cgroups: Vec<Arc<Path>>,
}

/// A pod's sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedSandbox {
    /// Its id.
    pub id: String,
    /// Which of the pods, as an index.
    pub pod: usize,
    /// Whether it is ready, that is, runs.
    pub ready: bool,
    /// When it was made: nanoseconds since 1970.
    pub created_nanos: i64,
    /// How many there were before it in its pod.
    pub attempt: u32,
}

/// What a container does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContainerState {
    /// Made, never started.
    Created,
    /// Runs, or is paused or about to be restarted.
    Running,
    /// Has ended.
    Exited,
    /// The runtime does not know, or used a word that evictd does not.
    #[default]
    Unknown,
}

/// A container in any state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedContainer {
    /// Its id.
    pub id: Arc<str>,
    /// Its name within its pod.
    pub name: String,
    /// Which of the pods, as an index.
    pub pod: usize,
    /// The sandbox it is in, by id.
    pub sandbox: Option<String>,
    /// What it does.
    pub state: ContainerState,
    /// The image it was made from: an id where the API says it, else a name.
    pub image: Arc<str>,
    /// When it was made: nanoseconds since 1970.
    pub created_nanos: i64,
    /// When it ended: nanoseconds since 1970; `None` where not known.
    pub finished_nanos: Option<i64>,
    /// How often it was started before in its pod.
    pub attempt: u32,
    /// Its own cgroup, below the mount point of each hierarchy.
    pub cgroup: Option<Arc<Path>>,
    /// What it has written beside its volumes.
    pub layer: WritableLayer,
    /// Its log file, or the directory that holds it.
    pub log: Option<Arc<Path>>,
}

/// A container's writable layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WritableLayer {
    /// Nobody knows.
    #[default]
    Unknown,
    /// A directory, to be measured.
    Dir(Arc<Path>),
    /// As the runtime measured it.
    Used {
        /// In bytes.
        bytes: u64,
        /// Files and directories, where the runtime counts them.
        inodes: Option<u64>,
    },
}

/// An image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedImage {
    /// Its id: a digest.
    pub id: String,
    /// Its names with tags (`docker.io/library/busybox:1.36`); none for a layer
    /// without a name.
    pub tags: Vec<String>,
    /// Its names by digest (`busybox@sha256:…`): where it can be fetched again.
    pub digests: Vec<String>,
    /// What the runtime says it takes, in bytes; layers that images share count
    /// for each.
    pub size_bytes: u64,
    /// Whether the runtime wants it kept.
    pub pinned: bool,
}

/// Where a runtime keeps what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeDisks {
    /// The directory of the images.
    pub images: Option<PathBuf>,
    /// The directory of the writable layers, if it is another one.
    pub containers: Option<PathBuf>,
    /// What stores them: `overlay2`, `overlayfs`, `vfs`, `devicemapper`.
    pub driver: String,
}

/// A call to a runtime failed: which, and what came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// The socket.
    pub endpoint: Box<str>,
    /// The call: `GET /containers/json`, `/runtime.v1.RuntimeService/ListContainers`.
    pub call: Box<str>,
    /// What went wrong.
    pub failure: CallFailure,
}

/// What went wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallFailure {
    /// Nobody listens, or the connection broke; the system's words.
    NotReachable(Box<str>),
    /// No answer within this time.
    TimedOut(Duration),
    /// The runtime refused: its code (HTTP status or gRPC code) and its words.
    Refused {
        /// HTTP status or gRPC code.
        code: u32,
        /// The runtime's own words, cut.
        message: Box<str>,
    },
    /// The answer is not one of this API's: what is odd, and at which byte of
    /// the body where that is known.
    Malformed(Box<str>),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.endpoint, self.call, self.failure)
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReachable(why) => f.write_str(why),
            Self::TimedOut(after) => write!(f, "no answer within {} ms", after.as_millis()),
            Self::Refused { code, message } => write!(f, "refused with {code}: {message}"),
            Self::Malformed(what) => write!(f, "not an answer of this API: {what}"),
        }
    }
}

impl core::error::Error for CallError {}
