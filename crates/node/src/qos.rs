/// The quality of service class of a pod, from its requests and limits.
///
/// Ordered from the first to be evicted to the last: `BestEffort < Burstable <
/// Guaranteed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QosClass {
    /// No container requests or limits cpu or memory.
    BestEffort,
    /// Anything between the two others.
    Burstable,
    /// Every container has equal requests and limits of cpu and memory.
    Guaranteed,
}

impl QosClass {
    /// The Kubernetes name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BestEffort => "BestEffort",
            Self::Burstable => "Burstable",
            Self::Guaranteed => "Guaranteed",
        }
    }

    /// The class with that Kubernetes name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::BestEffort, Self::Burstable, Self::Guaranteed]
            .into_iter()
            .find(|class| class.name() == name)
    }
}
