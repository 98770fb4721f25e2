use core::fmt;

/// Something to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContainerDeletion {
    /// What, and which, as an index into what was found.
    pub what: Removable,
    /// Why.
    pub reason: ContainerReason,
}

/// What can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removable {
    /// A container.
    Container {
        /// Which.
        index: usize,
        /// Whether it has to be stopped before: it may run. One that cannot be
        /// stopped stays.
        stop: bool,
    },
    /// A sandbox.
    Sandbox {
        /// Which.
        index: usize,
    },
    /// A directory of logs.
    LogDir {
        /// Which.
        index: usize,
    },
}

/// Why something is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerReason {
    /// The pod is gone.
    PodGone,
    /// The pod has ended, and space is needed before pods have to be evicted.
    PodEnded,
    /// There are newer dead ones of that name in the pod.
    PerContainer {
        /// How many of each name and pod stay.
        stay: u32,
    },
    /// There are more dead ones in all than may stay, and newer ones.
    Total {
        /// How many stay in all.
        stay: u32,
    },
    /// The pod has a newer sandbox; this one does not run and holds no container.
    OldSandbox,
}

impl fmt::Display for ContainerReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PodGone => f.write_str("the pod is gone"),
            Self::PodEnded => f.write_str("the pod has ended, and space is needed"),
            Self::PerContainer { stay } => {
                write!(
                    f,
                    "older than the newest {stay} dead of its name in the pod"
                )
            }
            Self::Total { stay } => write!(f, "older than the newest {stay} dead in all"),
            Self::OldSandbox => f.write_str("not running, empty, and the pod has a newer sandbox"),
        }
    }
}
