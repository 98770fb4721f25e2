//! Every flag of the daemon, group by group, in the order of the help. By these names
//! [`Typed`](crate::Typed) knows them.

mod collection;
mod eviction;
mod logging;
mod measuring;
mod pods;

use crate::flag::{Flag, Group, Takes};

/// One row: its name, what it takes, what holds without it, an example, and what it does.
const fn flag(
    name: &'static str,
    takes: Takes,
    (default, example): (&'static str, &'static str),
    help: &'static str,
) -> Flag {
    Flag {
        name,
        takes,
        default,
        help,
        example,
    }
}

impl Group {
    /// Its flags, in the order of the help.
    #[must_use]
    pub const fn flags(self) -> &'static [Flag] {
        match self {
            Self::Thresholds => &eviction::THRESHOLDS,
            Self::Eviction => &eviction::EVICTION,
            Self::Measuring => &measuring::MEASURING,
            Self::Pods => &pods::PODS,
            Self::Collection => &collection::COLLECTION,
            Self::Logging => &logging::LOGGING,
            Self::Deprecated => &logging::DEPRECATED,
        }
    }
}

impl Flag {
    /// Every flag, in the order of the help.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Group::ALL.into_iter().flat_map(Group::flags)
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
