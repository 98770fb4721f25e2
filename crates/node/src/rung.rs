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

/// What evictd does for memory before a pod is killed for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryRung {
    /// The kernel is asked for a little of each pod's memory.
    Reclaim,
    /// Containers that ask for it are told by a signal.
    Tell,
    /// The pod that grows is slowed down.
    Brake,
    /// Pods that may be are stopped where they are.
    Freeze,
    /// Pods that have just begun wait for their turn.
    StartStorm,
}

impl MemoryRung {
    /// All of them, the gentlest first.
    pub const ALL: [Self; 5] = [
        Self::Reclaim,
        Self::Tell,
        Self::Brake,
        Self::Freeze,
        Self::StartStorm,
    ];

    /// Those that `--relief` names; the other has a switch of its own.
    pub const NAMED: [Self; 4] = [Self::Reclaim, Self::Tell, Self::Brake, Self::Freeze];

    /// Its name in settings, events and history.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reclaim => "reclaim",
            Self::Tell => "tell",
            Self::Brake => "brake",
            Self::Freeze => "freeze",
            Self::StartStorm => "startStorm",
        }
    }
}

impl fmt::Display for MemoryRung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Some of these rungs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryRungs([bool; MemoryRung::ALL.len()]);

impl MemoryRungs {
    /// With this one, too.
    #[must_use]
    pub fn with(mut self, rung: MemoryRung) -> Self {
        if let Some(has) = self.0.get_mut(rung as usize) {
            *has = true;
        }
        self
    }

    /// Whether it is one of them.
    #[must_use]
    pub fn has(self, rung: MemoryRung) -> bool {
        self.0.get(rung as usize) == Some(&true)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Each of them.
    pub fn each(self) -> impl Iterator<Item = MemoryRung> {
        let all = MemoryRung::ALL.into_iter();
        all.filter(move |rung| self.has(*rung))
    }
}
