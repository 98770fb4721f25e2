use evictd_node::Policy;

use crate::{FsUsage, Image, ImagePolicy, Kept, nanos};

/// What a collection of images is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageJob {
    /// The periodic one: images beyond the maximum age are deleted; above the
    /// high threshold, others too until the low one is reached.
    Watermark,
    /// Before pods are evicted for disk pressure: unused images are deleted.
    DeleteUnused {
        /// What has to be free of the filesystem to leave the rest (decision D15);
        /// `None` to delete every one, as the kubelet.
        until: Option<Enough>,
    },
}

/// How much of a filesystem is to be free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enough {
    /// So many bytes.
    Bytes(u64),
    /// So many inodes.
    Inodes(u64),
}

impl Enough {
    pub(super) const fn is_in(self, usage: FsUsage) -> bool {
        match self {
            Self::Bytes(wanted) => usage.available_bytes >= wanted,
            Self::Inodes(wanted) => usage.inodes_free >= wanted,
        }
    }
}

/// How to collect images.
#[derive(Clone, Copy, Debug)]
pub struct ImageRun<'a> {
    /// What for.
    pub job: ImageJob,
    /// What the flags say.
    pub policy: ImagePolicy,
    /// In what it differs from the kubelet.
    pub switches: &'a Policy,
    /// When the run begins: nanoseconds since 1970.
    pub now_nanos: i64,
    /// When the program began, on the same clock. Of importance only with
    /// [`Policy::max_image_age_waits_for_uptime`].
    pub began_nanos: i64,
}

/// Why an image stays whatever happens, if it does.
pub(super) fn protection(image: &Image) -> Option<Kept> {
    let reasons = [
        (image.in_use, Kept::InUse),
        (image.pinned, Kept::Pinned),
        (image.kept, Kept::ByPattern),
        (image.only_here, Kept::OnlyHere),
    ];
    let mut reasons = reasons.iter().filter(|(holds, _)| *holds);
    reasons.next().map(|(_, kept)| *kept)
}

impl ImageRun<'_> {
    fn first_detected(&self, image: &Image) -> i64 {
        let record = image.record;
        record.map_or(self.now_nanos, |record| record.first_detected_nanos)
    }

    /// When its age began; `None` for one that is older than all others.
    fn age_from(&self, image: &Image) -> Option<i64> {
        let last_used = image.record.and_then(|record| record.last_used_nanos);
        if self.switches.never_used_image_is_oldest {
            last_used
        } else {
            let first = self.first_detected(image);
            Some(last_used.map_or(first, |last| last.max(first)))
        }
    }

    /// The order of deletion: least recently used first, then first detected first.
    pub(super) fn turn(&self, image: &Image) -> (Option<i64>, i64) {
        (self.age_from(image), self.first_detected(image))
    }

    pub(super) fn is_too_old(&self, image: &Image) -> bool {
        let Some(max_age) = self.policy.max_age.map(nanos) else {
            return false;
        };
        let up = self.now_nanos.saturating_sub(self.began_nanos);
        if self.switches.max_image_age_waits_for_uptime && up <= max_age {
            return false;
        }
        self.age_from(image)
            .is_none_or(|from| self.now_nanos.saturating_sub(from) > max_age)
    }

    /// Why an image is too fresh to make room, if it is.
    pub(super) fn youth(&self, image: &Image) -> Option<Kept> {
        let last_used = image.record.and_then(|record| record.last_used_nanos);
        let age = self.now_nanos.saturating_sub(self.first_detected(image));
        if last_used.is_some_and(|last| last >= self.now_nanos) {
            Some(Kept::JustUsed)
        } else if age < nanos(self.policy.min_age) {
            Some(Kept::TooYoung)
        } else {
            None
        }
    }
}
