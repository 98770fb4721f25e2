use std::path::Path;

use crate::docker_api::EngineVersion;

use crate::remote::holds;

/// Who answers behind the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Docker,
    Podman,
    Balena,
}

impl Engine {
    pub(super) fn of(version: &EngineVersion, socket: &Path) -> Self {
        let said = [&*version.component, &*version.platform];
        let names = |word: &str| {
            let mut words = said.iter().map(|text| text.to_ascii_lowercase());
            words.any(|text| holds(&text, word))
        };
        if names("podman") {
            Self::Podman
        } else if names("balena") || holds(&socket.to_string_lossy(), "balena") {
            Self::Balena
        } else {
            Self::Docker
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Docker => "Docker",
            Self::Podman => "Podman",
            Self::Balena => "balenaEngine",
        }
    }

    /// The namespace of pods that have none.
    pub(super) const fn namespace(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Podman => "podman",
            Self::Balena => "balena",
        }
    }
}
