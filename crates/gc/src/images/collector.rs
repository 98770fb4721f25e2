use alloc::vec::Vec;

use super::goal::Goal;
use super::run::protection;
use super::usage::nearest;
use crate::{
    FsUsage, Image, ImageDeletion, ImageGcError, ImageJob, ImageReason, ImageRun, ImageSummary,
    Kept, KeptImage, Reclaim,
};

/// One collection of images, deletion by deletion.
///
/// ```
/// use evictd_gc::{FsUsage, Image, ImageCollector, ImageJob, ImagePolicy, ImageRun};
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
/// let mut collector = ImageCollector::new(&images, Some(usage), run);
/// while let Some(deletion) = collector.next_deletion() {
///     assert_eq!(deletion.index, 0);
///     // The caller removes the image and looks at the filesystem again.
///     collector.removed(Some(FsUsage { available_bytes: 250, ..usage }));
/// }
/// let summary = collector.summary();
/// assert_eq!((summary.error, summary.freed_bytes), (None, 150));
/// ```
#[derive(Clone, Debug)]
pub struct ImageCollector<'a> {
    images: &'a [Image],
    run: ImageRun<'a>,
    /// What is known of the filesystem by now.
    usage: Option<FsUsage>,
    /// The images that nothing protects, the first to be deleted first.
    order: Vec<usize>,
    /// What became of each image so far.
    marks: Vec<Mark>,
    pass: Pass,
    /// What the pass for space has to reach; `None` for all that is unused.
    goal: Option<Goal>,
    pending: Option<ImageDeletion>,
    /// Whether any removal failed in this pass.
    has_failed: bool,
    summary: ImageSummary,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Open,
    Kept(Kept),
    Removed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// What is beyond the maximum age.
    Age,
    /// What makes room.
    Space,
    Over,
}

impl<'a> ImageCollector<'a> {
    /// A collection of these images; `usage` is that of the filesystem that
    /// holds them, `None` where it could not be measured.
    #[must_use]
    pub fn new(images: &'a [Image], usage: Option<FsUsage>, run: ImageRun<'a>) -> Self {
        let marks = images.iter().map(|image| match protection(image) {
            Some(kept) => Mark::Kept(kept),
            None => Mark::Open,
        });
        let marks: Vec<Mark> = marks.collect();
        let open = |index: &usize| marks.get(*index) == Some(&Mark::Open);
        let mut order: Vec<usize> = (0..images.len()).filter(open).collect();
        // Of two that are alike the one listed first is deleted first.
        order.sort_unstable_by_key(|index| {
            let turn = images.get(*index).map(|image| run.turn(image));
            (turn, *index)
        });
        Self {
            images,
            run,
            usage,
            order,
            marks,
            pass: match run.job {
                ImageJob::Watermark => Pass::Age,
                ImageJob::DeleteUnused => Pass::Space,
            },
            goal: None,
            pending: None,
            has_failed: false,
            summary: ImageSummary::default(),
        }
    }

    /// The image to remove next; `None` when the run is over. The caller removes
    /// it and says by [`removed`](Self::removed) or [`failed`](Self::failed) what
    /// came of it; one of which it says nothing counts as failed.
    #[must_use]
    pub fn next_deletion(&mut self) -> Option<ImageDeletion> {
        self.failed();
        if self.pass == Pass::Age {
            let old = self.next_where(ImageRun::is_too_old);
            self.pending = old.map(|index| ImageDeletion {
                index,
                reason: ImageReason::TooOld,
            });
            if self.pending.is_none() {
                self.end_age();
            }
        }
        if self.pass == Pass::Space {
            let goal = self.goal.as_ref();
            let is_reached = goal.is_some_and(|goal| goal.is_reached(self.usage));
            let reason = goal.map_or(ImageReason::Unused, |goal| goal.reason);
            let next = self.next_where(|run, image| !is_reached && run.youth(image).is_none());
            self.pending = next.map(|index| ImageDeletion { index, reason });
            if self.pending.is_none() {
                self.end_space();
            }
        }
        self.pending
    }

    /// The image is gone, and this is the use of the filesystem now. Where that
    /// could not be measured, the size that was listed counts as freed.
    pub fn removed(&mut self, usage: Option<FsUsage>) {
        let Some(ImageDeletion { index, .. }) = self.pending.take() else {
            return;
        };
        let size = self.images.get(index).map_or(0, |image| image.size_bytes);
        let now = usage.or(self.usage.map(|before| before.with_freed(size)));
        let before = self.usage.or(now);
        let freed = |what: fn(FsUsage) -> u64| {
            let (before, now) = (before.map_or(0, what), now.map_or(0, what));
            nearest(i128::from(now).saturating_sub(i128::from(before)))
        };
        let (bytes, inodes) = (freed(|u| u.available_bytes), freed(|u| u.inodes_free));
        if let (Pass::Space, Some(goal)) = (self.pass, &mut self.goal) {
            goal.add(i64::try_from(size).unwrap_or(i64::MAX), bytes, inodes);
        }
        self.usage = now;
        let sum = &mut self.summary;
        sum.removed = sum.removed.saturating_add(1);
        sum.listed_bytes = sum.listed_bytes.saturating_add(size);
        sum.freed_bytes = sum.freed_bytes.saturating_add(bytes);
        sum.freed_inodes = sum.freed_inodes.saturating_add(inodes);
        self.mark(index, Mark::Removed);
    }

    /// The image could not be removed.
    pub fn failed(&mut self) {
        if let Some(deletion) = self.pending.take() {
            self.has_failed = true;
            self.mark(deletion.index, Mark::Kept(Kept::RemovalFailed));
        }
    }

    /// The caller has measured that the signal for which images are deleted is clear again,
    /// minimum reclaim included. With [`Reclaim::UntilClear`], nothing more is deleted
    /// before an eviction; in all other cases this changes nothing.
    pub fn cleared(&mut self) {
        let until_clear = self.run.policy.reclaim == Reclaim::UntilClear;
        if until_clear && self.run.job == ImageJob::DeleteUnused {
            self.failed();
            self.end_space();
        }
    }

    /// What came of it. Of a run that is not over, what came of it so far.
    #[must_use]
    pub fn summary(mut self) -> ImageSummary {
        self.failed();
        let all = self.images.iter().zip(&self.marks).enumerate();
        let kept = all.filter_map(|(index, (image, mark))| {
            let reason = match *mark {
                Mark::Removed => return None,
                Mark::Kept(reason) => reason,
                Mark::Open => self.run.youth(image).unwrap_or(Kept::NotNeeded),
            };
            Some(KeptImage { index, reason })
        });
        self.summary.kept = kept.collect();
        self.summary
    }

    fn mark(&mut self, index: usize, mark: Mark) {
        if let Some(place) = self.marks.get_mut(index) {
            *place = mark;
        }
    }

    /// The next image of the order that is still there, was not tried, and is one
    /// of those.
    fn next_where(&self, is_one: impl Fn(&ImageRun<'a>, &Image) -> bool) -> Option<usize> {
        let mut order = self.order.iter().copied();
        order.find(|index| {
            let is_open = self.marks.get(*index) == Some(&Mark::Open);
            let image = self.images.get(*index).filter(|_| is_open);
            image.is_some_and(|image| is_one(&self.run, image))
        })
    }

    /// Only now the kubelet looks at the disk.
    fn end_age(&mut self) {
        let switches = self.run.switches;
        if self.has_failed {
            let max_age = self.run.policy.max_age.unwrap_or_default();
            self.summary.error = Some(ImageGcError::RemovalOfOld { max_age });
            if switches.failed_image_removal_ends_gc {
                self.pass = Pass::Over;
                return;
            }
        }
        let by_size = switches.image_gc_counts_listed_sizes;
        let with_inodes = !switches.image_gc_ignores_inodes;
        self.has_failed = false;
        self.pass = Pass::Over;
        match Goal::of(self.usage, &self.run.policy, by_size, with_inodes) {
            Ok(None) => {}
            Ok(goal) => (self.goal, self.pass) = (goal, Pass::Space),
            Err(error) => self.summary.error = Some(error),
        }
    }

    fn end_space(&mut self) {
        self.pass = Pass::Over;
        let missing = match &self.goal {
            Some(goal) if self.has_failed => Some(goal.removal_error()),
            Some(goal) => goal.missing(self.usage),
            // The kubelet asks for all there is.
            None => self.has_failed.then(|| ImageGcError::Removal {
                wanted: i64::MAX,
                freed: if self.run.switches.image_gc_counts_listed_sizes {
                    i64::try_from(self.summary.listed_bytes).unwrap_or(i64::MAX)
                } else {
                    self.summary.freed_bytes
                },
            }),
        };
        self.summary.error = missing.or(self.summary.error);
    }
}
