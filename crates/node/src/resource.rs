/// What runs short: the name that events, messages and annotations carry.
///
/// Two memory signals share one resource, and so do all byte signals of
/// filesystems (kubelet v1.32: `signalToResource`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Bytes of memory: `memory`.
    Memory,
    /// Bytes of any of the node's filesystems: `ephemeral-storage`.
    EphemeralStorage,
    /// Inodes of any of the node's filesystems: `inodes`.
    Inodes,
    /// Process (task) ids: `pids`.
    Pids,
}

impl Resource {
    /// The kubelet's name of it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::EphemeralStorage => "ephemeral-storage",
            Self::Inodes => "inodes",
            Self::Pids => "pids",
        }
    }
}
