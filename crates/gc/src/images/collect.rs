use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::goal::Goal;
use super::run::protection;
use super::usage::nearest;
use crate::{
    Deletion, FsUsage, Image, ImageGcError, ImageJob, ImageRun, ImageSummary, Kept, KeptImage, Kind,
};

/// Why an image is deleted that has been unused for too long; all others are deleted for
/// space.
pub const TOO_OLD: &str = "not used for longer than the maximum age";

/// What came of the removal of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Whether it is gone.
    pub is_gone: bool,
    /// The use of the filesystem now; where that could not be measured, the listed size of
    /// what is gone counts as freed.
    pub usage: Option<FsUsage>,
}

/// Collects images, one after the other; `usage` is that of the filesystem that holds
/// them, `None` where it could not be measured. `remove` removes an image and measures;
/// `None` from it ends the run, and the image counts as not removed.
///
/// ```
/// use evictd_gc::{FsUsage, Image, ImageJob, ImagePolicy, ImageRun, Removal, collect_images};
/// use evictd_node::Policy;
///
/// let usage = FsUsage { capacity_bytes: 1000, available_bytes: 100, ..FsUsage::default() };
/// let mut policy = ImagePolicy::default();
/// policy.min_age = core::time::Duration::ZERO;
/// let run = ImageRun {
///     job: ImageJob::Watermark,
///     policy,
///     switches: &Policy::default(),
///     now_nanos: 0,
///     began_nanos: 0,
/// };
/// let images = [Image { size_bytes: 300, ..Image::default() }; 2];
/// let summary = collect_images(&images, Some(usage), &run, &mut |deletion| {
///     assert_eq!(deletion.index, 0);
///     // Here the image is removed, and the filesystem looked at again.
///     let usage = Some(FsUsage { available_bytes: 250, ..usage });
///     Some(Removal { is_gone: true, usage })
/// });
/// assert_eq!((summary.error, summary.freed_bytes), (None, 150));
/// ```
pub fn collect_images(
    images: &[Image],
    usage: Option<FsUsage>,
    run: &ImageRun<'_>,
    remove: &mut dyn FnMut(Deletion) -> Option<Removal>,
) -> ImageSummary {
    let open = images.iter().enumerate();
    let mut order: Vec<_> = open.filter(|(_, one)| protection(one).is_none()).collect();
    // Of two that are alike the one listed first is deleted first.
    order.sort_by_key(|(_, image)| run.turn(image));
    let mut collection = Collection {
        run,
        remove,
        usage,
        tried: vec![None; images.len()],
        goal: None,
        has_failed: false,
        is_over: false,
        summary: ImageSummary::default(),
    };
    collection.collect(&order);
    let Collection { tried, summary, .. } = collection;
    let all = images.iter().zip(tried).enumerate();
    let kept = all.filter_map(|(index, (image, tried))| {
        let reason = match tried {
            Some(true) => return None,
            Some(false) => Kept::RemovalFailed,
            None => protection(image)
                .or_else(|| run.youth(image))
                .unwrap_or(Kept::NotNeeded),
        };
        Some(KeptImage { index, reason })
    });
    ImageSummary {
        kept: kept.collect(),
        ..summary
    }
}

struct Collection<'a> {
    run: &'a ImageRun<'a>,
    remove: &'a mut dyn FnMut(Deletion) -> Option<Removal>,
    /// What is known of the filesystem by now.
    usage: Option<FsUsage>,
    /// Of each image that was to be removed, whether it is gone.
    tried: Vec<Option<bool>>,
    /// What the pass for space has to reach; `None` for all that is unused.
    goal: Option<Goal>,
    /// Whether any removal failed in this pass.
    has_failed: bool,
    /// Whether nothing more can be removed.
    is_over: bool,
    summary: ImageSummary,
}

impl Collection<'_> {
    fn collect(&mut self, order: &[(usize, &Image)]) {
        if matches!(self.run.job, ImageJob::DeleteUnused { .. }) {
            self.delete_for_space(order);
            return;
        }
        let switches = self.run.switches;
        self.delete_old(order);
        let ends = self.has_failed && switches.failed_image_removal_ends_gc;
        if self.is_over || ends {
            return;
        }
        self.has_failed = false;
        // Only now the kubelet looks at the disk.
        match Goal::of(self.usage, self.run) {
            Ok(None) => {}
            Ok(goal) => {
                self.goal = goal;
                self.delete_for_space(order);
            }
            Err(error) => self.summary.error = Some(error),
        }
    }

    /// Deletes what is beyond the maximum age.
    fn delete_old(&mut self, order: &[(usize, &Image)]) {
        for (index, image) in order {
            if self.run.is_too_old(image) {
                self.remove(*index, image, TOO_OLD.to_owned());
            }
            if self.is_over {
                return;
            }
        }
        if self.has_failed {
            let max_age = self.run.policy.max_age.unwrap_or_default();
            self.summary.error = Some(ImageGcError::RemovalOfOld { max_age });
        }
    }

    /// Deletes what makes room; without a goal, all that is unused.
    fn delete_for_space(&mut self, order: &[(usize, &Image)]) {
        for (index, image) in order {
            if self.has_tried(*index) || self.run.youth(image).is_some() {
                continue;
            }
            let reason = match &self.goal {
                Some(goal) if goal.is_reached(self.usage) => break,
                Some(goal) => goal.reason.clone(),
                None => "no container uses it".to_owned(),
            };
            let now = self.remove(*index, image, reason);
            if self.is_over {
                return;
            }
            if let (ImageJob::DeleteUnused { until: Some(until) }, Some(now)) = (self.run.job, now)
                && until.is_in(now)
            {
                break;
            }
        }
        let by_size = self.run.switches.image_gc_counts_listed_sizes;
        let sum = &self.summary;
        let missing = match &self.goal {
            Some(goal) if self.has_failed => Some(goal.removal_error()),
            Some(goal) => goal.missing(self.usage),
            // The kubelet asks for all there is.
            None => self.has_failed.then(|| ImageGcError::Removal {
                wanted: i64::MAX,
                freed: if by_size {
                    i64::try_from(sum.listed_bytes).unwrap_or(i64::MAX)
                } else {
                    sum.freed_bytes
                },
            }),
        };
        self.summary.error = missing.or(sum.error);
    }

    fn has_tried(&self, index: usize) -> bool {
        self.tried.get(index).is_some_and(Option::is_some)
    }

    /// Removes an image; returns the use of the filesystem after that, where it was measured.
    fn remove(&mut self, index: usize, image: &Image, reason: String) -> Option<FsUsage> {
        let kind = Kind::Image;
        let removal = (self.remove)(Deletion {
            kind,
            index,
            reason,
        });
        self.is_over = removal.is_none();
        let is_gone = removal.is_some_and(|removal| removal.is_gone);
        if let Some(tried) = self.tried.get_mut(index) {
            *tried = Some(is_gone);
        }
        let usage = removal.and_then(|removal| removal.usage);
        if !is_gone {
            self.has_failed = true;
            return usage;
        }
        let size = image.size_bytes;
        let now = usage.or(self.usage.map(|before| before.with_freed(size)));
        let before = self.usage.or(now);
        let freed = |what: fn(FsUsage) -> u64| {
            let (before, now) = (before.map_or(0, what), now.map_or(0, what));
            nearest(i128::from(now).saturating_sub(i128::from(before)))
        };
        let (bytes, inodes) = (freed(|u| u.available_bytes), freed(|u| u.inodes_free));
        if let Some(goal) = &mut self.goal {
            goal.add(i64::try_from(size).unwrap_or(i64::MAX), bytes, inodes);
        }
        self.usage = now;
        let sum = &mut self.summary;
        sum.removed = sum.removed.saturating_add(1);
        sum.listed_bytes = sum.listed_bytes.saturating_add(size);
        sum.freed_bytes = sum.freed_bytes.saturating_add(bytes);
        sum.freed_inodes = sum.freed_inodes.saturating_add(inodes);
        usage
    }
}
