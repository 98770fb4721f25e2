//! What a flag is.

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
pub(super) const fn flag(
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
    pub(super) const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    pub(super) const fn field(mut self, name: &'static str, form: Form) -> Self {
        self.field = Some((name, form));
        self
    }
}
