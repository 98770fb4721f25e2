use evictd_evict::Evict;
use evictd_node::{Mono, Reading, Readings};
use evictd_threshold::{Lists, parse};

use super::distance::{Distance, rate};
use super::*;

/// Of a GiB, before and after ten seconds.
fn distance(hard: &str, before: i64, after: i64) -> Distance {
    let readings = |available: i64| {
        let mut readings = Readings::default();
        let reading = Reading::new(available << 20, 1 << 30);
        readings.set(Signal::MemoryAvailable, Some(reading));
        readings
    };
    let thresholds = parse(&Lists::of_hard(hard)).unwrap();
    let threshold = thresholds.first().unwrap();
    let between = Duration::from_secs(10);
    Distance::new(threshold, &readings(before), &readings(after), between)
}

#[test]
fn what_is_left_and_how_long_it_lasts_is_told() {
    let told = |before, after| distance("memory.available<100Mi", before, after).in_words();
    assert_eq!(
        told(520, 500),
        "500Mi of 1Gi left, 400Mi above it; falls by 2Mi a second: met in 3m20s"
    );
    assert_eq!(
        told(500, 500),
        "500Mi of 1Gi left, 400Mi above it; does not change"
    );
    assert_eq!(
        told(500, 530),
        "530Mi of 1Gi left, 430Mi above it; rises by 3Mi a second"
    );
    assert_eq!(told(90, 80), "met: 80Mi of 1Gi left, 20Mi are missing");
}

/// Acceptance row 285.
#[test]
fn a_rate_has_its_unit() {
    let told = |signal, change| rate(signal, change);
    assert_eq!(told(Signal::MemoryAvailable, 818), "818 bytes a second");
    assert_eq!(told(Signal::MemoryAvailable, -(3 << 20)), "3Mi a second");
    assert_eq!(told(Signal::NodefsInodesFree, 12), "12 inodes a second");
    assert_eq!(told(Signal::PidAvailable, -2), "2 process ids a second");
    assert_eq!(told(Signal::NodefsInodesFree, -1), "1 inode a second");
    assert_eq!(told(Signal::MemoryAvailable, 1), "1 byte a second");
    assert_eq!(distance::in_units(2122 * 3600 + 480), "88 days");
    assert_eq!(distance::in_units(47 * 3600), "47h0m0s");
}

/// A pod that would be evicted for a signal, or none.
fn would(name: Option<&str>, signal: Signal) -> Decided {
    let mut of = Decided::new(match name {
        Some(name) => format!("pod {name} would be evicted"),
        None => format!("no pod would be evicted for {signal}"),
    });
    of.pod = name.map(str::to_owned);
    of.verdict = Some(Box::new(evict().verdict(Mono::ZERO, signal, &[])));
    of
}

fn evict() -> Evict {
    Evict::new(evictd_evict::Config::default())
}

fn texts(decided: &[Decided], view: &str) -> Vec<String> {
    let view: View = serde_json::from_str(view).unwrap();
    let answer = one_answer(decided.to_vec(), &view).into_iter();
    answer.map(|of| of.text).collect()
}

/// Acceptance row 285.
#[test]
fn one_pod_would_be_evicted_or_none() {
    let memory = Signal::MemoryAvailable;
    let met = Decided::new("threshold memory.available<1Gi is met".into());
    let (hog, none) = (would(Some("hog"), memory), would(None, memory));
    assert_eq!(
        texts(&[met.clone(), hog, none.clone()], "{}"),
        [
            "threshold memory.available<1Gi is met",
            "pod hog would be evicted"
        ]
    );
    let alone = texts(&[met, none], "{}");
    assert!(alone[1].starts_with("no pod"), "{alone:?}");
}

/// Acceptance row 383: what a look between the two contradicts is no rate.
#[test]
fn what_goes_up_and_down_is_met_in_no_time() {
    let looks = |left: &[i64]| -> Vec<Readings> {
        let look = |left: &i64| {
            let mut readings = Readings::default();
            readings.set(
                Signal::MemoryAvailable,
                Some(Reading::new(left << 20, 1 << 30)),
            );
            readings
        };
        left.iter().map(look).collect()
    };
    let of =
        |left: &[i64]| distance("memory.available<100Mi", 520, 500).unless_it_wavers(&looks(left));
    let falls = of(&[520, 516, 516, 500]);
    assert_eq!(falls.met_in_seconds, Some(200));
    let noise = of(&[520, 480, 510, 500]);
    assert_eq!(noise.met_in_seconds, None);
    assert_eq!(
        noise.in_words(),
        "500Mi of 1Gi left, 400Mi above it; goes up and down"
    );
}

/// Acceptance row 371.
#[test]
fn what_the_daemon_says_of_a_signal_counts() {
    let view = r#"{"verdicts":{
        "imagefs.available":{"whyNone":"the last eviction gave nothing back"},
        "pid.available":{"next":"1","pods":[
            {"name":"a","uid":"0","reason":"uses 9","skipped":"stuck"},
            {"name":"b","uid":"1","reason":"uses 8"}]}}}"#;
    let decided = [
        would(Some("cam"), Signal::ImagefsAvailable),
        would(Some("web"), Signal::ImagefsAvailable),
        would(None, Signal::PidAvailable),
        would(Some("hog"), Signal::MemoryAvailable),
    ];
    assert_eq!(
        texts(&decided, view),
        [
            "pod b would be evicted for pid.available: uses 8",
            "pod hog would be evicted",
        ]
    );
    assert_eq!(
        texts(&decided[..2], view),
        ["no pod would be evicted for imagefs.available: the last eviction gave nothing back"]
    );
    let of_another_version = r#"{"verdicts":{"imagefs.available":{"other":0}}}"#;
    assert_eq!(
        texts(&decided[..1], of_another_version),
        ["pod cam would be evicted"]
    );
}

#[test]
fn what_was_not_measured_is_unknown() {
    let unknown = distance("nodefs.available<10%", 1, 1);
    assert_eq!(unknown.in_words(), "not measured here");
    assert_eq!(unknown.met, None);
    assert_eq!(unknown.met_in_seconds, None);
}

#[test]
fn what_lasts_for_years_is_not_foreseen() {
    let mut slow = distance("memory.available<100Mi", 500, 500);
    slow.change_per_second = Some(-1);
    assert!(slow.in_words().ends_with("not met within a year"));
}

/// Acceptance row 320.
#[test]
fn memory_relief_that_is_on_is_explained() {
    let told = |relief: &str, available: i64| {
        let mut typed = Typed::default();
        assert!(typed.add("memory-relief", relief));
        let settings = evictd_config::resolve(&typed).unwrap();
        let mut readings = Readings::default();
        let reading = Reading::new(available << 20, 1 << 30);
        readings.set(Signal::MemoryAvailable, Some(reading));
        Relief::new(&settings, &readings).map(|relief| relief.in_words())
    };
    assert_eq!(told("off", 101), None);
    let begins = |available| told("on", available).unwrap();
    assert!(begins(500).contains("not short enough"));
    assert!(begins(101).contains("would begin now"));
    assert!(begins(99).contains("a hard threshold is met"));
}
