//! Random collections of images and containers.
//!
//! Whatever there is and whatever comes of each deletion: nothing in use, pinned
//! or kept ever goes, nothing twice, nothing once it is clear or enough is free;
//! no running container, no sandbox that holds something, and each thing is
//! accounted for.
#![no_main]

use core::time::Duration;
use std::collections::HashSet;

use evictd_gc::{
    Container, ContainerPolicy, ContainerRun, ContainerState, Enough, Fate, FoundContainers,
    FsUsage, Image, ImageJob, ImagePolicy, ImageRecord, ImageRecords, ImageRun, Kept, Kind,
    OwningPod, Removal, Sandbox, collect_images, plan_containers,
};
use evictd_node::Policy;
use libfuzzer_sys::fuzz_target;

/// The input, byte by byte; zeros when it is used up.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn below(&mut self, bound: u8) -> u8 {
        self.next() % bound
    }

    fn flag(&mut self) -> bool {
        self.next() & 1 == 1
    }

    /// Mostly small, at times at the very end of the range.
    fn time(&mut self) -> i64 {
        match self.next() {
            255 => i64::MAX,
            254 => i64::MIN,
            small => i64::from(small),
        }
    }

    fn amount(&mut self) -> u64 {
        match self.next() {
            255 => u64::MAX,
            small => u64::from(small),
        }
    }
}

fn image(bytes: &mut Bytes<'_>) -> Image {
    let kind = bytes.next();
    Image {
        size_bytes: bytes.amount(),
        record: bytes.flag().then(|| ImageRecord {
            first_detected_nanos: bytes.time(),
            last_used_nanos: bytes.flag().then(|| bytes.time()),
        }),
        in_use: kind & 7 == 1,
        pinned: kind & 7 == 2,
        kept: kind & 7 == 3,
        only_here: kind & 7 == 4,
    }
}

fn usage(bytes: &mut Bytes<'_>) -> FsUsage {
    FsUsage {
        capacity_bytes: bytes.amount(),
        available_bytes: bytes.amount(),
        inodes: bytes.amount(),
        inodes_free: bytes.amount(),
    }
}

fn switches(bytes: &mut Bytes<'_>) -> Policy {
    let kind = bytes.next();
    Policy {
        image_gc_counts_listed_sizes: kind & 1 != 0,
        image_gc_ignores_inodes: kind & 2 != 0,
        never_used_image_is_oldest: kind & 4 != 0,
        max_image_age_waits_for_uptime: kind & 8 != 0,
        failed_image_removal_ends_gc: kind & 16 != 0,
        dead_container_age_from_creation: kind & 32 != 0,
        ..Policy::default()
    }
}

/// Whether the space and inodes that a filesystem has left call for nothing.
fn is_enough(usage: FsUsage, percent: i64) -> bool {
    let enough = |capacity: u64, free: u64| {
        let wanted =
            u128::from(capacity) * u128::try_from(100 - percent).expect("a percentage") / 100;
        u128::from(free.min(capacity)) >= wanted
    };
    enough(usage.capacity_bytes, usage.available_bytes) && enough(usage.inodes, usage.inodes_free)
}

fn images(bytes: &mut Bytes<'_>) {
    let switches = switches(bytes);
    let high = i64::from(bytes.below(101));
    let policy = ImagePolicy {
        high_percent: high,
        low_percent: high.min(i64::from(bytes.below(101))),
        min_age: Duration::from_nanos(bytes.amount()),
        max_age: bytes.flag().then(|| Duration::from_nanos(bytes.amount())),
    };
    assert_eq!(policy.check(), Ok(()));
    let run = ImageRun {
        job: if bytes.flag() {
            ImageJob::Watermark
        } else {
            let until = match bytes.below(3) {
                0 => None,
                1 => Some(Enough::Bytes(bytes.amount())),
                _ => Some(Enough::Inodes(bytes.amount())),
            };
            ImageJob::DeleteUnused { until }
        },
        policy,
        switches: &switches,
        now_nanos: bytes.time(),
        began_nanos: bytes.time(),
    };
    let mut known = bytes.flag().then(|| usage(bytes));
    let all: Vec<Image> = (0..bytes.below(12)).map(|_| image(bytes)).collect();
    let mut tried = HashSet::new();
    let (mut removed, mut is_clear, mut is_lost) = (0, false, false);
    let summary = collect_images(&all, known, &run, &mut |deletion| {
        let image = &all[deletion.index];
        assert!(!(image.in_use || image.pinned || image.kept || image.only_here));
        assert!(tried.insert(deletion.index), "twice");
        assert!(!is_clear && !is_lost, "after it was clear or lost");
        if deletion.reason.contains("maximum age") {
            assert!(policy.max_age.is_some() && run.job == ImageJob::Watermark);
        } else if run.job == ImageJob::Watermark && !switches.image_gc_counts_listed_sizes {
            let usage = known.expect("nothing goes for space that nobody measured");
            assert!(!is_enough(usage, policy.low_percent), "{usage:?}");
        }
        is_lost = bytes.below(16) == 15;
        if is_lost {
            return None;
        }
        let is_gone = bytes.flag();
        let usage = bytes.flag().then(|| usage(bytes));
        if is_gone {
            removed += 1;
            let freed = |mut usage: FsUsage| {
                usage.available_bytes = usage.available_bytes.saturating_add(image.size_bytes);
                usage
            };
            known = usage.or(known.map(freed));
        }
        is_clear = match (run.job, usage) {
            (
                ImageJob::DeleteUnused {
                    until: Some(Enough::Bytes(wanted)),
                },
                Some(usage),
            ) => usage.available_bytes >= wanted,
            (
                ImageJob::DeleteUnused {
                    until: Some(Enough::Inodes(wanted)),
                },
                Some(usage),
            ) => usage.inodes_free >= wanted,
            _ => false,
        };
        Some(Removal { is_gone, usage })
    });
    assert_eq!(summary.removed, removed);
    // Each image is either gone or kept for a reason.
    let mut kept = HashSet::new();
    for one in &summary.kept {
        assert!(kept.insert(one.index));
        let failed = one.reason == Kept::RemovalFailed;
        assert_eq!(failed, tried.contains(&one.index));
    }
    assert_eq!(kept.len() + removed, all.len());
    let held = summary.held(&all);
    assert_eq!(
        held.iter().map(|held| held.images).sum::<usize>(),
        kept.len()
    );
    if run.job != ImageJob::Watermark && !is_clear && !is_lost {
        assert!(summary.kept.iter().all(|one| one.reason != Kept::NotNeeded));
    }
}

const NAMES: [&str; 3] = ["a", "b", "c"];
const IDS: [&str; 4] = ["s0", "s1", "s2", "s3"];
const LOGS: [&str; 4] = ["ns_name_s0", "s1", "_", "x_s2"];

fn containers(bytes: &mut Bytes<'_>) {
    let switches = switches(bytes);
    let fates = [Fate::Stays, Fate::Ended, Fate::Gone];
    let pods = IDS.map(|uid| OwningPod {
        uid,
        fate: fates[usize::from(bytes.below(3))],
    });
    let all: Vec<Container<'_>> = (0..bytes.below(20))
        .map(|_| Container {
            name: NAMES[usize::from(bytes.below(3))],
            pod: usize::from(bytes.below(5)),
            sandbox: bytes.flag().then(|| IDS[usize::from(bytes.below(4))]),
            state: match bytes.below(4) {
                0 => ContainerState::Running,
                1 => ContainerState::Unknown,
                _ => ContainerState::Dead,
            },
            created_nanos: bytes.time(),
            finished_nanos: bytes.flag().then(|| bytes.time()),
            attempt: u32::from(bytes.next()),
        })
        .collect();
    let sandboxes: Vec<Sandbox<'_>> = (0..bytes.below(5))
        .map(|_| Sandbox {
            id: IDS[usize::from(bytes.below(4))],
            pod: usize::from(bytes.below(5)),
            ready: bytes.flag(),
            created_nanos: bytes.time(),
            attempt: u32::from(bytes.next()),
        })
        .collect();
    let found = FoundContainers {
        pods: &pods,
        containers: &all,
        sandboxes: &sandboxes,
        log_dirs: &LOGS,
    };
    let run = ContainerRun {
        all_unused: !bytes.flag(),
        policy: ContainerPolicy {
            min_age: Duration::from_nanos(bytes.amount()),
            max_per_pod_container: bytes.flag().then(|| usize::from(bytes.below(5))),
            max_containers: bytes.flag().then(|| usize::from(bytes.below(9))),
        },
        switches: &switches,
        all_pods_known: bytes.flag(),
        now_nanos: bytes.time(),
    };
    let plan = plan_containers(&found, &run);
    let mut goes = HashSet::new();
    let mut seen = HashSet::new();
    for deletion in &plan {
        assert!(
            seen.insert(format!("{:?} {}", deletion.kind, deletion.index)),
            "twice"
        );
        let index = deletion.index;
        match deletion.kind {
            Kind::Container => {
                assert!(all[index].state != ContainerState::Running);
                goes.insert(index);
            }
            Kind::Sandbox => {
                let sandbox = &sandboxes[index];
                assert!(!sandbox.ready);
                let inside = |(place, one): &(usize, &Container<'_>)| {
                    one.sandbox == Some(sandbox.id) && !goes.contains(place)
                };
                assert!(
                    !all.iter().enumerate().any(|one| inside(&one)),
                    "it holds one"
                );
            }
            Kind::PodLogs => {
                assert!(run.all_pods_known);
                let gone =
                    |pod: &OwningPod<'_>| pod.fate == Fate::Gone && LOGS[index].ends_with(pod.uid);
                assert!(pods.iter().any(gone));
            }
            other => panic!("{other:?} in a plan of containers"),
        }
    }
    if run.policy.max_per_pod_container.is_none() && run.policy.max_containers.is_none() {
        let fate = |index: &usize| pods.get(all[*index].pod).map(|pod| pod.fate);
        assert!(
            goes.iter()
                .all(|index| fate(index).is_some_and(|fate| fate != Fate::Stays))
        );
    }
}

/// What was kept of them; what has a time that lies ahead is dropped.
fn restored(looked_at: u64, records: &ImageRecords) -> ImageRecords {
    let texts: Vec<(String, String)> = records.texts().collect();
    let texts = texts.iter().map(|(key, text)| (&**key, &**text));
    ImageRecords::restore(looked_at, texts)
}

/// No time lies ahead of the last look, whatever the clock does.
fn records(bytes: &mut Bytes<'_>) {
    let mut records = ImageRecords::default();
    for _ in 0..bytes.below(10) {
        let now = match bytes.next() {
            255 => u64::MAX,
            exponent => 1_u64.checked_shl(u32::from(exponent)).unwrap_or(0),
        };
        let images: Vec<(&str, bool)> = (0..bytes.below(6))
            .map(|_| (IDS[usize::from(bytes.below(4))], bytes.flag()))
            .collect();
        let runtime = if bytes.flag() { "one" } else { "two" };
        records.observe(now, runtime, &images);
        let later = now.saturating_add(bytes.amount());
        let id = IDS[usize::from(bytes.below(4))];
        let known = records.get(id).is_some();
        if bytes.flag() {
            records.note_used(later, &mut core::iter::once(id));
            assert_eq!(records.get(id).is_some(), known);
            assert_eq!(records.looked_at(), later);
            assert_eq!(restored(later, &records), records);
            continue;
        }
        assert_eq!(records.looked_at(), now);
        assert_eq!(restored(now, &records), records);
        for (id, in_use) in &images {
            let record = records.get(id).expect("it was seen");
            if *in_use {
                let now = i64::try_from(now)
                    .unwrap_or(i64::MAX)
                    .saturating_mul(1_000_000_000);
                assert_eq!(record.last_used_nanos, Some(now));
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes(bytes);
    match bytes.below(3) {
        0 => images(&mut bytes),
        1 => containers(&mut bytes),
        _ => records(&mut bytes),
    }
});
