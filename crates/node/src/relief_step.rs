use core::fmt;

/// A step of the relief of a disk, beyond what the kubelet does, in their order: the build cache
/// before the kubelet's own steps, the others between unused images and an eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReliefStep {
    /// What builds keep for the next build.
    BuildCache,
    /// What is older than a bound in the logs of containers that run.
    Logs,
    /// Old files of directories that the operator named.
    Directories,
    /// A file that was kept for this moment.
    Reserve,
}

impl ReliefStep {
    /// All of them, in their order.
    pub const ALL: [Self; 4] = [
        Self::BuildCache,
        Self::Logs,
        Self::Directories,
        Self::Reserve,
    ];

    /// Its name in events and history.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BuildCache => "buildCache",
            Self::Logs => "logs",
            Self::Directories => "directories",
            Self::Reserve => "reserve",
        }
    }
}

impl fmt::Display for ReliefStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What memory relief does to a pod before one is killed for memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryStep {
    /// The kernel is asked for a little of each pod's memory.
    Reclaim,
    /// The pod that grows is slowed down.
    Brake,
}

impl MemoryStep {
    /// All of them, the gentlest first.
    pub const ALL: [Self; 2] = [Self::Reclaim, Self::Brake];

    /// Its name in events and history.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reclaim => "reclaim",
            Self::Brake => "brake",
        }
    }
}

impl fmt::Display for MemoryStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
