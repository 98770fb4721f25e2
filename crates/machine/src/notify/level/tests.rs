use evictd_threshold::{Lists, parse};

use super::*;

const MIB: u64 = 1 << 20;

fn thresholds() -> Vec<Threshold> {
    parse(&Lists {
        hard: "memory.available<100Mi",
        soft: "memory.available<300Mi",
        soft_grace_period: "memory.available=30s",
        ..Lists::default()
    })
    .unwrap()
}

/// Of a machine of 1000 MiB, all in MiB.
fn wanted(usage: u64, inactive_file: u64) -> Wanted {
    let mut used = MemoryUsage::default();
    used.usage_bytes = usage * MIB;
    used.inactive_file_bytes = inactive_file * MIB;
    let available = (1000 - usage + inactive_file) * MIB;
    let reading = Reading {
        available: i64::try_from(available).unwrap(),
        capacity: 1000 << 20,
        sampled: None,
    };
    Wanted::choose(used, &reading, thresholds().iter())
}

#[test]
fn the_level_guards_while_no_page_cache_can_matter_and_is_the_kubelets_then() {
    for (what, usage, inactive_file, guards, levels) in [
        ("nothing used", 0, 0, true, &[700][..]),
        ("much cache, below all", 699, 600, true, &[700]),
        ("cache may go", 700, 50, false, &[950, 750]),
        ("as full as it gets", 1000, 400, false, &[1300, 1100]),
        ("the soft one is met", 800, 50, false, &[950]),
        ("both are met", 960, 10, false, &[]),
    ] {
        let found = wanted(usage, inactive_file);
        let mut in_mib: Vec<u64> = found.levels().iter().map(|level| level / MIB).collect();
        in_mib.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!((found.guards, &in_mib[..]), (guards, levels), "{what}");
    }
}

#[test]
fn little_moves_are_not_worth_asking_again() {
    let set = wanted(800, 250);
    for (what, now, near) in [
        ("the same", wanted(800, 250), true),
        ("grown, the cache is what it was", wanted(900, 250), true),
        ("4 MiB less of cache", wanted(800, 246), true),
        ("5 MiB less", wanted(800, 245), false),
        ("one is met", wanted(960, 250), false),
        ("below all", wanted(600, 250), false),
    ] {
        assert_eq!(now.is_near(&set), near, "{what}");
    }
}

#[test]
fn what_is_not_observed_has_no_level() {
    for signal in [Signal::MemoryAvailable, Signal::AllocatableMemoryAvailable] {
        let found = Wanted::of(signal, &NodeSample::default(), &thresholds());
        assert_eq!(found, Wanted::default());
    }
}
