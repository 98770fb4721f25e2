//! `memory.stall`, evictd's own: the one signal whose amount grows with the trouble.

use alloc::string::ToString;

use super::*;

fn stall(percent: i64) -> Reading {
    Reading::new(percent, 100)
}

/// Acceptance row 305.
#[test]
fn a_threshold_of_lost_time_is_met_by_more() {
    let threshold = hard("memory.stall>40%").unwrap().remove(0);
    assert_eq!(threshold.to_string(), "memory.stall>40%");
    for (percent, is_met) in [(0, false), (40, false), (41, true), (100, true)] {
        assert_eq!(threshold.is_met(&stall(percent)), is_met, "{percent}");
        assert_eq!(
            threshold.is_unreclaimed(&stall(percent)),
            is_met,
            "{percent}"
        );
    }
    let soft = parse(&Lists {
        soft: "memory.stall>20%",
        soft_grace_period: "memory.stall=10s",
        own_signals: true,
        ..Lists::default()
    });
    assert_eq!(soft.unwrap()[0].grace.nanos(), 10_000_000_000);
    for off in ["memory.stall>0%", "memory.stall>100%"] {
        assert_eq!(hard(off), Ok([].into()), "{off}");
    }
}

/// Acceptance row 306.
#[test]
fn each_signal_has_one_operator() {
    for (text, error) in [
        (
            "memory.stall<40%",
            "memory.stall says how much is lost, not what is left: write memory.stall>40%",
        ),
        (
            "memory.stall>40",
            "eviction threshold memory.stall must be a whole percentage: 40",
        ),
        (
            "memory.stall>12.5%",
            "eviction threshold memory.stall must be a whole percentage: 12.5%",
        ),
        (
            "memory.stall>-1%",
            "eviction threshold memory.stall must be a whole percentage: -1%",
        ),
        (
            "memory.stall>101%",
            "eviction percentage threshold memory.stall must be <= 100%: 101%",
        ),
        (
            "memory.available>10%",
            "malformed pair, expect string<string",
        ),
    ] {
        assert_eq!(hard(text).unwrap_err().to_string(), error, "{text}");
    }
    let reclaim = parse(&Lists {
        minimum_reclaim: "memory.stall=10%",
        own_signals: true,
        ..Lists::default()
    });
    assert_eq!(
        reclaim.unwrap_err().to_string(),
        "memory.stall has no minimum reclaim: it is left when it is not met"
    );
}

/// Acceptance row 306: the kubelet knows neither the signal nor the operator.
#[test]
fn the_kubelet_has_no_such_signal() {
    for (text, error) in [
        ("memory.stall>40%", "malformed pair, expect string<string"),
        (
            "memory.stall<40%",
            "unsupported eviction signal memory.stall",
        ),
    ] {
        let found = parse(&Lists::of_hard(text)).unwrap_err();
        assert_eq!(found.to_string(), error, "{text}");
    }
}
