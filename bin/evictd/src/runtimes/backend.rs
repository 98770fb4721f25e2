use std::fs;
use std::path::{Path, PathBuf};

use evictd_config::Resolved;
use evictd_containers::{ContainerRuntime, Error, Failure};

/// What is spoken through a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Api {
    Cri,
    Docker,
}

/// A socket where a container runtime may answer.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) socket: PathBuf,
    /// Which APIs to try, in this order.
    apis: &'static [Api],
    /// Whether a flag names it. One that was only found is asked once.
    pub(crate) is_named: bool,
}

impl Candidate {
    pub(crate) fn endpoint(&self) -> String {
        format!("unix://{}", self.socket.display())
    }
}

/// Where runtimes listen by default.
const USUAL: [(&str, &[Api]); 7] = [
    ("/run/containerd/containerd.sock", &[Api::Cri]),
    ("/run/k3s/containerd/containerd.sock", &[Api::Cri]),
    ("/run/crio/crio.sock", &[Api::Cri]),
    ("/run/cri-dockerd.sock", &[Api::Cri]),
    ("/run/docker.sock", &[Api::Docker]),
    ("/run/balena-engine.sock", &[Api::Docker]),
    ("/run/podman/podman.sock", &[Api::Docker]),
];

/// The sockets that were named, else the usual ones that exist.
pub(crate) fn candidates(settings: &Resolved) -> Vec<Candidate> {
    let usual = USUAL.into_iter();
    match &settings.runtime_endpoints {
        Some(named) => named.iter().map(|path| named_candidate(path)).collect(),
        None => usual
            .filter(|(path, _)| fs::metadata(path).is_ok())
            .map(|(path, apis)| Candidate {
                socket: PathBuf::from(path),
                apis,
                is_named: false,
            })
            .collect(),
    }
}

/// Its name says what it most likely speaks; the other is tried too.
fn named_candidate(path: &Path) -> Candidate {
    let name = path.to_string_lossy();
    let engines = ["docker", "podman", "balena"];
    let is_docker = engines.iter().any(|word| name.contains(word)) && !name.contains("cri-");
    Candidate {
        socket: path.to_path_buf(),
        apis: if is_docker {
            &[Api::Docker, Api::Cri]
        } else {
            &[Api::Cri, Api::Docker]
        },
        is_named: true,
    }
}

/// Opens a candidate by the first API that it speaks; with its name and
/// version.
pub(crate) fn open_first(
    candidate: &Candidate,
) -> Result<(Box<dyn ContainerRuntime>, String), Error> {
    let mut first = None;
    for api in candidate.apis {
        let Some(mut runtime) = open(*api, &candidate.socket) else {
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
fn open(api: Api, socket: &Path) -> Option<Box<dyn ContainerRuntime>> {
    match api {
        #[cfg(feature = "cri")]
        Api::Cri => Some(Box::new(evictd_containers::CriRuntime::new(socket))),
        #[cfg(feature = "docker")]
        Api::Docker => Some(Box::new(evictd_containers::DockerRuntime::new(socket))),
        #[cfg(not(all(feature = "cri", feature = "docker")))]
        _ => {
            let _ = socket;
            None
        }
    }
}
