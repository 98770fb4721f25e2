use core::fmt::Write;
use std::path::PathBuf;

use crate::amount::Amount;

/// What a collection at a runtime did.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuntimeCollected {
    /// In the order in which it went.
    pub(crate) removed: Vec<Removed>,
    /// Images that stay, and why.
    pub(crate) staying: Vec<Staying>,
    /// What the disk gave back meanwhile, as it measures itself.
    pub(crate) freed_bytes: i64,
    pub(crate) freed_inodes: i64,
    /// The directory that was measured.
    pub(crate) measured: Option<PathBuf>,
    /// Why it was not enough.
    pub(crate) shortfall: Option<String>,
    /// What could not be removed.
    pub(crate) errors: Vec<String>,
    pub(crate) dry_run: bool,
}

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Container,
    Sandbox,
    Image,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Container => "container",
            Self::Sandbox => "sandbox",
            Self::Image => "image",
        }
    }
}

/// Something that was, or would be, removed, and why.
#[derive(Clone, Debug)]
pub(crate) struct Removed {
    pub(crate) kind: Kind,
    pub(crate) id: String,
    /// By which people know it.
    pub(crate) name: String,
    /// What the runtime says it takes.
    pub(crate) listed_bytes: Option<u64>,
    pub(crate) reason: String,
}

/// An image that stays.
#[derive(Clone, Debug)]
pub(crate) struct Staying {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) listed_bytes: u64,
    pub(crate) reason: String,
}

impl RuntimeCollected {
    /// Whether nothing happened that anybody has to know.
    pub(crate) const fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.errors.is_empty() && self.shortfall.is_none()
    }

    /// Whether anything is gone for good.
    pub(crate) const fn has_given(&self) -> bool {
        !self.dry_run && !self.removed.is_empty()
    }

    /// Whether something that should have gone is still there.
    pub(crate) const fn has_failed(&self) -> bool {
        !self.errors.is_empty()
    }

    /// In one line, for a log.
    pub(crate) fn summary(&self) -> String {
        let mut line = String::new();
        for kind in [Kind::Container, Kind::Sandbox, Kind::Image] {
            self.add_kind(&mut line, kind);
        }
        if let Some(path) = self.measured.as_ref().filter(|_| !self.removed.is_empty()) {
            let bytes = Amount::bytes(u64::try_from(self.freed_bytes).unwrap_or(0));
            let _ = write!(line, ", {bytes} freed on {}", path.display());
        }
        for text in self.shortfall.iter().chain(&self.errors) {
            if !line.is_empty() {
                line.push_str("; ");
            }
            line.push_str(text);
        }
        line
    }

    /// What was removed of one kind.
    pub(crate) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Removed> {
        self.removed.iter().filter(move |one| one.kind == kind)
    }

    /// `removed 2 images (a, b)`.
    fn add_kind(&self, line: &mut String, kind: Kind) {
        const FEW: usize = 4;
        let all: Vec<&Removed> = self.of_kind(kind).collect();
        let Some(first) = all.first() else { return };
        if !line.is_empty() {
            line.push_str(", ");
        }
        let verb = if self.dry_run {
            "would remove"
        } else {
            "removed"
        };
        let (count, name) = (all.len(), kind.name());
        let plural = if count == 1 { "" } else { "s" };
        let _ = write!(line, "{verb} {count} {name}{plural} ({}", first.name);
        for one in all.iter().take(FEW).skip(1) {
            let _ = write!(line, ", {}", one.name);
        }
        line.push_str(if count > FEW { ", …)" } else { ")" });
    }
}
