use core::fmt;

/// What evictd gives back for a disk that is short, beyond what the kubelet does: the steps
/// of the ladder between unused images and an eviction, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rung {
    /// What builds keep for the next build.
    BuildCache,
    /// What is older than a bound in the logs of containers that run.
    Logs,
    /// Old files of directories that the operator named.
    Directories,
    /// A file that was kept for this moment.
    Reserve,
}

impl Rung {
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

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
