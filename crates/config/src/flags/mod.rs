//! Every flag of the daemon, group by group, in the order of the help. By these names
//! [`Typed`](crate::Typed) knows them.

mod collection;
mod eviction;
mod foreign;
mod logging;
mod measuring;
mod pods;

pub(crate) use foreign::foreign_field;
pub use foreign::foreign_flag;

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
    pub const ALL: [Self; 7] = [
        Self::new("When to evict", &eviction::THRESHOLDS),
        Self::new("Which pods to evict, and how", &eviction::EVICTION),
        Self::new("What is measured", &measuring::MEASURING),
        Self::new("Pods and reservations", &pods::PODS),
        Self::new("Images and containers", &collection::COLLECTION),
        Self::new("Configuration file, logging and state", &logging::LOGGING),
        Self::new("Deprecated", &logging::DEPRECATED),
    ];
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

/// A row: its name, what it takes, what holds without it and an example.
const fn flag(
    name: &'static str,
    takes: Takes,
    (default, example): (&'static str, &'static str),
) -> Flag {
    Flag {
        name,
        takes,
        default,
        help: "",
        example,
        field: None,
    }
}

impl Flag {
    const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    const fn field(mut self, name: &'static str, form: Form) -> Self {
        self.field = Some((name, form));
        self
    }

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
