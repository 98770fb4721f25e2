//! Whatever a node holds: only what nothing refers to, what is old enough and what is to be had
//! elsewhere is removed, as seen by the runtime at the moment of each removal.

use alloc::sync::Arc;

use evictd_containers::{
    ContainerRuntime, ContainerState, Error, ListedContainer, ListedImage, ListedVolume,
    RuntimeListing, RuntimePod,
};
use evictd_engine::ports::{Collect, Job};
use evictd_gc::ImageJob;
use evictd_node::pod::Pod;
use evictd_stats::{wall_nanos, wall_seconds};
use proptest::prelude::*;

use super::super::{ImageRecords, RuntimeCollector, SharedRecords};

const SECOND: i64 = 1_000_000_000;
const CRITICAL: i32 = 2_000_000_000;

/// A container, and of which of the images it was made.
#[derive(Clone, Copy, Debug)]
struct Made {
    state: u8,
    age_seconds: i64,
    image: usize,
    is_replaced: bool,
    is_protected: bool,
}

#[derive(Clone, Copy, Debug)]
struct Image {
    has_digest: bool,
    is_pinned: bool,
    age_seconds: u64,
}

#[derive(Clone, Copy, Debug)]
struct Volume {
    is_anonymous: bool,
    age_seconds: Option<i64>,
}

/// What its operator said.
#[derive(Clone, Copy, Debug)]
struct Said {
    all_containers: bool,
    local_images: bool,
    anonymous_volumes: bool,
}

/// A runtime that looks at each removal.
struct Node {
    containers: Vec<(String, Made)>,
    images: Vec<(String, Image)>,
    volumes: Vec<(String, Volume)>,
    said: Said,
    now: i64,
    /// After so many calls a container is made of that image.
    comes: Option<(usize, usize)>,
    calls: usize,
    wrong: Vec<String>,
}

impl Node {
    /// Takes it away, where that is right.
    fn remove<T: Copy + core::fmt::Debug>(
        all: &mut Vec<(String, T)>,
        id: &str,
        may_go: impl Fn(T) -> bool,
    ) -> Option<String> {
        let place = all.iter().position(|(own, _)| own == id)?;
        let (_, found) = all.remove(place);
        (!may_go(found)).then(|| format!("{id}: {found:?}"))
    }

    /// A call is over: a container may be made now.
    fn pass_time(&mut self) {
        self.calls += 1;
        if let Some((_, image)) = self.comes.filter(|(after, _)| *after == self.calls) {
            let made = Made {
                state: 1,
                age_seconds: 0,
                image,
                is_replaced: true,
                is_protected: false,
            };
            self.containers.push(("new".to_owned(), made));
        }
    }

    fn is_used(&self, image: &str) -> bool {
        let mut containers = self.containers.iter();
        containers.any(|(_, made)| format!("image{}", made.image) == image)
    }
}

impl ContainerRuntime for Node {
    fn endpoint(&self) -> &str {
        "unix:///node.sock"
    }

    fn version(&mut self) -> Result<String, Error> {
        Ok("node 1".to_owned())
    }

    fn list(&mut self) -> Result<RuntimeListing, Error> {
        self.pass_time();
        let mut listing = RuntimeListing::default();
        for (pod_index, (name, made)) in self.containers.iter().enumerate() {
            let mut pod = Pod::default();
            pod.metadata.name.clone_from(name);
            pod.metadata.uid.clone_from(name);
            pod.spec.priority = made.is_protected.then_some(CRITICAL);
            listing.pods.push(RuntimePod {
                pod: Arc::new(pod),
                is_replaced: made.is_replaced,
                ..RuntimePod::default()
            });
            let mut container = ListedContainer::default();
            container.id = name.as_str().into();
            container.name.clone_from(name);
            container.pod = pod_index;
            container.image = format!("image{}", made.image).into();
            container.created_nanos = self.now - made.age_seconds * SECOND;
            container.state = match made.state {
                0 => ContainerState::Created,
                1 => ContainerState::Running,
                2 => ContainerState::Unknown,
                _ => ContainerState::Exited,
            };
            listing.containers.push(container);
        }
        Ok(listing)
    }

    fn images(&mut self) -> Result<Vec<ListedImage>, Error> {
        self.pass_time();
        let listed = self.images.iter().map(|(id, image)| {
            let mut listed = ListedImage::default();
            listed.id.clone_from(id);
            listed.digests = Vec::from_iter(image.has_digest.then(|| format!("hub/{id}@sha256:0")));
            listed.pinned = image.is_pinned;
            listed
        });
        Ok(listed.collect())
    }

    fn unused_volumes(&mut self) -> Result<Vec<ListedVolume>, Error> {
        let listed = self.volumes.iter().map(|(name, volume)| {
            let mut listed = ListedVolume::default();
            listed.name.clone_from(name);
            listed.is_anonymous = volume.is_anonymous;
            listed.created_nanos = volume.age_seconds.map(|age| self.now - age * SECOND);
            listed
        });
        Ok(listed.collect())
    }

    fn remove_container(&mut self, id: &str) -> Result<(), Error> {
        let all = self.said.all_containers;
        let may_go = |made: Made| {
            let has_ended = made.state == 3 || made.state == 0 && made.age_seconds >= 60;
            has_ended && !made.is_protected && (made.is_replaced || all)
        };
        self.wrong
            .extend(Self::remove(&mut self.containers, id, may_go));
        self.pass_time();
        Ok(())
    }

    fn remove_image(&mut self, id: &str) -> Result<(), Error> {
        let (is_used, local) = (self.is_used(id), self.said.local_images);
        let may_go = |image: Image| {
            !is_used && !image.is_pinned && image.age_seconds >= 120 && (image.has_digest || local)
        };
        self.wrong
            .extend(Self::remove(&mut self.images, id, may_go));
        self.pass_time();
        Ok(())
    }

    fn remove_volume(&mut self, id: &str) -> Result<(), Error> {
        let said = self.said.anonymous_volumes;
        let may_go = |volume: Volume| {
            said && volume.is_anonymous && volume.age_seconds.is_some_and(|age| age >= 86_400)
        };
        self.wrong
            .extend(Self::remove(&mut self.volumes, id, may_go));
        self.pass_time();
        Ok(())
    }
}

fn made() -> impl Strategy<Value = Made> {
    let age = prop_oneof![Just(0_i64), Just(59), Just(61), Just(9_000_000)];
    (0_u8..4, age, 0_usize..6, any::<bool>(), any::<bool>()).prop_map(
        |(state, age_seconds, image, is_replaced, is_protected)| Made {
            state,
            age_seconds,
            image,
            is_replaced,
            is_protected,
        },
    )
}

fn image() -> impl Strategy<Value = Image> {
    let age = prop_oneof![Just(0_u64), Just(100), Just(121), Just(9_000_000)];
    (any::<bool>(), any::<bool>(), age).prop_map(|(has_digest, is_pinned, age_seconds)| Image {
        has_digest,
        is_pinned,
        age_seconds,
    })
}

fn volume() -> impl Strategy<Value = Volume> {
    let age = prop_oneof![
        Just(None),
        Just(Some(0)),
        Just(Some(86_300)),
        Just(Some(86_500))
    ];
    (any::<bool>(), age).prop_map(|(is_anonymous, age_seconds)| Volume {
        is_anonymous,
        age_seconds,
    })
}

fn said() -> impl Strategy<Value = Said> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(all, local, volumes)| Said {
        all_containers: all,
        local_images: local,
        anonymous_volumes: volumes,
    })
}

fn named<T: Clone>(kind: &str, all: &[T]) -> Vec<(String, T)> {
    let all = all.iter().enumerate();
    all.map(|(index, one)| (format!("{kind}{index}"), one.clone()))
        .collect()
}

fn settings(said: Said) -> evictd_config::Resolved {
    let which = if said.all_containers {
        "all"
    } else {
        "replaced"
    };
    let compat = match said.local_images {
        true => "collect-local-images",
        false => "evictd",
    };
    let volumes = if said.anonymous_volumes {
        "true"
    } else {
        "false"
    };
    super::settings(&[
        ("collect-dead-containers", which),
        ("compat", compat),
        ("collect-anonymous-volumes", volumes),
    ])
}

/// What each image's age is, as if evictd had looked at those times.
fn seen(node: &Node) -> SharedRecords {
    let mut records = ImageRecords::default();
    let mut ages: Vec<u64> = node
        .images
        .iter()
        .map(|(_, image)| image.age_seconds)
        .collect();
    ages.sort_unstable();
    for age in ages.into_iter().rev() {
        let there = node
            .images
            .iter()
            .filter(|(_, image)| image.age_seconds >= age);
        let there: Vec<(&str, bool)> = there.map(|(id, _)| (id.as_str(), false)).collect();
        records.observe(wall_seconds() - age, node.endpoint(), &there);
    }
    SharedRecords::new(records.into())
}

/// Has such a node collect all it can, twice. Returns what should not have been removed, and
/// whether anything was.
fn collect(mut node: Node, dry_run: bool) -> (Vec<String>, bool) {
    let mut collector = RuntimeCollector::of(&settings(node.said), seen(&node));
    // As if evictd had run for long: an image counts as used until then.
    collector.began_nanos = 0;
    let count = |node: &Node| node.containers.len() + node.images.len() + node.volumes.len();
    let before = count(&node);
    let has_come = node.comes.is_some();
    for number in 0..2 {
        for what in [
            Collect::Containers {
                all_unused: number == 0,
                evicted: Arc::from([String::from("container0")]),
            },
            Collect::Images(ImageJob::DeleteUnused { until: None }),
        ] {
            let job = Job {
                number,
                what,
                dry_run,
            };
            collector.collect(&mut node, &job, &mut |_| {}).unwrap();
        }
    }
    let after =
        count(&node) - usize::from(has_come && node.containers.iter().any(|(id, _)| id == "new"));
    (node.wrong, after < before)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Acceptance row 299.
    #[test]
    fn nothing_is_removed_that_is_used_young_protected_or_only_here(
        containers in prop::collection::vec(made(), 0..6),
        images in prop::collection::vec(image(), 0..6),
        volumes in prop::collection::vec(volume(), 0..4),
        said in said(),
        comes in prop::option::of((1_usize..9, 0_usize..6)),
        dry_run in prop::bool::weighted(0.1),
    ) {
        let node = Node {
            containers: named("container", &containers),
            images: named("image", &images),
            volumes: named("volume", &volumes),
            said,
            now: wall_nanos(),
            comes,
            calls: 0,
            wrong: Vec::new(),
        };
        let (wrong, any) = collect(node, dry_run);
        prop_assert!(wrong.is_empty(), "{wrong:?}");
        prop_assert!(!(dry_run && any), "a dry run removes nothing");
    }
}

/// What the property allows does happen.
#[test]
fn what_may_go_goes() {
    let node = |image: Image| Node {
        containers: Vec::new(),
        images: named("image", &[image]),
        volumes: named(
            "volume",
            &[Volume {
                is_anonymous: true,
                age_seconds: Some(90_000),
            }],
        ),
        said: Said {
            all_containers: false,
            local_images: false,
            anonymous_volumes: true,
        },
        now: wall_nanos(),
        comes: None,
        calls: 0,
        wrong: Vec::new(),
    };
    let old = Image {
        has_digest: true,
        is_pinned: false,
        age_seconds: 9000,
    };
    assert_eq!(collect(node(old), false), (vec![], true));
}
