use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use evictd_node::Policy;

use crate::*;

const NOW: i64 = 1_795_179_906_000_000_000;
const HOUR: u64 = 3600;
const DELETE_UNUSED: ImageJob = ImageJob::DeleteUnused { until: None };

/// `SIZE [first=AGE] [last=AGE] [used] [pinned] [kept] [only]`, ages in seconds.
fn image(text: &str) -> Image {
    let mut words = text.split(' ');
    let mut image = Image {
        size_bytes: words.next().unwrap().parse().unwrap(),
        ..Image::default()
    };
    let mut record = ImageRecord {
        first_detected_nanos: NOW,
        last_used_nanos: None,
    };
    for word in words {
        let ago = |age: &str| NOW - age.parse::<i64>().unwrap() * 1_000_000_000;
        match word.split_once('=') {
            Some(("first", age)) => record.first_detected_nanos = ago(age),
            Some(("last", age)) => record.last_used_nanos = Some(ago(age)),
            _ => match word {
                "used" => image.in_use = true,
                "pinned" => image.pinned = true,
                "kept" => image.kept = true,
                "only" => image.only_here = true,
                other => panic!("{other}"),
            },
        }
        image.record = Some(record);
    }
    image
}

fn images(texts: &[&str]) -> Vec<Image> {
    texts.iter().map(|text| image(text)).collect()
}

/// That much of 1000 bytes and 1000 inodes is free.
fn free(bytes: u64, inodes: u64) -> FsUsage {
    FsUsage {
        capacity_bytes: 1000,
        available_bytes: bytes,
        inodes: 1000,
        inodes_free: inodes,
    }
}

fn run(job: ImageJob, switches: &Policy) -> ImageRun<'_> {
    ImageRun {
        job,
        policy: ImagePolicy::default(),
        switches,
        now_nanos: NOW,
        began_nanos: NOW,
    }
}

/// Runs a collection in which each deletion frees so many bytes and inodes for
/// every byte listed, in percent; returns which were removed, and the summary.
fn collect(
    images: &[Image],
    usage: FsUsage,
    run: ImageRun<'_>,
    percent: (u64, u64),
) -> (Vec<usize>, ImageSummary) {
    let (deletions, summary) = delete(images, usage, run, percent);
    let removed = deletions.iter().map(|deletion| deletion.index).collect();
    (removed, summary)
}

/// Deletes and returns the deletions, with their reasons.
fn delete(
    images: &[Image],
    usage: FsUsage,
    run: ImageRun<'_>,
    percent: (u64, u64),
) -> (Vec<Deletion>, ImageSummary) {
    let mut left = usage;
    let mut went = Vec::new();
    let summary = collect_images(images, Some(usage), &run, &mut |deletion| {
        let size = images[deletion.index].size_bytes;
        left.available_bytes += size * percent.0 / 100;
        left.inodes_free += size * percent.1 / 100;
        went.push(deletion);
        removed(Some(left))
    });
    (went, summary)
}

/// An image is gone.
const fn removed(usage: Option<FsUsage>) -> Option<Removal> {
    let is_gone = true;
    Some(Removal { is_gone, usage })
}

/// An image could not be removed.
const FAILED: Option<Removal> = Some(Removal {
    is_gone: false,
    usage: None,
});

/// Runs a collection in which each deletion leaves the filesystem so; returns which there
/// were.
fn leaving(
    images: &[Image],
    usage: Option<FsUsage>,
    run: &ImageRun<'_>,
    after: &[Option<FsUsage>],
) -> (Vec<Deletion>, ImageSummary) {
    let mut went = Vec::new();
    let summary = collect_images(images, usage, run, &mut |deletion| {
        went.push(deletion);
        removed(after[went.len() - 1])
    });
    (went, summary)
}

/// Why each image stays, by index.
fn kept(summary: &ImageSummary) -> Vec<String> {
    let kept = summary.kept.iter();
    kept.map(|one| format!("{}: {}", one.index, one.reason))
        .collect()
}

#[test]
fn above_the_high_threshold_images_go_down_to_the_low_one() {
    let all = images(&[
        "100 first=9000 last=100",
        "100 first=8000 last=7000",
        "100 first=9000",
        "100 first=9000 last=7000",
    ]);
    let ours = Policy::default();
    let kubelet = Policy::kubelet();
    for (name, available, switches, expected) in [
        ("84 percent", 160, &ours, &[][..]),
        ("85 percent", 150, &ours, &[2]),
        ("84.1 percent counts as 85", 159, &ours, &[2]),
        ("100 to go", 100, &ours, &[2]),
        (
            "101 to go, of two last used alike the elder first",
            99,
            &ours,
            &[2, 3],
        ),
        ("everything", 0, &ours, &[2, 3]),
        ("as the kubelet", 99, &kubelet, &[2, 3]),
    ] {
        let run = run(ImageJob::Watermark, switches);
        let (went, summary) = collect(&all, free(available, 900), run, (100, 0));
        assert_eq!(went, expected, "{name}");
        assert_eq!(summary.error, None, "{name}");
    }
}

/// Decision D39: what an image is listed with says little about what becomes free.
#[test]
fn what_became_free_is_what_counts() {
    let all = images(&[
        "100 first=900",
        "100 first=800",
        "100 first=700",
        "100 first=600",
    ]);
    let (ours, kubelet) = (Policy::default(), Policy::kubelet());
    for (name, percent, switches, expected, freed, error) in [
        ("shared layers, ours", 30, &ours, 4, 120, false),
        ("hardly anything, ours", 20, &ours, 4, 80, true),
        ("shared layers, kubelet", 30, &kubelet, 1, 30, false),
        ("more than listed, ours", 150, &ours, 1, 150, false),
        ("nothing at all, ours", 0, &ours, 4, 0, true),
        ("half, ours", 50, &ours, 2, 100, false),
    ] {
        let run = run(ImageJob::Watermark, switches);
        let (went, summary) = collect(&all, free(100, 900), run, (percent, 0));
        assert_eq!(went.len(), expected, "{name}");
        assert_eq!(summary.freed_bytes, freed, "{name}");
        assert_eq!(
            summary.listed_bytes,
            100 * u64::try_from(went.len()).unwrap(),
            "{name}"
        );
        assert_eq!(summary.error.is_some(), error, "{name}");
    }
}

#[test]
fn others_may_free_or_fill_the_disk_meanwhile() {
    let all = images(&["100 first=900", "100 first=800"]);
    let ours = Policy::default();
    let run = run(ImageJob::Watermark, &ours);
    let after = [Some(free(200, 900))];
    let (went, summary) = leaving(&all, Some(free(0, 900)), &run, &after);
    assert_eq!((went[0].index, summary.error), (0, None));

    // The second is not measured: what is listed counts.
    let after = [Some(free(10, 900)), None];
    let (went, summary) = leaving(&all, Some(free(50, 900)), &run, &after);
    assert_eq!(went.len(), 2);
    assert_eq!((summary.freed_bytes, summary.listed_bytes), (60, 200));
    assert_eq!(
        summary.error.unwrap().to_string(),
        "Insufficient free disk space on the node's image filesystem (95% of 1000 B used). \
         Failed to free sufficient space by deleting unused images (freed 60 bytes). Investigate \
         disk usage, as it could be used by active images, logs, volumes, or other data."
    );
    let older = Policy {
        image_gc_error_tells_amounts_only: true,
        ..ours
    };
    let run = ImageRun {
        switches: &older,
        ..run
    };
    let (_, summary) = leaving(&all, Some(free(50, 900)), &run, &after);
    assert_eq!(
        summary.error.unwrap().to_string(),
        "Failed to garbage collect required amount of images. Attempted to free 150 bytes, but \
         only found 60 bytes eligible to free."
    );
}

/// As Go prints them: a digit behind the point, halves to the even one.
#[test]
fn sizes_are_told_as_people_read_them() {
    for (capacity, shown) in [
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1088, "1.1 KiB"),
        (1280, "1.2 KiB"),
        (1792, "1.8 KiB"),
        ((1 << 20) - 1, "1024.0 KiB"),
        (10_000_000_000, "9.3 GiB"),
        (u64::MAX, "16.0 EiB"),
    ] {
        let shortage = Shortage {
            wanted: 1,
            found: 0,
            of_inodes: false,
            percent_used: 100,
            capacity,
            tells_amounts_only: false,
        };
        let text = ImageGcError::NotEnough(shortage).to_string();
        assert!(text.contains(&format!("(100% of {shown} used)")), "{text}");
    }
}

/// Decision D40.
#[test]
fn inodes_count_at_the_same_percentages() {
    let all = images(&["100 first=900", "100 first=800", "100 first=700"]);
    let (ours, kubelet) = (Policy::default(), Policy::kubelet());
    for (name, bytes, inodes, switches, expected) in [
        ("few inodes", 900, 100, &ours, &[0][..]),
        ("few inodes, kubelet", 900, 100, &kubelet, &[]),
        (
            "bytes between the thresholds are no reason",
            170,
            50,
            &ours,
            &[0, 1],
        ),
        ("both", 150, 0, &ours, &[0, 1]),
        ("enough of both", 300, 160, &ours, &[]),
    ] {
        let run = run(ImageJob::Watermark, switches);
        let (went, summary) = collect(&all, free(bytes, inodes), run, (100, 100));
        assert_eq!(went, expected, "{name}");
        assert_eq!(
            summary.freed_inodes,
            100 * i64::try_from(went.len()).unwrap(),
            "{name}"
        );
    }
    let reason = |usage| {
        let run = run(ImageJob::Watermark, &ours);
        let (deletions, _) = delete(&all, usage, run, (100, 100));
        deletions[0].reason.clone()
    };
    assert_eq!(
        reason(free(900, 99)),
        "least recently used; 91% of the inodes used, to become 80%"
    );
    assert_eq!(
        reason(free(99, 99)),
        "least recently used; 91% of the space used, to become 80%"
    );
    let none = FsUsage {
        inodes: 0,
        inodes_free: 0,
        ..free(900, 0)
    };
    let (went, summary) = collect(&all, none, run(ImageJob::Watermark, &ours), (0, 0));
    assert!(
        went.is_empty() && summary.error.is_none(),
        "inodes are not counted"
    );
    let (_, summary) = collect(&all, free(900, 0), run(ImageJob::Watermark, &ours), (0, 30));
    assert_eq!(
        summary.error.unwrap().to_string(),
        "Insufficient free inodes on the node's image filesystem (100% of 1000 used). Failed to \
         free sufficient inodes by deleting unused images (freed 90 inodes). Investigate disk \
         usage, as it could be used by active images, logs, volumes, or other data."
    );
}

/// Decision D38.
#[test]
fn a_never_used_image_ages_from_when_it_was_detected() {
    let all = images(&[
        "1 first=90000",
        "1 first=1000",
        "1 first=90000 last=3601",
        "1 first=90000 last=3600",
        "1 first=90000 last=3601 used",
    ]);
    let (ours, kubelet) = (Policy::default(), Policy::kubelet());
    for (name, switches, up, expected) in [
        ("ours", &ours, 0, &[0, 2][..]),
        ("kubelet, up for long", &kubelet, 3601, &[0, 1, 2]),
        (
            "kubelet, not up for longer than the age",
            &kubelet,
            3600,
            &[],
        ),
    ] {
        let mut run = run(ImageJob::Watermark, switches);
        run.policy.max_age = Some(Duration::from_secs(HOUR));
        run.began_nanos = NOW - up * 1_000_000_000;
        let (deletions, _) = delete(&all, free(900, 900), run, (100, 0));
        let expected = expected.iter().map(|index| Deletion {
            kind: Kind::Image,
            index: *index,
            reason: "not used for longer than the maximum age".to_string(),
        });
        assert_eq!(deletions, expected.collect::<Vec<_>>(), "{name}");
    }
    // And goes after those that were used before that.
    let all = images(&["500 first=5000", "500 first=9000 last=6000"]);
    for (switches, expected) in [(&ours, 1), (&kubelet, 0)] {
        let (went, _) = collect(
            &all,
            free(0, 900),
            run(ImageJob::Watermark, switches),
            (100, 0),
        );
        assert_eq!(went, [expected]);
    }
}

#[test]
fn what_is_protected_stays_whatever_happens() {
    let all = images(&[
        "100 first=90000 used",
        "100 first=90000 pinned",
        "100 first=90000 kept",
        "100 first=90000 only",
        "100 first=90000 last=0",
        "100 first=90000 last=-5",
        "100 first=119",
        "100",
        "100 first=120",
    ]);
    let expected = [
        "0: in use",
        "1: pinned",
        "2: kept by a pattern",
        "3: exists only here: no registry is known to have it",
        "4: used just now",
        "5: used just now",
        "6: younger than the minimum age",
        "7: younger than the minimum age",
    ];
    let (ours, kubelet) = (Policy::default(), Policy::kubelet());
    for switches in [&ours, &kubelet] {
        for job in [ImageJob::Watermark, DELETE_UNUSED] {
            let (went, summary) = collect(&all, free(0, 900), run(job, switches), (100, 0));
            assert_eq!(went, [8]);
            assert_eq!(kept(&summary), expected);
            assert_eq!(summary.removed, 1);
        }
    }
    let summary = collect(
        &all,
        free(0, 900),
        run(ImageJob::Watermark, &ours),
        (100, 0),
    )
    .1;
    assert_eq!(
        summary.held(&all)[0],
        Held {
            reason: Kept::JustUsed,
            images: 2,
            listed_bytes: 200
        }
    );
}

/// Decision D15.
#[test]
fn before_an_eviction_all_unused_images_go_or_until_it_is_clear() {
    let all = images(&["100 first=900", "100 first=800", "100 first=700 last=600"]);
    let ours = Policy::default();
    let until = |enough| ImageJob::DeleteUnused {
        until: Some(enough),
    };
    for (job, expected) in [
        (DELETE_UNUSED, 3),
        (until(Enough::Bytes(100)), 1),
        (until(Enough::Bytes(101)), 2),
        (until(Enough::Inodes(300)), 1),
        (until(Enough::Inodes(301)), 3),
        (ImageJob::Watermark, 2),
    ] {
        let after = [100, 200, 300].map(|bytes| Some(free(bytes, 300)));
        let run = run(job, &ours);
        let (_, summary) = leaving(&all, Some(free(0, 300)), &run, &after);
        assert_eq!(
            (summary.removed, summary.error),
            (expected, None),
            "{job:?}"
        );
        let rest = summary.kept.iter();
        assert!(rest.clone().all(|one| one.reason == Kept::NotNeeded));
        assert_eq!(rest.count() + expected, 3);
    }
    // The use of the disk is no condition for it.
    let run = run(DELETE_UNUSED, &ours);
    let (went, summary) = leaving(&all, None, &run, &[None; 3]);
    assert_eq!(went[0].reason, "no container uses it");
    assert_eq!(summary.freed_bytes, 0);
}

#[test]
fn a_runtime_that_is_lost_ends_the_run() {
    let all = images(&["100 first=900", "100 first=800"]);
    let ours = Policy::default();
    for job in [DELETE_UNUSED, ImageJob::Watermark] {
        let run = run(job, &ours);
        let summary = collect_images(&all, Some(free(0, 900)), &run, &mut |_| None);
        assert_eq!((summary.removed, summary.error), (0, None));
        let expected = ["0: removal failed", "1: not needed: enough is free"];
        assert_eq!(kept(&summary), expected);
    }
}

#[test]
fn a_failed_removal_costs_that_image_only() {
    let all = images(&["100 first=9000", "100 first=8000", "100 first=7000"]);
    let ours = Policy::default();
    let fail_first = |run, usage| {
        let mut tried = Vec::new();
        let mut left: FsUsage = usage;
        let summary = collect_images(&all, Some(usage), &run, &mut |deletion| {
            tried.push(deletion.index);
            if tried.len() == 1 {
                return FAILED;
            }
            left.available_bytes += 100;
            removed(Some(left))
        });
        (tried, summary.error.map(|error| error.to_string()), summary)
    };
    let (tried, error, summary) = fail_first(run(ImageJob::Watermark, &ours), free(100, 900));
    assert_eq!(tried, [0, 1]);
    assert_eq!(
        error.unwrap(),
        "wanted to free 100 bytes, but freed 100 bytes space with errors in image deletion"
    );
    assert_eq!(
        kept(&summary),
        ["0: removal failed", "2: not needed: enough is free"]
    );
    let (tried, error, _) = fail_first(run(DELETE_UNUSED, &ours), free(100, 900));
    assert_eq!(tried, [0, 1, 2]);
    assert_eq!(
        error.unwrap(),
        "wanted to free 9223372036854775807 bytes, but freed 200 bytes space with errors in \
         image deletion"
    );
}

#[test]
fn a_failed_removal_of_an_old_image_ends_the_kubelets_run() {
    let (ours, kubelet) = (Policy::default(), Policy::kubelet());
    let all = images(&[
        "100 first=9000 last=9000",
        "100 first=8000 last=8000",
        "100 first=7000 last=7000",
    ]);
    for (switches, expected) in [(&ours, &[0, 1, 2][..]), (&kubelet, &[0, 1])] {
        let mut run = run(ImageJob::Watermark, switches);
        run.policy.max_age = Some(Duration::from_secs(7500));
        run.began_nanos = 0;
        let mut tried = Vec::new();
        let summary = collect_images(&all, Some(free(0, 900)), &run, &mut |deletion| {
            tried.push(deletion.index);
            if deletion.index == 0 {
                return FAILED;
            }
            removed(Some(free(100, 900)))
        });
        assert_eq!(tried, expected);
        let error = summary.error.unwrap();
        if switches.failed_image_removal_ends_gc {
            assert_eq!(
                error.to_string(),
                "wanted to free images older than 2h5m0s, encountered errors in image deletion"
            );
        }
    }
}

#[test]
fn odd_filesystems_end_the_run() {
    let all = images(&["100 first=9000 last=8000"]);
    let ours = Policy::default();
    let error = |usage: Option<FsUsage>| {
        let (went, summary) = leaving(&all, usage, &run(ImageJob::Watermark, &ours), &[]);
        assert_eq!(went, []);
        summary.error
    };
    let of = |capacity_bytes, available_bytes| {
        Some(FsUsage {
            capacity_bytes,
            available_bytes,
            ..FsUsage::default()
        })
    };
    for (name, usage, expected) in [
        ("unknown", None, Some(ImageGcError::NoUsage)),
        ("no room", of(0, 0), Some(ImageGcError::InvalidCapacity)),
        ("more free than there is", of(1, 2), None),
        ("huge", of(u64::MAX, u64::MAX / 2), None),
    ] {
        assert_eq!(error(usage), expected, "{name}");
    }
    // Old ones go before that.
    let mut run = run(ImageJob::Watermark, &ours);
    run.policy.max_age = Some(Duration::from_secs(60));
    let (went, summary) = leaving(&all, None, &run, &[None]);
    assert_eq!(went.len(), 1);
    assert_eq!(summary.error, Some(ImageGcError::NoUsage));
    let huge = of(u64::MAX, 0);
    let run = self::run(ImageJob::Watermark, &ours);
    let (went, summary) = collect(&all, huge.unwrap(), run, (100, 0));
    assert_eq!(went, [0]);
    assert!(summary.error.is_some());
}

#[test]
fn a_policy_is_checked_in_the_kubelets_words() {
    let policy = |high_percent, low_percent| ImagePolicy {
        high_percent,
        low_percent,
        ..ImagePolicy::default()
    };
    for (high, low, expected) in [
        (85, 80, None),
        (80, 80, None),
        (0, 0, None),
        (
            101,
            80,
            Some("invalid HighThresholdPercent 101, must be in range [0-100]"),
        ),
        (
            85,
            -1,
            Some("invalid LowThresholdPercent -1, must be in range [0-100]"),
        ),
        (
            80,
            85,
            Some("LowThresholdPercent 85 can not be higher than HighThresholdPercent 80"),
        ),
    ] {
        let error = policy(high, low).check().err();
        assert_eq!(error.as_deref(), expected);
    }
}

#[test]
fn runs_that_reach_nothing_become_rare() {
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let mut backoff = Backoff::default();
    assert_eq!(backoff.pause(minutes(5)), minutes(5));
    let pauses = [10, 20, 40, 60, 60];
    for (failures, expected) in pauses.into_iter().enumerate() {
        assert_eq!(backoff.ended(false), failures == 0);
        assert_eq!(backoff.pause(minutes(5)), minutes(expected));
    }
    for _ in 0..70 {
        backoff.ended(false);
    }
    assert_eq!(backoff.pause(minutes(5)), minutes(60));
    assert_eq!(backoff.pause(minutes(90)), minutes(90));
    assert!(backoff.ended(true) && !backoff.ended(true));
    assert_eq!(backoff.pause(minutes(5)), minutes(5));
}
