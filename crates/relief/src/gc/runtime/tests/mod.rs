//! Nothing is deleted that nobody would bring back (decision D0, acceptance row 166).

mod hostile;
mod properties;

use alloc::sync::Arc;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use evictd_config::{Resolved, Typed, resolve};
use evictd_containers::{
    ContainerRuntime, ContainerState, Error, Failure, ListedContainer, ListedImage, ListedVolume,
    RuntimeDisks, RuntimeListing, RuntimePod, WritableLayer,
};
use evictd_engine::ports::{Collect, Job, Relief};
use evictd_gc::ImageJob;
use evictd_node::pod::Pod;
use evictd_node::{ReliefStep, Unit};
use rustix::fs::{major, minor};

use super::{RuntimeCollected, RuntimeCollector, SharedRecords};

/// A runtime that holds these pods, each with an ended container of its name, and images.
struct Fake {
    listing: RuntimeListing,
    images: Vec<ListedImage>,
    /// What it says that containers have written.
    written: Vec<(&'static str, Option<u64>)>,
    volumes: Vec<ListedVolume>,
    /// What it was asked to prune, and where it lies.
    pruned: Vec<Option<u64>>,
    root: Option<PathBuf>,
    /// How many containers a list holds at most; where that is so few, removed ones go.
    longest_list: usize,
    /// Images whose removal fails, and how.
    fails: Vec<(&'static str, Failure)>,
    /// Images that it was to remove.
    asked: Vec<String>,
}

impl Fake {
    fn with_dead(pods: &[(&str, bool)]) -> Self {
        let mut listing = RuntimeListing::default();
        for (index, (name, is_replaced)) in pods.iter().enumerate() {
            let mut pod = Pod::default();
            pod.metadata.name = String::from(*name);
            pod.metadata.uid = String::from(*name);
            listing.pods.push(RuntimePod {
                pod: Arc::new(pod),
                is_replaced: *is_replaced,
                ..RuntimePod::default()
            });
            for attempt in [0, 1] {
                let mut container = ListedContainer::default();
                container.id = format!("{name}-{attempt}").into();
                container.name = String::from(*name);
                container.pod = index;
                container.state = ContainerState::Exited;
                container.attempt = attempt;
                listing.containers.push(container);
            }
        }
        Self {
            listing,
            images: Vec::new(),
            written: Vec::new(),
            volumes: Vec::new(),
            pruned: Vec::new(),
            root: None,
            longest_list: usize::MAX,
            fails: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// Images by name, and their digests.
    fn with_images(images: &[(&str, &[&str])]) -> Self {
        let mut fake = Self::with_dead(&[]);
        for (name, digests) in images {
            let mut image = ListedImage::default();
            image.id = String::from(*name);
            image.tags = vec![format!("{name}:1")];
            image.digests = digests.iter().copied().map(String::from).collect();
            fake.images.push(image);
        }
        fake
    }
}

impl ContainerRuntime for Fake {
    fn endpoint(&self) -> &str {
        "unix:///fake.sock"
    }
    fn version(&mut self) -> Result<String, Error> {
        Ok("fake 1".to_owned())
    }
    fn list(&mut self) -> Result<RuntimeListing, Error> {
        let mut listing = self.listing.clone();
        listing.containers.truncate(self.longest_list);
        Ok(listing)
    }
    fn images(&mut self) -> Result<Vec<ListedImage>, Error> {
        Ok(self.images.clone())
    }
    fn written_bytes(&mut self, id: &str) -> Option<u64> {
        self.written.iter().find(|(of, _)| *of == id)?.1
    }
    fn disks(&mut self) -> Result<RuntimeDisks, Error> {
        let mut disks = RuntimeDisks::default();
        disks.root.clone_from(&self.root);
        Ok(disks)
    }
    fn unused_volumes(&mut self) -> Result<Vec<ListedVolume>, Error> {
        Ok(self.volumes.clone())
    }
    fn remove_volume(&mut self, _: &str) -> Result<(), Error> {
        Ok(())
    }
    fn prunable_build_cache(&mut self) -> Result<Option<u64>, Error> {
        Ok(Some(3 << 30))
    }
    fn prune_build_cache(&mut self, missing: Option<u64>) -> Result<Option<u64>, Error> {
        self.pruned.push(missing);
        match self.fails.iter().find(|(of, _)| *of == "prune") {
            Some((_, failure)) => Err(Error::new(self.endpoint(), "POST", failure.clone())),
            None => Ok(Some(5 << 28)),
        }
    }
    fn remove_container(&mut self, id: &str) -> Result<(), Error> {
        if self.longest_list < usize::MAX {
            self.listing.containers.retain(|one| *one.id != *id);
        }
        Ok(())
    }
    fn remove_image(&mut self, id: &str) -> Result<(), Error> {
        self.asked.push(id.to_owned());
        match self.fails.iter().find(|(of, _)| *of == id) {
            Some((_, failure)) => Err(Error::new(self.endpoint(), "DELETE", failure.clone())),
            None => Ok(()),
        }
    }
}

fn settings(flags: &[(&str, &str)]) -> Resolved {
    let mut typed = Typed::default();
    for (flag, text) in flags {
        assert!(typed.add(flag, *text), "--{flag}");
    }
    resolve(&typed).unwrap()
}

fn collect(fake: &mut Fake, flags: &[(&str, &str)], what: Collect) -> RuntimeCollected {
    let mut collector = RuntimeCollector::of(&settings(flags), SharedRecords::default());
    let job = Job {
        number: 1,
        what,
        dry_run: false,
    };
    collector.collect(fake, &job, &mut |_| {}).unwrap()
}

fn ids(collected: &RuntimeCollected) -> Vec<&str> {
    collected.removed.iter().map(|one| &*one.id).collect()
}

#[test]
fn a_stopped_container_stays_unless_it_is_replaced_or_its_operator_said_so() {
    // Evicted, and space is needed: the kubelet would remove all of it.
    let what = Collect::Containers {
        all_unused: true,
        evicted: Arc::from([String::from("plain"), String::from("k8s")]),
    };
    let mut fake = Fake::with_dead(&[("plain", false), ("k8s", true)]);
    for flags in [&[][..], &[("compat", "kubelet")]] {
        let collected = collect(&mut fake, flags, what.clone());
        assert_eq!(ids(&collected), ["k8s-0", "k8s-1"], "{flags:?}");
        let staying: Vec<&str> = collected.staying.iter().map(|one| &*one.id).collect();
        assert_eq!(staying, ["plain-0", "plain-1"]);
    }
    let all = [("collect-dead-containers", "all")];
    let collected = collect(&mut fake, &all, what);
    assert_eq!(ids(&collected), ["plain-0", "plain-1", "k8s-0", "k8s-1"]);
    // The regular collection, which keeps the newest.
    let what = Collect::Containers {
        all_unused: false,
        evicted: Arc::from([]),
    };
    assert_eq!(ids(&collect(&mut fake, &[], what)), ["k8s-0"]);
}

/// A list holds 1,024 dead containers at most, and a node may have many more of them.
#[test]
fn what_a_list_had_no_room_for_is_removed_next() {
    let names: Vec<String> = (0..50).map(|at| format!("job-{at}")).collect();
    let pods: Vec<(&str, bool)> = names.iter().map(|name| (&**name, true)).collect();
    let removed = |all_unused, dry_run| {
        let mut fake = Fake::with_dead(&pods);
        fake.longest_list = 8;
        let mut collector = RuntimeCollector::of(&settings(&[]), SharedRecords::default());
        let job = Job {
            number: 1,
            what: Collect::Containers {
                all_unused,
                evicted: Arc::from([]),
            },
            dry_run,
        };
        let collected = collector.collect(&mut fake, &job, &mut |_| {}).unwrap();
        collected.removed.len()
    };
    assert_eq!(removed(true, false), 100, "of thirteen lists");
    assert_eq!(
        removed(true, true),
        8,
        "nothing is removed, so the next list is the same"
    );
    assert_eq!(
        removed(false, false),
        4,
        "the older one of each pair, of one list"
    );
}

/// Acceptance row 375.
#[test]
fn a_dry_run_says_what_a_container_that_stays_wrote() {
    let mut fake = Fake::with_dead(&[("plain", false)]);
    fake.written = vec![("plain-0", Some(680 << 20)), ("plain-1", Some(4 << 10))];
    let staying = |fake: &mut Fake, dry_run| {
        let what = Collect::Containers {
            all_unused: false,
            evicted: Arc::from([]),
        };
        let mut collector = RuntimeCollector::of(&settings(&[]), SharedRecords::default());
        let job = Job {
            number: 1,
            what,
            dry_run,
        };
        let collected = collector.collect(fake, &job, &mut |_| {}).unwrap();
        let bytes: Vec<_> = collected
            .staying
            .iter()
            .map(|one| one.listed_bytes)
            .collect();
        bytes
    };
    assert_eq!(staying(&mut fake, true), [Some(680 << 20), Some(4 << 10)]);
    assert_eq!(staying(&mut fake, false), [None, None], "nobody reads it");
}

#[test]
fn an_image_that_no_registry_has_stays() {
    let images = [
        ("pulled", &["docker.io/pulled@sha256:01"][..]),
        ("built", &[]),
        ("podmans", &["localhost/podmans@sha256:02"]),
    ];
    let mut fake = Fake::with_images(&images);
    let young = ("minimum-image-ttl-duration", "0s");
    let job = || Collect::Images(ImageJob::DeleteUnused { until: None });
    let collected = collect(&mut fake, &[young], job());
    assert_eq!(ids(&collected), ["pulled"]);
    let kubelet = [young, ("compat", "kubelet")];
    let collected = collect(&mut fake, &kubelet, job());
    assert_eq!(ids(&collected), ["pulled", "built", "podmans"]);
}

/// Acceptance row 170.
#[test]
fn a_pattern_that_keeps_no_image_is_told_once() {
    let mut fake = Fake::with_images(&[("docker.io/library/redis", &[])]);
    let flags = [("keep-image", "redis"), ("keep-image", "reddis")];
    let mut collector = RuntimeCollector::of(&settings(&flags), SharedRecords::default());
    let job = Job {
        number: 1,
        what: Collect::Images(ImageJob::Watermark),
        dry_run: false,
    };
    let mut notes = || {
        collector
            .collect(&mut fake, &job, &mut |_| {})
            .unwrap()
            .notes
    };
    let expected = "--keep-image=reddis matches no image at unix:///fake.sock";
    assert_eq!(notes(), [expected]);
    assert_eq!(notes(), [""; 0]);
}

/// Acceptance row 195: what each removal gave back is told where the runtime says it, and
/// what was not measured is not told as 0.
#[test]
fn what_a_removed_container_gave_back_is_told() {
    let what = || Collect::Containers {
        all_unused: true,
        evicted: Arc::from([]),
    };
    let mut fake = Fake::with_dead(&[("web", true), ("db", true)]);
    fake.written = vec![
        ("web-0", Some(12 << 20)),
        ("web-1", Some(0)),
        ("db-0", None),
    ];
    let mut used = ListedContainer::default();
    used.clone_from(&fake.listing.containers[3]);
    used.layer = WritableLayer::Used {
        bytes: 5 << 10,
        inodes: None,
    };
    fake.listing.containers[3] = used;
    let collected = collect(&mut fake, &[], what());
    assert_eq!(
        collected.summary(),
        "removed 4 containers (web: 12Mi, web: 0, db: unknown size, db: 5Ki)"
    );
    fake.written[2].1 = Some(1);
    let told = collect(&mut fake, &[], what()).told();
    assert_eq!(
        told.text,
        "removed 4 containers (web: 12Mi, web: 0, db: 1, db: 5Ki)"
    );
    let field = |name| {
        let mut fields = told.fields.iter();
        let found = fields.find(|(of, _)| *of == name);
        found.map(|(_, value)| value.to_string())
    };
    assert_eq!(field("containerBytes").unwrap(), "\"12582912,0,1,5120\"");
    assert_eq!(field("freedBytes"), None, "no disk was measured");
}

/// Acceptance row 266: a container mounts two images, by an id and by a name in full, which
/// the runtime lists in short, and was made from a third.
#[test]
fn an_image_that_is_mounted_is_in_use() {
    let old = ("minimum-image-ttl-duration", "0s");
    for (compat, stays) in [
        ("evictd,collect-local-images", true),
        ("kubelet", true),
        ("kubelet-1.35", true),
        ("kubelet-1.34.2", false),
        ("kubelet-1.32", false),
    ] {
        let names: [(&str, &[&str]); 4] =
            [("app", &[]), ("model", &[]), ("data", &[]), ("unused", &[])];
        let mut fake = Fake::with_images(&names);
        let mut container = ListedContainer::default();
        container.image = "app".into();
        container.image_volumes = Box::new(["model".into(), "docker.io/library/data:1".into()]);
        container.state = ContainerState::Exited;
        fake.listing.containers.push(container);
        let job = ImageJob::DeleteUnused { until: None };
        let collected = collect(&mut fake, &[old, ("compat", compat)], Collect::Images(job));
        let mut gone = ids(&collected);
        gone.sort_unstable();
        let expected: &[&str] = if stays {
            &["unused"]
        } else {
            &["data", "model", "unused"]
        };
        assert_eq!(gone, expected, "{compat}");
    }
}

/// A runtime on the filesystem that is short, and what is asked of it.
fn short_of_room() -> (Fake, Relief) {
    let mut fake = Fake::with_dead(&[]);
    let root = std::env::temp_dir();
    let device = std::fs::metadata(&root).unwrap().dev();
    fake.root = Some(root);
    let relief = Relief {
        rung: ReliefStep::BuildCache,
        device: (major(device), minor(device)),
        missing: Some(77),
        unit: Unit::Bytes,
    };
    (fake, relief)
}

#[test]
fn build_caches_are_pruned_on_the_disk_that_is_short_alone() {
    let (mut fake, relief) = short_of_room();
    let pruned = collect(&mut fake, &[], Collect::Step(relief)).told();
    assert_eq!(pruned.text, "pruned build caches: 1.2Gi freed");
    assert_eq!(pruned.removed, 1);
    let field = |name| {
        let mut all = pruned.fields.iter();
        all.find(|(of, _)| *of == name)
            .map(|(_, value)| value.to_string())
    };
    assert_eq!(field("rung").as_deref(), Some("\"buildCache\""));
    assert_eq!(field("freedBytes"), Some((5_u64 << 28).to_string()));
    let inodes = Relief {
        unit: Unit::Inodes,
        ..relief
    };
    collect(&mut fake, &[], Collect::Step(inodes));
    assert_eq!(fake.pruned, [Some(77), None]);

    fake.pruned.clear();
    let elsewhere = Relief {
        device: (0, 0),
        ..relief
    };
    let other = Relief {
        rung: ReliefStep::Logs,
        ..relief
    };
    let off = [("compat", "keep-build-cache")];
    for (relief, flags) in [(elsewhere, &[][..]), (other, &[]), (relief, &off)] {
        let told = collect(&mut fake, flags, Collect::Step(relief)).told();
        assert_eq!((told.text.as_str(), told.removed), ("", 0));
    }
    fake.root = None;
    collect(&mut fake, &[], Collect::Step(relief));
    assert_eq!(fake.pruned, []);
}

#[test]
fn a_dry_run_tells_what_could_be_pruned() {
    let (mut fake, relief) = short_of_room();
    let mut collector = RuntimeCollector::of(&settings(&[]), SharedRecords::default());
    let job = Job {
        number: 1,
        what: Collect::Step(relief),
        dry_run: true,
    };
    let done = collector.collect(&mut fake, &job, &mut |_| {}).unwrap();
    let told = done.told();
    assert_eq!(told.text, "would prune build caches: 3Gi at most");
    assert_eq!((told.removed, fake.pruned.len()), (0, 0));
}

/// Acceptance row 300.
#[test]
fn what_volumes_hold_is_told_by_a_dry_run() {
    let mut fake = Fake::with_dead(&[]);
    let mut volume = ListedVolume::default();
    volume.name = "c".repeat(64);
    volume.is_anonymous = true;
    volume.created_nanos = Some(0);
    fake.volumes = vec![volume];
    let mut tell = |flags: &[(&str, &str)], dry_run| {
        let mut collector = RuntimeCollector::of(&settings(flags), SharedRecords::default());
        let what = Collect::Containers {
            all_unused: true,
            evicted: Arc::from([]),
        };
        let job = Job {
            number: 1,
            what,
            dry_run,
        };
        let told = collector
            .collect(&mut fake, &job, &mut |_| {})
            .unwrap()
            .told();
        (told.text, told.removed)
    };
    let on = [("collect-anonymous-volumes", "true")];
    let name = "c".repeat(64);
    let stays = "volumes without a name that no container has hold 0, 1 of them; they stay without \
         --collect-anonymous-volumes";
    assert_eq!(tell(&[], true), (stays.to_owned(), 0));
    assert_eq!(tell(&[], false), (String::new(), 0));
    assert_eq!(
        tell(&on, true),
        (format!("would remove 1 volume ({name}: 0)"), 0)
    );
    assert_eq!(
        tell(&on, false),
        (format!("removed 1 volume ({name}: 0)"), 1)
    );
}
