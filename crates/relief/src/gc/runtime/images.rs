use core::fmt::Write;
use std::path::Path;

use evictd_containers::{Error, ListedImage, RuntimeListing};
use evictd_gc::{
    FsUsage, Image, ImageGcError, ImageJob, ImageRun, ImageSummary, KeepPattern, Kind, Removal,
    collect_images,
};
use evictd_node::{Amount, ImageName, Policy};
use evictd_stats::{now, read_filesystem, wall_seconds};

use super::{Item, Run, RuntimeCollected, RuntimeCollector, wall_nanos};

impl RuntimeCollector {
    pub(super) fn collect_images(&mut self, run: &mut Run<'_>, job: ImageJob) -> Result<(), Error> {
        let listed = run.runtime.images()?;
        // Only now: what came to be used meanwhile counts.
        let listing = run.runtime.list()?;
        let given = self.imagefs.clone();
        let path = given.or_else(|| run.runtime.disks().ok()?.images);
        let images = self.judge(run.runtime.endpoint(), &listed, &listing);
        let unmatched = self.unmatched(run.runtime.endpoint(), &listed);
        run.collected.notes.extend(unmatched);
        let how = ImageRun {
            job,
            policy: self.images.policy,
            switches: &self.switches,
            now_nanos: wall_nanos(),
            began_nanos: self.began_nanos,
        };
        let measure = || path.as_deref().and_then(usage);
        let dry_run = run.collected.dry_run;
        let usage = measure();
        if let Some(usage) = usage {
            run.patience.see(now(), usage);
        }
        let summary = collect_images(&images, usage, &how, &mut |deletion| {
            let image = listed.get(deletion.index)?;
            let is_gone = remove(run, how.switches, image, deletion.reason);
            // A dry run counts as if the listed size became free.
            let usage = if dry_run { None } else { measure() };
            if let Some(usage) = usage {
                run.patience.see(now(), usage);
            }
            (!run.is_lost).then_some(Removal { is_gone, usage })
        });
        // Only where a disk is short: a runtime does it by itself after each change.
        if matches!(job, ImageJob::DeleteUnused { .. }) {
            run.collect_garbage(&measure);
        }
        run.collected.measured.clone_from(&path);
        finish(summary, &listed, &images, &mut run.collected);
        Ok(())
    }

    /// Remembers which images are in use now: between two collections too.
    pub(crate) fn note_uses(&self, listing: &RuntimeListing) {
        let mut images = used(listing, &self.switches);
        self.with_records(|records| records.note_used(wall_seconds(), &mut images));
    }

    /// A line about each pattern that keeps nothing here, once: it may be misspelt.
    fn unmatched(&mut self, endpoint: &str, listed: &[ListedImage]) -> Vec<String> {
        if listed.is_empty() {
            return Vec::new();
        }
        let mut lines = Vec::new();
        for (at, pattern) in self.images.keep.iter().enumerate() {
            let is_told = self.told_unmatched.contains(&at);
            if !is_told && !listed.iter().any(|image| is_kept(pattern, image)) {
                self.told_unmatched.push(at);
                lines.push(format!(
                    "--keep-image={pattern} matches no image at {endpoint}"
                ));
            }
        }
        lines
    }

    /// What is to be known of each image; remembers what is seen.
    fn judge(
        &self,
        endpoint: &str,
        listed: &[ListedImage],
        listing: &RuntimeListing,
    ) -> Vec<Image> {
        let is_used = |image| is_among(image, used(listing, &self.switches));
        let uses: Vec<bool> = listed.iter().map(is_used).collect();
        let ids = listed.iter().map(|image| image.id.as_str());
        let seen: Vec<(&str, bool)> = ids.zip(uses.iter().copied()).collect();
        self.with_records(|records| {
            records.observe(wall_seconds(), endpoint, &seen);
            let image = |(image, in_use): (&ListedImage, bool)| Image {
                size_bytes: image.size_bytes,
                record: records.get(&image.id),
                in_use,
                pinned: image.pinned,
                kept: self
                    .images
                    .keep
                    .iter()
                    .any(|pattern| is_kept(pattern, image)),
                only_here: self.images.keep_local && is_only_here(image),
            };
            listed.iter().zip(uses).map(image).collect()
        })
    }
}

/// Removes an image that nothing uses at this very moment; returns whether it is
/// gone. Some runtimes would remove one in use without a word.
fn remove(run: &mut Run<'_>, switches: &Policy, image: &ListedImage, reason: String) -> bool {
    if !run.collected.dry_run {
        match run.runtime.list() {
            Ok(listing) if is_among(image, used(&listing, switches)) => return false,
            Ok(_) => {}
            Err(error) => {
                run.fail(&error);
                return false;
            }
        }
    }
    run.remove(item(Some(Kind::Image), image, reason))
}

/// What names an image that a container uses, in any state: the one it was made from, and
/// those that are mounted in it, which no runtime keeps from being removed.
fn used<'a>(
    listing: &'a RuntimeListing,
    switches: &Policy,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let volumes_count = !switches.image_volumes_are_not_in_use;
    listing.containers.iter().flat_map(move |container| {
        let volumes = container
            .image_volumes
            .iter()
            .filter(move |_| volumes_count);
        core::iter::once(&container.image)
            .chain(volumes)
            .map(AsRef::as_ref)
    })
}

/// Whether one of them is the image's id, or one of its names.
fn is_among<'a>(image: &ListedImage, mut used: impl Iterator<Item = &'a str>) -> bool {
    used.any(|used| {
        let mut names = image.tags.iter().chain(&image.digests);
        let used_name = ImageName::of(used);
        image.id == used || names.any(|name| ImageName::of(name).is_same_as(used_name))
    })
}

/// Whether no registry gave it a digest. Podman gives what it built or loaded one of its
/// own, below `localhost/`.
fn is_only_here(image: &ListedImage) -> bool {
    let mut digests = image.digests.iter();
    digests.all(|digest| digest.starts_with("localhost/"))
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

fn item(kind: Option<Kind>, image: &ListedImage, reason: String) -> Item {
    let first = image.tags.first().or_else(|| image.digests.first());
    Item {
        kind,
        id: image.id.clone(),
        name: first.unwrap_or(&image.id).clone(),
        listed_bytes: Some(image.size_bytes),
        reason,
    }
}

/// The kubelet's words, but where these hold a number that nobody asked for.
fn shortfall(error: ImageGcError) -> String {
    if let ImageGcError::Removal {
        wanted: i64::MAX,
        freed,
    } = error
    {
        let freed = Amount::bytes(u64::try_from(freed).unwrap_or(0));
        return format!("Not every unused image could be removed; {freed} were freed.");
    }
    error.to_string()
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
        let mut text = shortfall(error);
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
        Some(item(None, image, kept.reason.to_string()))
    });
    collected.staying = staying.collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 195: "all" is no number.
    #[test]
    fn a_number_that_nobody_asked_for_is_not_told() {
        let removal = |wanted| ImageGcError::Removal {
            wanted,
            freed: 3 << 20,
        };
        let all = "Not every unused image could be removed; 3Mi were freed.";
        assert_eq!(shortfall(removal(i64::MAX)), all);
        assert_eq!(shortfall(removal(5)), removal(5).to_string());
    }
}
