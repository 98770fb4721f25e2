use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use evictd_node::{Layout, Reading, Signal};

use super::*;

mod examples;
mod stall;

fn hard(text: &str) -> Result<Vec<Threshold>, Error> {
    parse(&Lists {
        hard: text,
        own_signals: true,
        ..Lists::default()
    })
}

fn fraction(percent: &str) -> Option<f32> {
    let text = "memory.available<".to_string() + percent;
    match hard(&text).ok()?.pop()?.value {
        ThresholdValue::Percentage(fraction) => Some(fraction),
        ThresholdValue::Quantity(_) => None,
    }
}

#[test]
fn percentages_follow_gos_grammar() {
    for (text, expected) in [
        ("10%", 0.1),
        ("5%%", 0.05),
        ("+5%", 0.05),
        (".5%", 0.005),
        ("5.%", 0.05),
        ("1e1%", 0.1),
        ("0x1p3%", 0.08),
        ("0x1.8p4%", 0.24),
        ("0X.8p1%", 0.01),
        ("0x1_0p1%", 0.32),
        ("00%", 0.0),
        ("1_0%", 0.1),
        ("0x_8p0%", 0.08),
        ("100.0%", 1.0),
        ("1e-50%", 0.0),
    ] {
        assert_eq!(fraction(text), Some(expected), "{text}");
    }
    for bad in [
        "0x10%",
        "0xp1%",
        "0x1__0p1%",
        "0x1p%",
        "5 %",
        "%",
        "+nan%",
        "1e400%",
    ] {
        assert!(
            hard(&("memory.available<".to_string() + bad)).is_err(),
            "{bad}"
        );
    }
    assert!(fraction("NaN%").unwrap().is_nan());
}

#[test]
fn hexadecimal_floats_round_to_the_nearest_even_float32() {
    for (text, bits) in [
        ("0x1.000001p0%", 0x3f80_0000_u32), // a tie, down to even
        ("0x1.000003p0%", 0x3f80_0002),     // a tie, up to even
        ("0x1.0000010000000000000001p0%", 0x3f80_0001), // just above a tie
        ("0x1p-149%", 1),
        ("0x1p-150%", 0),
        ("0x1.8p-150%", 1),
    ] {
        let expected = f32::from_bits(bits) / 100.0;
        assert_eq!(
            fraction(text).map(f32::to_bits),
            Some(expected.to_bits()),
            "{text}"
        );
    }
}

#[test]
fn zero_and_hundred_percent_switch_off() {
    assert_eq!(
        hard("memory.available<0%,nodefs.available<100%"),
        Ok(Vec::new())
    );
    assert_eq!(hard("memory.available<0.0%").map(|t| t.len()), Ok(1));
}

#[test]
fn a_percentage_is_the_kubelets_float32_share() {
    for (percent, capacity, expected) in [
        ("10%", 32_768, 3_276),
        ("10%", 100 << 30, 10_737_418_400),
        ("15%", 100, 15),
        ("10%", 0, 0),
    ] {
        let threshold = hard(&("pid.available<".to_string() + percent))
            .unwrap()
            .pop()
            .unwrap();
        assert_eq!(
            threshold.value.against(capacity).value(),
            expected,
            "{percent} of {capacity}"
        );
    }
}

#[test]
fn thresholds_print_as_they_are_written() {
    for text in [
        "memory.available<100Mi",
        "nodefs.available<10%",
        "imagefs.available<15%",
        "pid.available<0.5%",
        "nodefs.inodesFree<12.345%",
        "memory.available<1536Mi",
    ] {
        assert_eq!(hard(text).unwrap()[0].to_string(), text);
    }
}

#[test]
fn errors_speak_as_the_kubelet_does_and_say_where() {
    for (text, message, at) in [
        (
            "memory.available<1Gi,mem<1",
            "unsupported eviction signal mem",
            21,
        ),
        (
            "memory.available",
            "malformed pair, expect string<string",
            0,
        ),
        (
            "memory.available<0Mi",
            "eviction threshold memory.available must be positive: 0Mi",
            17,
        ),
        (
            ",nodefs.available<-1%",
            "eviction percentage threshold nodefs.available must be >= 0%: -1%",
            18,
        ),
        (
            "pid.available<101%",
            "eviction percentage threshold pid.available must be <= 100%: 101%",
            14,
        ),
    ] {
        let error = hard(text).unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.position),
            (message, at),
            "{text}"
        );
    }
}

/// Acceptance row 155, decision D13: the design proposal's own disk example.
#[test]
fn the_proposals_disk_example_lacks_grace_for_inodes() {
    let error = parse(&Lists {
        hard: "nodefs.available<1Gi,nodefs.inodesFree<1,imagefs.available<10Gi,imagefs.inodesFree<10",
        soft: "nodefs.available<1.5Gi,nodefs.inodesFree<10,imagefs.available<20Gi,imagefs.inodesFree<100",
        soft_grace_period: "nodefs.available=1m,imagefs.available=2m",
        ..Lists::default()
    })
    .unwrap_err();
    let expected =
        "grace period must be specified for the soft eviction threshold nodefs.inodesFree";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.offending(), "nodefs.inodesFree<10");
}

#[test]
fn equality_is_not_met_and_reclaim_holds_longer() {
    let threshold = parse(&Lists {
        hard: "nodefs.available<1Gi",
        minimum_reclaim: "nodefs.available=500Mi",
        ..Lists::default()
    })
    .unwrap()
    .pop()
    .unwrap();
    let at = |available: i64| Reading {
        available,
        capacity: 10 << 30,
        sampled: None,
    };
    for (available, met, unreclaimed) in [
        ((1 << 30) - 1, true, true),
        (1 << 30, false, true),
        ((1 << 30) + (500 << 20) - 1, false, true),
        ((1 << 30) + (500 << 20), false, false),
        (-1, true, true),
    ] {
        let reading = at(available);
        assert_eq!(threshold.is_met(&reading), met, "{available}");
        assert_eq!(
            threshold.is_unreclaimed(&reading),
            unreclaimed,
            "{available}"
        );
    }
    assert_eq!(threshold.clear_at(10 << 30).to_string(), "1524Mi");
}

#[test]
fn enforcing_pods_copies_hard_memory_only() {
    let thresholds = parse(&Lists {
        hard: "memory.available<1Gi",
        soft: "memory.available<2Gi",
        soft_grace_period: "memory.available=1m",
        enforce_pods: true,
        ..Lists::default()
    })
    .unwrap();
    let shown: Vec<String> = thresholds.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "memory.available<1Gi",
            "memory.available<2Gi",
            "allocatableMemory.available<1Gi"
        ]
    );
}

#[test]
fn containerfs_follows_where_the_writable_layers_lie() {
    for (layout, expected) in [
        (Layout::OneFilesystem, "10%"),
        (Layout::DedicatedImagefs, "15%"),
        (Layout::SplitImagefs, "10%"),
    ] {
        let mut thresholds = hard("nodefs.available<10%,imagefs.available<15%").unwrap();
        derive_containerfs(&mut thresholds, layout);
        let derived: Vec<&Threshold> = thresholds
            .iter()
            .filter(|t| t.signal == Signal::ContainerfsAvailable)
            .collect();
        assert_eq!(derived.len(), 2, "{layout}");
        assert_eq!(derived[0].value.to_string(), expected, "{layout}");
        let empty = Reading {
            available: 0,
            capacity: 100,
            sampled: None,
        };
        assert!(
            derived[0].is_met(&empty) && !derived[1].is_met(&empty),
            "{layout}"
        );
    }
}

/// Widths are taken from values, and a formatter takes none of more than 65,535.
#[test]
fn value_of_any_number_of_digits_is_refused_in_one_line() {
    let lists = |value: &str| {
        let (hard, equal) = (
            format!("memory.available<{value}"),
            format!("memory.available={value}"),
        );
        [
            parse(&Lists::of_hard(&hard)),
            parse(&Lists {
                soft: &hard,
                ..Lists::default()
            }),
            parse(&Lists {
                soft_grace_period: &equal,
                ..Lists::default()
            }),
            parse(&Lists {
                minimum_reclaim: &equal,
                ..Lists::default()
            }),
        ]
    };
    for value in [
        "9".repeat(100_000),
        "9".repeat(100_000) + "%",
        "1".repeat(257) + "s",
    ] {
        for result in lists(&value) {
            let error = result.unwrap_err();
            assert_eq!(error.kind, ErrorKind::TooLong(value.len()));
            assert!(
                error.to_string().len() < 200 && error.offending().len() < 300,
                "{error}"
            );
        }
    }
    assert!(hard(&format!("memory.available<{}", "9".repeat(256))).is_ok());
    let many = "x".repeat(100_000);
    for text in [many.clone(), format!("{many}<1")] {
        let error = hard(&text).unwrap_err();
        assert!(
            error.to_string().len() < 400 && error.offending().len() < 600,
            "{error}"
        );
    }
}
