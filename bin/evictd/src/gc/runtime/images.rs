use core::fmt::Write;
use std::path::{Path, PathBuf};

use evictd_containers::{ContainerRuntime, Error, ListedImage, RuntimeListing};
use evictd_gc::{FsUsage, Image, ImageCollector, ImageJob, ImageRun, ImageSummary, KeepPattern};
use evictd_stats::{read_filesystem, wall_seconds};

use super::{Kind, Progress, Removed, RuntimeCollected, RuntimeCollector, Staying, wall_nanos};
use crate::amount::Amount;
use crate::runtimes::Enough;

impl RuntimeCollector {
    /// Images by the use of their filesystem, or all unused ones `until` there is
    /// enough.
    pub(super) fn collect_images(
        &self,
        runtime: &mut dyn ContainerRuntime,
        until: Option<Option<Enough>>,
        dry_run: bool,
        progress: Progress<'_>,
    ) -> Result<RuntimeCollected, Error> {
        let listed = runtime.images()?;
        // Only now: what came to be used meanwhile counts.
        let listing = runtime.list()?;
        let path = self.path(runtime);
        let images = self.judge(runtime.endpoint(), &listed, &listing);
        let run = ImageRun {
            job: if until.is_some() {
                ImageJob::DeleteUnused
            } else {
                ImageJob::Watermark
            },
            policy: self.images,
            switches: &self.switches,
            now_nanos: wall_nanos(),
            began_nanos: self.began_nanos,
        };
        let measure = || path.as_deref().and_then(usage);
        let mut collector = ImageCollector::new(&images, measure(), run);
        let mut collected = RuntimeCollected {
            dry_run,
            measured: path.clone(),
            ..RuntimeCollected::default()
        };
        while let Some(deletion) = collector.next_deletion() {
            let Some(image) = listed.get(deletion.index) else {
                continue;
            };
            let removed = if dry_run {
                Ok(true)
            } else {
                remove(runtime, image)
            };
            match removed {
                Ok(true) => {
                    // A dry run counts as if the listed size became free.
                    collector.removed(if dry_run { None } else { measure() });
                    note(image, deletion.reason.to_string(), &mut collected, progress);
                }
                Ok(false) => collector.failed(),
                Err(error) => {
                    collector.failed();
                    let lost = error.is_lost();
                    collected.errors.push(error.to_string());
                    if lost {
                        break;
                    }
                }
            }
            let enough = until.flatten().filter(|_| !dry_run).zip(measure());
            if enough.is_some_and(|(enough, usage)| is_enough(enough, usage)) {
                collector.cleared();
            }
        }
        finish(collector.summary(), &listed, &images, &mut collected);
        Ok(collected)
    }

    /// Remembers which images are in use now: between two collections too.
    pub(crate) fn note_uses(&self, listing: &RuntimeListing) {
        let mut ids = listing.containers.iter().map(|container| &*container.image);
        self.with_records(|records| records.note_used(wall_seconds(), &mut ids));
    }

    /// What is to be known of each image; remembers what is seen.
    fn judge(
        &self,
        endpoint: &str,
        listed: &[ListedImage],
        listing: &RuntimeListing,
    ) -> Vec<Image> {
        let with_use = |image| (image, is_used(image, listing));
        let all: Vec<(&ListedImage, bool)> = listed.iter().map(with_use).collect();
        let seen = all
            .iter()
            .map(|(image, in_use)| (image.id.as_str(), *in_use));
        let seen: Vec<(&str, bool)> = seen.collect();
        self.with_records(|records| {
            records.observe(wall_seconds(), endpoint, &seen);
            let image = |(image, in_use): (&ListedImage, bool)| Image {
                size_bytes: image.size_bytes,
                record: records.get(&image.id),
                in_use,
                pinned: image.pinned,
                kept: self.keep.iter().any(|pattern| is_kept(pattern, image)),
                only_here: self.keep_local && image.digests.is_empty(),
            };
            all.into_iter().map(image).collect()
        })
    }

    fn path(&self, runtime: &mut dyn ContainerRuntime) -> Option<PathBuf> {
        let given = self.imagefs.clone();
        given.or_else(|| runtime.disks().ok()?.images)
    }
}

/// Removes an image that nothing uses at this very moment; returns whether it is
/// gone. Some runtimes would remove one in use without a word.
fn remove(runtime: &mut dyn ContainerRuntime, image: &ListedImage) -> Result<bool, Error> {
    let listing = runtime.list()?;
    if is_used(image, &listing) {
        return Ok(false);
    }
    runtime.remove_image(&image.id)?;
    Ok(true)
}

/// Whether any container, in any state, was made from it.
fn is_used(image: &ListedImage, listing: &RuntimeListing) -> bool {
    let mut containers = listing.containers.iter();
    containers.any(|container| {
        let is_it = |name: &String| **name == *container.image;
        is_it(&image.id) || image.tags.iter().any(is_it) || image.digests.iter().any(is_it)
    })
}

fn is_kept(pattern: &KeepPattern, image: &ListedImage) -> bool {
    let names = image.tags.iter().chain(&image.digests);
    names
        .chain(core::iter::once(&image.id))
        .any(|name| pattern.matches(name))
}

fn usage(path: &Path) -> Option<FsUsage> {
    let sample = read_filesystem(path).ok()?;
    Some(FsUsage {
        capacity_bytes: sample.capacity_bytes,
        available_bytes: sample.available_bytes,
        inodes: sample.inodes,
        inodes_free: sample.inodes_free,
    })
}

const fn is_enough(enough: Enough, usage: FsUsage) -> bool {
    match enough {
        Enough::Bytes(wanted) => usage.available_bytes >= wanted,
        Enough::Inodes(wanted) => usage.inodes_free >= wanted,
    }
}

fn note(
    image: &ListedImage,
    reason: String,
    collected: &mut RuntimeCollected,
    progress: Progress<'_>,
) {
    let removed = Removed {
        kind: Kind::Image,
        id: image.id.clone(),
        name: name(image),
        listed_bytes: Some(image.size_bytes),
        reason,
    };
    progress(&removed);
    collected.removed.push(removed);
}

fn name(image: &ListedImage) -> String {
    let first = image.tags.first().or_else(|| image.digests.first());
    first.unwrap_or(&image.id).clone()
}

fn finish(
    summary: ImageSummary,
    listed: &[ListedImage],
    images: &[Image],
    collected: &mut RuntimeCollected,
) {
    collected.freed_bytes = summary.freed_bytes;
    collected.freed_inodes = summary.freed_inodes;
    if let Some(error) = summary.error {
        let mut text = error.to_string();
        if let Some(path) = &collected.measured {
            let _ = write!(text, " The filesystem is that of {}.", path.display());
        }
        for held in summary.held(images) {
            let bytes = Amount::bytes(held.listed_bytes);
            let (count, reason) = (held.images, held.reason);
            let _ = write!(text, " {count} images hold {bytes}: {reason}.");
        }
        collected.shortfall = Some(text);
    }
    let staying = summary.kept.iter().filter_map(|kept| {
        let image = listed.get(kept.index)?;
        Some(Staying {
            id: image.id.clone(),
            name: name(image),
            listed_bytes: image.size_bytes,
            reason: kept.reason.to_string(),
        })
    });
    collected.staying = staying.collect();
}
