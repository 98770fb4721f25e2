use alloc::format;
use alloc::string::String;

use super::usage::Share;
use crate::{FsUsage, ImageGcError, ImageRun, Shortage};

/// What has to become free, and what has so far.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// So many bytes less than wanted were free at the start, if that is why
    /// images are deleted.
    bytes: Option<i64>,
    /// How many inodes fewer than wanted were free at the start.
    inodes: Option<i64>,
    low_percent: i64,
    /// Whether listed sizes are what counts.
    by_size: bool,
    freed_bytes: i64,
    freed_inodes: i64,
    /// Whether anything was removed for it.
    has_removed: bool,
    /// What was used at the start.
    at_start: FsUsage,
    /// Which words the error gets.
    tells_amounts_only: bool,
    pub(crate) reason: String,
}

impl Goal {
    /// That of a filesystem that is used above the high threshold; `None` where
    /// nothing has to be deleted.
    ///
    /// # Errors
    /// Where its size is not known.
    pub(crate) fn of(
        usage: Option<FsUsage>,
        run: &ImageRun<'_>,
    ) -> Result<Option<Self>, ImageGcError> {
        let usage = usage.ok_or(ImageGcError::NoUsage)?;
        let (low_percent, high_percent) = (run.policy.low_percent, run.policy.high_percent);
        let space = usage.bytes().percent_used();
        let space = space.ok_or(ImageGcError::InvalidCapacity)?;
        let is_high = |percent: &i64| *percent >= high_percent;
        let inodes = usage.inode_share().percent_used();
        let inodes = inodes.filter(|_| !run.switches.image_gc_ignores_inodes);
        let inodes = inodes.filter(is_high);
        let (what, percent) = match (is_high(&space), inodes) {
            (true, _) => ("space", space),
            (false, Some(percent)) => ("inodes", percent),
            (false, None) => return Ok(None),
        };
        Ok(Some(Self {
            bytes: is_high(&space).then(|| usage.bytes().missing_to(low_percent)),
            inodes: inodes.map(|_| usage.inode_share().missing_to(low_percent)),
            low_percent,
            by_size: run.switches.image_gc_counts_listed_sizes,
            freed_bytes: 0,
            freed_inodes: 0,
            has_removed: false,
            at_start: usage,
            tells_amounts_only: run.switches.image_gc_error_tells_amounts_only,
            reason: format!(
                "least recently used; {percent}% of the {what} used, to become {low_percent}%"
            ),
        }))
    }

    /// An image is gone.
    pub(crate) fn add(&mut self, listed: i64, measured_bytes: i64, measured_inodes: i64) {
        let bytes = if self.by_size { listed } else { measured_bytes };
        self.freed_bytes = self.freed_bytes.saturating_add(bytes);
        self.freed_inodes = self.freed_inodes.saturating_add(measured_inodes);
        self.has_removed = true;
    }

    /// Whether no further image has to be deleted. By listed sizes, the kubelet looks
    /// only once an image is gone.
    pub(crate) fn is_reached(&self, usage: Option<FsUsage>) -> bool {
        (self.has_removed || !self.by_size) && self.missing(usage).is_none()
    }

    /// The error that is left at the end, if any.
    pub(crate) fn missing(&self, usage: Option<FsUsage>) -> Option<ImageGcError> {
        let usage = usage.unwrap_or_default();
        let lacks = |share: Share| share.missing_to(self.low_percent) > 0;
        let lacks_bytes = |wanted: &i64| {
            if self.by_size {
                self.freed_bytes < *wanted
            } else {
                lacks(usage.bytes())
            }
        };
        let lacks_inodes = |_: &i64| lacks(usage.inode_share());
        let bytes = self.bytes.filter(lacks_bytes);
        let inodes = || self.inodes.filter(lacks_inodes);
        let (share, found) = match bytes {
            Some(_) => (self.at_start.bytes(), self.freed_bytes),
            None => (self.at_start.inode_share(), self.freed_inodes),
        };
        Some(ImageGcError::NotEnough(Shortage {
            wanted: bytes.or_else(inodes)?,
            found,
            of_inodes: bytes.is_none(),
            percent_used: share.percent_used().unwrap_or(0),
            capacity: share.capacity(),
            tells_amounts_only: self.tells_amounts_only,
        }))
    }

    /// The error when images could not be removed.
    pub(crate) fn removal_error(&self) -> ImageGcError {
        ImageGcError::Removal {
            wanted: self.bytes.unwrap_or(0),
            freed: self.freed_bytes,
        }
    }
}
