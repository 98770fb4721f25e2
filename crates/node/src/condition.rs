/// A node condition that a met threshold raises.
///
/// Their order is the order in which the kubelet's node status lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Raised by `memory.available` and `allocatableMemory.available`.
    MemoryPressure,
    /// Raised by every filesystem signal, bytes or inodes.
    DiskPressure,
    /// Raised by `pid.available`.
    PidPressure,
}

impl Condition {
    /// All conditions, in the order of node status.
    pub const ALL: [Self; 3] = [Self::MemoryPressure, Self::DiskPressure, Self::PidPressure];

    /// The Kubernetes name, e.g. `PIDPressure`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MemoryPressure => "MemoryPressure",
            Self::DiskPressure => "DiskPressure",
            Self::PidPressure => "PIDPressure",
        }
    }

    /// The condition with that Kubernetes name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|condition| condition.name() == name)
    }

    /// The key of the taint, with effect `NoSchedule`, that the node controller
    /// puts on a node under this condition, and that the scheduler looks at.
    #[must_use]
    pub const fn taint(self) -> &'static str {
        match self {
            Self::MemoryPressure => "node.kubernetes.io/memory-pressure",
            Self::DiskPressure => "node.kubernetes.io/disk-pressure",
            Self::PidPressure => "node.kubernetes.io/pid-pressure",
        }
    }

    /// Its place in [`Condition::ALL`], for tables by array.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The set that holds only this condition.
    #[must_use]
    pub const fn set(self) -> ConditionSet {
        ConditionSet::from_bits_retain(1 << self.index())
    }
}

bitflags::bitflags! {
    /// A set of node conditions; the bit of each is its [`Condition::index`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ConditionSet: u8 {
        /// See [`Condition::MemoryPressure`].
        const MEMORY_PRESSURE = 1;
        /// See [`Condition::DiskPressure`].
        const DISK_PRESSURE = 1 << 1;
        /// See [`Condition::PidPressure`].
        const PID_PRESSURE = 1 << 2;
    }
}

impl ConditionSet {
    /// Whether `condition` is in the set.
    #[must_use]
    pub const fn has(self, condition: Condition) -> bool {
        self.contains(condition.set())
    }

    /// The conditions in the set, in the order of node status.
    pub fn each(self) -> impl Iterator<Item = Condition> {
        Condition::ALL
            .into_iter()
            .filter(move |condition| self.has(*condition))
    }
}
