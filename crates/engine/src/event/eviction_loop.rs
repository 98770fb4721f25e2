use evictd_evict::Return;

use crate::fields::Fields;

/// A pod that comes back after each eviction, or does so no more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EvictionLoop {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// How often it was evicted.
    pub times: u32,
    /// Within how many seconds.
    pub within_seconds: u64,
    /// Whether it is in an eviction loop now.
    pub holds: bool,
}

impl EvictionLoop {
    pub(crate) fn new(of: &Return, holds: bool) -> Self {
        Self {
            namespace: of.namespace.clone(),
            name: of.name.clone(),
            times: of.times,
            within_seconds: of.last.since(of.first).as_secs(),
            holds,
        }
    }

    pub(super) fn fields(&self) -> Fields {
        Fields::default()
            .with("pod", self.name.as_str())
            .with("namespace", self.namespace.as_str())
            .with("times", self.times)
            .with("withinSeconds", self.within_seconds)
            .with("status", if self.holds { "True" } else { "False" })
    }
}
