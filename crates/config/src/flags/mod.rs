//! Every flag of the daemon: those of the help, group by group and in its order, then those
//! that it does not show. By these names
//! [`Typed`](crate::Typed) knows them.

mod accepted;
mod collection;
mod disks;
mod eviction;
mod flag;
mod foreign;
mod logging;
mod measuring;
mod memory;
mod pods;
mod removed;

pub(crate) use flag::Form;
pub use flag::{Flag, Takes};
pub(crate) use foreign::foreign_field;
pub use foreign::foreign_flag;
pub use removed::{removed_flag, removed_flags};

/// Flags about one thing, under a heading of the help.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Group {
    /// The heading.
    pub title: &'static str,
    /// Its flags, in the order of the help.
    pub flags: &'static [Flag],
}

impl Group {
    const fn new(title: &'static str, flags: &'static [Flag]) -> Self {
        Self { title, flags }
    }

    /// All groups, in the order of the help.
    pub const ALL: [Self; 8] = [
        Self::new("When to evict", &eviction::THRESHOLDS),
        Self::new("Which pods to evict, and how", &eviction::EVICTION),
        Self::new("What is measured", &measuring::MEASURING),
        Self::new("Pods and reservations", &pods::PODS),
        Self::new("Images and containers", &collection::COLLECTION),
        Self::new("Memory before a kill", &memory::MEMORY),
        Self::new("Room on disks", &disks::DISKS),
        Self::new("Configuration file, logging and state", &logging::LOGGING),
    ];
}

impl Flag {
    /// Every flag, in the order of the help.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Group::ALL.into_iter().flat_map(|group| group.flags)
    }

    /// Every flag, those that the help does not show too: flags of a kubelet that evictd
    /// accepts, and `--debug`.
    pub fn known() -> impl Iterator<Item = &'static Self> {
        Self::all().chain(Self::accepted()).chain(&accepted::DEBUG)
    }

    /// The flags of a kubelet that evictd accepts; the help of each says what it does here.
    pub(crate) fn accepted() -> impl Iterator<Item = &'static Self> {
        accepted::ACCEPTED.iter()
    }

    /// The flag with that name, shown by the help or not, or the one that it is another name
    /// of.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = match name {
            "log-format" => "logging-format",
            name => name,
        };
        Self::known().find(|flag| flag.name == name)
    }
}
