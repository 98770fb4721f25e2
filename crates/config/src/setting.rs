use core::fmt;

use crate::Flag;

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// No flag and no file sets it.
    Default,
    /// This flag, without dashes.
    Flag(&'static str),
    /// This flag, without dashes, in the file that `--flags-file` names.
    FlagsFile(&'static str),
    /// This field of the configuration file: `evictionHard`, or a flag without
    /// dashes where it is OKD's.
    File(&'static str),
    /// The preset that `--compat` names.
    Compat,
    /// Another setting implies it.
    Derived,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Default => "default",
            Self::Flag(_) => "flag",
            Self::FlagsFile(_) => "flags-file",
            Self::File(_) => "file",
            Self::Compat => "compat",
            Self::Derived => "derived",
        })
    }
}

/// One setting as it is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The flag that sets it, without dashes; for a difference of `--compat` with its word
    /// behind it: `compat=keep-build-cache`.
    pub name: &'static str,
    /// Its value, as one would write it; empty where there is none.
    pub value: String,
    /// Where it came from.
    pub origin: Origin,
}

impl Setting {
    /// The flag that sets it, without dashes.
    #[must_use]
    pub fn flag(&self) -> &'static str {
        self.name.split('=').next().unwrap_or(self.name)
    }

    /// The word of the flag, where it is a difference of `--compat`.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        Some(self.name.split_once('=')?.1)
    }

    /// Whether a listing of the settings has it: the help shows its flag, or it was given.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        self.origin != Origin::Default || Flag::all().any(|flag| flag.name == self.flag())
    }
}
