use core::fmt;

/// What collection has to know of an image. Which image it is, the caller knows
/// by its index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent reasons to keep an image"
)]
pub struct Image {
    /// What the runtime says it takes; layers that images share count for each.
    pub size_bytes: u64,
    /// Since when it is known, and when it was last used; `None` for one that is
    /// detected just now.
    pub record: Option<ImageRecord>,
    /// Whether a container in any state was made from it.
    pub in_use: bool,
    /// Whether the runtime wants it kept: the image of the pod sandboxes is.
    pub pinned: bool,
    /// Whether a pattern of `--keep-image` matches one of its names.
    pub kept: bool,
    /// Whether it could not be fetched again: in offline mode, every image that
    /// exists only here.
    pub only_here: bool,
}

/// The times of an image, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageRecord {
    /// When it was first seen.
    pub first_detected_nanos: i64,
    /// When a container was last seen that used it; `None` for never.
    pub last_used_nanos: Option<i64>,
}

/// Why an image stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kept {
    /// A container in any state was made from it.
    InUse,
    /// The runtime wants it kept.
    Pinned,
    /// `--keep-image` names it.
    ByPattern,
    /// It could not be fetched again.
    OnlyHere,
    /// It was in use when the run began, or its last use lies ahead.
    JustUsed,
    /// It was first detected less than the minimum age ago.
    TooYoung,
    /// It could not be removed.
    RemovalFailed,
    /// Enough is free without it.
    NotNeeded,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InUse => "in use",
            Self::Pinned => "pinned",
            Self::ByPattern => "kept by a pattern",
            Self::OnlyHere => "exists only here: no registry is known to have it",
            Self::JustUsed => "used just now",
            Self::TooYoung => "younger than the minimum age",
            Self::RemovalFailed => "removal failed",
            Self::NotNeeded => "not needed: enough is free",
        })
    }
}
