//! Every flag of the daemon, group by group, in the order of the help. By these names
//! [`Typed`](crate::Typed) knows them.

mod collection;
mod eviction;
mod logging;
mod measuring;
mod pods;

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing, or `=true`, `=false` and Go's other spellings of them.
    Bool,
    /// One value; the last one given counts.
    Value(&'static str),
    /// A list; further ones given are added to it.
    List(&'static str),
}

/// What a flag is about: a heading of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// When to evict.
    Thresholds,
    /// Which pods to evict, and how.
    Eviction,
    /// What is measured, where and how often.
    Measuring,
    /// Which pods there are, and what is kept from them.
    Pods,
    /// Which images and dead containers are deleted, and by which runtimes.
    Collection,
    /// What is logged, and what is kept.
    Logging,
    /// Flags of old, each with a warning that names its replacement.
    Deprecated,
}

impl Group {
    /// All groups, in the order of the help.
    pub const ALL: [Self; 7] = [
        Self::Thresholds,
        Self::Eviction,
        Self::Measuring,
        Self::Pods,
        Self::Collection,
        Self::Logging,
        Self::Deprecated,
    ];

    /// The heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Thresholds => "When to evict",
            Self::Eviction => "Which pods to evict, and how",
            Self::Measuring => "What is measured",
            Self::Pods => "Pods and reservations",
            Self::Collection => "Images and containers",
            Self::Logging => "Configuration file, logging and state",
            Self::Deprecated => "Deprecated",
        }
    }
}

/// A flag, as help, manual and completions show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flag {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// What holds without it, as one would write it; empty where nothing does.
    pub default: &'static str,
    /// What it does, with the unit.
    pub help: &'static str,
    /// The text of an example value.
    pub example: &'static str,
    /// The field of a KubeletConfiguration that says the same, and how it is written.
    pub(crate) field: Option<(&'static str, Form)>,
}

/// How a field of a KubeletConfiguration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A mapping of texts; the flag has this between key and value.
    Pairs(char),
    /// A text; `0s` is as good as none, because the kubelet puts its default there.
    Duration,
    Integer,
    Boolean,
    /// A text; an empty one is as good as none.
    Text,
    /// A list of texts.
    List,
}

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
        field: None,
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
    const fn field(mut self, name: &'static str, form: Form) -> Self {
        self.field = Some((name, form));
        self
    }

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
