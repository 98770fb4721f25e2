extern crate alloc;

use alloc::vec::Vec;

use crate::timing::recorder::short;
use crate::timing::{BOUNDS, Histogram};

fn of(all: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    all.iter().for_each(|nanos| histogram.record(*nanos));
    histogram
}

/// The bound under which one duration is counted; `None` beyond the last.
fn bound_of(nanos: u64) -> Option<u64> {
    let histogram = of(&[nanos]);
    let found = histogram.bounds().find(|(_, within)| *within == 1);
    found.map(|(bound, _)| bound)
}

#[test]
fn a_bound_belongs_to_what_is_within() {
    for (nanos, bound) in [
        (0, Some(1 << 10)),
        (1, Some(1 << 10)),
        (1024, Some(1 << 10)),
        (1025, Some(1 << 11)),
        (2048, Some(1 << 11)),
        (1_000_000, Some(1 << 20)),
        (1 << 35, Some(1 << 35)),
        ((1 << 35) + 1, None),
        (u64::MAX, None),
    ] {
        assert_eq!(bound_of(nanos), bound, "{nanos}");
    }
}

#[test]
fn bounds_count_up() {
    let histogram = of(&[500, 1500, 1500, 3000, u64::MAX]);
    let all: Vec<(u64, u64)> = histogram.bounds().collect();
    assert_eq!(all.len(), BOUNDS);
    assert_eq!(all[..4], [(1024, 1), (2048, 3), (4096, 4), (8192, 4)]);
    assert_eq!(all.last(), Some(&(1 << 35, 4)));
    assert_eq!(histogram.count(), 5);
    assert_eq!(histogram.sum(), u64::MAX);
    assert_eq!(histogram.max(), u64::MAX);
}

#[test]
fn percentiles_are_the_next_bound_and_never_above_the_longest() {
    let hundred: Vec<u64> = (1..=100).map(|n| n * 1000).collect();
    for (all, percent, expected) in [
        (&[][..], 50, 0),
        (&[700], 50, 700),
        (&[700], 0, 700),
        (&hundred, 50, 65_536),
        (&hundred, 90, 100_000),
        (&hundred, 99, 100_000),
        (&hundred, 1, 1024),
        (&hundred, 100, 100_000),
        (&[1000, u64::MAX], 50, 1024),
        (&[1000, u64::MAX], 51, u64::MAX),
    ] {
        assert_eq!(
            of(all).percentile(percent),
            expected,
            "{percent} of {all:?}"
        );
    }
}

#[test]
fn times_are_short() {
    for (nanos, text) in [
        (0, "0.0ns"),
        (999, "999.0ns"),
        (1_234, "1.2µs"),
        (1_250_000, "1.3ms"),
        (999_960, "1000.0µs"),
        (61_049_999_999, "61.0s"),
    ] {
        assert_eq!(short(nanos), text);
    }
}
