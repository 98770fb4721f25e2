//! Deletes images of Docker or Podman that no container uses until so much of their
//! filesystem is free. Images that no registry has stay.
//!
//! usage: clean_images SOCKET FREE [--delete]     such as /run/docker.sock 10Gi
//!
//! Without --delete it says what it would delete.
#![forbid(unsafe_code)]

use std::path::Path;

use evictd_containers::{ContainerRuntime, DockerRuntime, ListedImage};
use evictd_gc::{Enough, FsUsage, Image, ImageJob, ImagePolicy, ImageRun, Removal, collect_images};
use evictd_node::Policy;
use evictd_quantity::Quantity;
use evictd_stats::{read_filesystem, wall_nanos};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [socket, free, more @ ..] = &words[..] else {
        return Err("usage: clean_images SOCKET FREE [--delete]".into());
    };
    let (wanted, deletes) = (Quantity::parse(free)?.value(), more == ["--delete"]);
    let mut docker = DockerRuntime::new(Path::new(socket));
    let (listed, containers) = (docker.images()?, docker.list()?.containers);
    let uses = containers.iter();
    let uses = uses.flat_map(|one| one.image_volumes.iter().chain([&one.image]));
    let is_used = |image: &ListedImage| uses.clone().any(|used| **used == *image.id);
    let images = listed.iter().map(|image| {
        let mut known = Image::default();
        (known.size_bytes, known.pinned) = (image.size_bytes, image.pinned);
        (known.in_use, known.only_here) = (is_used(image), image.digests.is_empty());
        known
    });
    let path = docker.disks()?.images.unwrap_or_default();
    let measure = || {
        let (disk, mut usage) = (read_filesystem(&path).ok()?, FsUsage::default());
        (usage.capacity_bytes, usage.available_bytes) = (disk.capacity_bytes, disk.available_bytes);
        Some(usage)
    };
    // Since when an image is here nobody has noted.
    let policy = ImagePolicy {
        min_age: core::time::Duration::ZERO,
        ..ImagePolicy::default()
    };
    let until = Some(Enough::Bytes(u64::try_from(wanted)?));
    let now_nanos = wall_nanos();
    let run = ImageRun {
        job: ImageJob::DeleteUnused { until },
        policy,
        switches: &Policy::default(),
        now_nanos,
        began_nanos: now_nanos,
    };
    let summary = collect_images(
        &images.collect::<Vec<_>>(),
        measure(),
        &run,
        &mut |deletion| {
            let image = listed.get(deletion.index)?;
            println!("delete {:?}: {}", image.tags, deletion.reason);
            let remove = |e: evictd_containers::Error| eprintln!("{e}");
            let is_gone = !deletes || docker.remove_image(&image.id).map_err(remove).is_ok();
            // Where nothing is deleted, the listed size counts as freed.
            let usage = if deletes { measure() } else { None };
            Some(Removal { is_gone, usage })
        },
    );
    println!("{} stay", summary.kept.len());
    Ok(())
}
