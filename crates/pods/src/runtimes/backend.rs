use std::path::PathBuf;

use evictd_config::ContainerRuntimes;
use evictd_containers::{ContainerRuntime, Error, Failure};

/// Whether this build speaks to any.
pub const ANY: bool = cfg!(any(feature = "cri", feature = "docker"));

/// What is spoken through a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Api {
    Cri,
    Docker,
}

/// A socket where a container runtime may answer.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) socket: PathBuf,
    /// Whether a flag names it. One that was only found is asked once.
    pub(super) is_named: bool,
    /// Whether a compose project is one pod.
    #[cfg_attr(
        not(feature = "docker"),
        expect(dead_code, reason = "Docker knows projects")
    )]
    projects_are_pods: bool,
}

/// Where runtimes listen by default.
pub const USUAL: [&str; 7] = [
    "/run/containerd/containerd.sock",
    "/run/k3s/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/cri-dockerd.sock",
    "/run/docker.sock",
    "/run/balena-engine.sock",
    "/run/podman/podman.sock",
];

impl Candidate {
    /// One that no flag names.
    pub(super) fn at(socket: &std::path::Path) -> Self {
        Self {
            socket: socket.to_owned(),
            is_named: false,
            projects_are_pods: false,
        }
    }

    pub(super) fn endpoint(&self) -> String {
        format!("unix://{}", self.socket.display())
    }

    /// Whether it is to be asked: one that is named may answer at any time.
    pub(super) fn is_there(&self) -> bool {
        self.is_named || self.socket.exists()
    }

    /// Which APIs to try, in this order. Its name says what it most likely speaks; of one
    /// that is named the other is tried too.
    fn apis(&self) -> &'static [Api] {
        let name = self.socket.to_string_lossy();
        let engines = ["docker", "podman", "balena"];
        let is_docker = engines.iter().any(|word| name.contains(word)) && !name.contains("cri-");
        match (is_docker, self.is_named) {
            (true, true) => &[Api::Docker, Api::Cri],
            (true, false) => &[Api::Docker],
            (false, true) => &[Api::Cri, Api::Docker],
            (false, false) => &[Api::Cri],
        }
    }
}

/// The sockets that were named, else the usual ones, whether they exist or not; none where no
/// API is spoken.
pub(super) fn candidates(settings: &ContainerRuntimes) -> Vec<Candidate> {
    let named = settings.endpoints.as_ref();
    let sockets = match named {
        Some(named) => named.clone(),
        None => USUAL.map(PathBuf::from).into(),
    };
    let candidates = sockets.into_iter().map(|socket| Candidate {
        socket,
        is_named: named.is_some(),
        projects_are_pods: settings.compose_projects_are_pods,
    });
    candidates.filter(|_| ANY).collect()
}

/// Opens a candidate by the first API that it speaks; with its name and
/// version.
pub(super) fn open_first(
    candidate: &Candidate,
) -> Result<(Box<dyn ContainerRuntime>, String), Error> {
    let mut first = None;
    for api in candidate.apis() {
        let Some(mut runtime) = open(*api, candidate) else {
            continue;
        };
        match runtime.version() {
            Ok(version) => return Ok((runtime, version)),
            Err(error) => {
                let gone = matches!(error.failure, Failure::NotReachable(_) | Failure::Closed);
                let error = first.get_or_insert(error);
                if gone {
                    return Err(error.clone());
                }
            }
        }
    }
    Err(first.unwrap_or_else(|| {
        let failure = Failure::Malformed("this evictd was built without that API".into());
        Error::new(&candidate.endpoint(), "Version", failure)
    }))
}

/// `None` where this API was left out of the build.
fn open(api: Api, candidate: &Candidate) -> Option<Box<dyn ContainerRuntime>> {
    let socket = candidate.socket.as_path();
    match api {
        #[cfg(feature = "cri")]
        Api::Cri => Some(Box::new(evictd_containers::CriRuntime::new(socket))),
        #[cfg(feature = "docker")]
        Api::Docker => {
            let docker = evictd_containers::DockerRuntime::new(socket);
            Some(Box::new(
                docker.with_projects_as_pods(candidate.projects_are_pods),
            ))
        }
        #[cfg(not(all(feature = "cri", feature = "docker")))]
        _ => {
            let _ = socket;
            None
        }
    }
}
