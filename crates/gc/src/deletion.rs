use alloc::string::String;

/// Why most things are deleted.
pub(crate) const POD_GONE: &str = "the pod is gone";

/// What something is that can be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A container at a runtime.
    Container,
    /// A pod's sandbox at a runtime.
    Sandbox,
    /// An image at a runtime.
    Image,
    /// A volume at a runtime.
    Volume,
    /// All logs of a pod: a directory in the directory of pod logs.
    PodLogs,
    /// A log: a file in the directory of a container in that of a pod.
    LogFile,
    /// The emptyDir volumes of a pod: its directory among those of the pods.
    Volumes,
}

impl Kind {
    /// Its name, as in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Container => "container",
            Self::Sandbox => "sandbox",
            Self::Image => "image",
            Self::Volume => "volume",
            Self::PodLogs => "podLogs",
            Self::LogFile => "log",
            Self::Volumes => "volumes",
        }
    }
}

/// Something to delete.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deletion {
    /// What it is.
    pub kind: Kind,
    /// Which, as an index into what was found of the kind.
    pub index: usize,
    /// Why, for people.
    pub reason: String,
}
