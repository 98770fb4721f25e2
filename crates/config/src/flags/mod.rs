//! Every flag of the daemon, group by group, in the order of the help. By these names
//! [`Typed`](crate::Typed) knows them.

mod collection;
mod disks;
mod eviction;
mod flag;
mod foreign;
mod logging;
mod measuring;
mod memory;
mod pods;

pub(crate) use flag::Form;
pub use flag::{Flag, Takes};
pub(crate) use foreign::foreign_field;
pub use foreign::foreign_flag;

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
    pub const ALL: [Self; 9] = [
        Self::new("When to evict", &eviction::THRESHOLDS),
        Self::new("Which pods to evict, and how", &eviction::EVICTION),
        Self::new("What is measured", &measuring::MEASURING),
        Self::new("Pods and reservations", &pods::PODS),
        Self::new("Images and containers", &collection::COLLECTION),
        Self::new("Memory before a kill", &memory::MEMORY),
        Self::new("Room on disks", &disks::DISKS),
        Self::new("Configuration file, logging and state", &logging::LOGGING),
        Self::new("Deprecated", &logging::DEPRECATED),
    ];
}

impl Flag {
    /// Every flag, in the order of the help.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Group::ALL.into_iter().flat_map(|group| group.flags)
    }

    /// Whether it is one of old, whose replacement its help names.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        logging::DEPRECATED.contains(self)
    }

    /// The flag with that name, or the one that it is another name of.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = match name {
            "log-format" => "logging-format",
            name => name,
        };
        Self::all().find(|flag| flag.name == name)
    }
}
