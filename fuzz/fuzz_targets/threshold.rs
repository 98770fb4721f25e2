//! Any text as the four threshold lists: never a panic, and what is taken is sound.
#![no_main]
// parses: crates/threshold/src/parse.rs
// parses: crates/threshold/src/pairs.rs
// parses: crates/threshold/src/percent.rs

use evictd_node::{Layout, Reading};
use evictd_threshold::{Lists, Threshold, ThresholdValue, derive_containerfs, parse};
use libfuzzer_sys::fuzz_target;

fn check(threshold: &Threshold) {
    match &threshold.value {
        ThresholdValue::Quantity(quantity) => assert!(quantity.signum() > 0),
        ThresholdValue::Percentage(fraction) => {
            assert!(fraction.is_nan() || (0.0..=1.0).contains(fraction));
        }
    }
    assert!(threshold.grace.nanos() >= 0);
    for (available, capacity) in [(0, 0), (i64::MIN, i64::MAX), (i64::MAX, i64::MAX), (7, 100)] {
        let reading = Reading {
            available,
            capacity,
            sampled: None,
        };
        // A minimum reclaim is never below zero, so it only ever holds longer.
        assert!(!threshold.is_met(&reading) || threshold.is_unreclaimed(&reading));
    }
    let _ = threshold.to_string();
}

fuzz_target!(|text: &str| {
    let mut parts = text.split('\n');
    let mut part = || parts.next().unwrap_or("");
    let lists = Lists {
        hard: part(),
        soft: part(),
        soft_grace_period: part(),
        minimum_reclaim: part(),
        enforce_pods: text.len() % 2 == 0,
        own_signals: text.len() % 3 == 0,
    };
    match parse(&lists) {
        Ok(mut thresholds) => {
            for layout in [
                Layout::OneFilesystem,
                Layout::DedicatedImagefs,
                Layout::SplitImagefs,
            ] {
                derive_containerfs(&mut thresholds, layout);
            }
            thresholds
                .iter()
                .filter(|t| t.operator.is_some())
                .for_each(check);
        }
        Err(error) => {
            let list = [
                lists.hard,
                lists.soft,
                lists.soft_grace_period,
                lists.minimum_reclaim,
            ][error.list as usize];
            assert!(
                list.get(error.position..).is_some(),
                "a position outside the text"
            );
            assert!(!error.to_string().is_empty() && !error.list.flag().is_empty());
            let _ = error.offending();
        }
    }
});
