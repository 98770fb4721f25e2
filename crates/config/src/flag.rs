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
}
