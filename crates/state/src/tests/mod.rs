mod disk;
mod events;
mod keeping;
mod poisons;
mod tampered;
mod text;
mod times;

use core::time::Duration;

use evictd_evict::{Config, Evict, Observation};
use evictd_node::{Condition, ConditionSet, Layout, Mono, Reading, Readings, Signal};
use evictd_threshold::{Lists, parse as parse_thresholds};

use crate::*;

const GI: i64 = 1 << 30;
const TRANSITION: Duration = Duration::from_secs(300);

fn seconds(s: u64) -> Mono {
    Mono::from_millis(s * 1000)
}

/// A machine with a soft memory threshold and a hard disk threshold.
fn machine() -> Evict {
    let lists = Lists {
        hard: "nodefs.available<1Gi",
        soft: "memory.available<2Gi",
        soft_grace_period: "memory.available=30s",
        ..Lists::default()
    };
    Evict::new(Config {
        thresholds: parse_thresholds(&lists).unwrap(),
        ..Config::default()
    })
}

/// A round in which that much memory and disk is left.
fn observe(evict: &mut Evict, at: u64, memory: i64, disk: i64) -> Readings {
    let mut readings = Readings::default();
    for (signal, available) in [
        (Signal::MemoryAvailable, memory),
        (Signal::NodefsAvailable, disk),
    ] {
        let reading = Reading {
            available,
            capacity: 10 * GI,
            sampled: Some(seconds(at)),
        };
        readings.set(signal, Some(reading));
    }
    let observation = Observation {
        readings: &readings,
        layout: Some(Layout::OneFilesystem),
    };
    evict.step(seconds(at), &observation, None);
    readings
}

/// Two images by id, one of them in use.
const IMAGES: [(&str, bool); 2] = [
    ("sha256:1b2c3d4e5f60718293a4b5c6d7e8f901", true),
    ("sha256:2b2c3d4e5f60718293a4b5c6d7e8f901", false),
];

/// A record with something in each field.
fn record(uid: &str) -> Record {
    let text = |text: &str| text.to_owned();
    Record {
        wall_seconds: 1_795_179_906,
        signal: Some(Signal::NodefsAvailable),
        threshold: text("nodefs.available<1Gi"),
        threshold_grace_nanos: 30_000_000_000,
        available: Some(-5),
        capacity: Some(10 * GI),
        device: Some(text("254:1")),
        namespace: text("default"),
        name: text("web"),
        uid: text(uid),
        reason: text("uses 300Mi"),
        leftovers: Some(text("its log stays")),
        next: Some(text("default/db")),
        next_reason: Some(text("uses 200Mi")),
        rule: Some(text("its priority is lower")),
        message: text("The node was low on resource: ephemeral-storage. \"\n\u{1}"),
        annotations: [(text("starved_resource"), text("ephemeral-storage"))].into(),
        grace_seconds: 30,
        restart_policy: Some(text("always")),
        outcome: Outcome::Begun,
        method: String::new(),
        millis: None,
    }
}

/// A state with something in each field.
fn full() -> State {
    let mut evict = machine();
    observe(&mut evict, 100, GI, GI / 2);
    let mut state = State {
        boot_id: "a-boot".to_owned(),
        daemon_pid: 4711,
        ..State::default()
    };
    state.update(seconds(100), 1_000_000, &evict);
    state.push(record("a"));
    state
        .images
        .observe(1_000_000, "unix:///run/a.sock", &IMAGES);
    state.protected = [("docker/ab".into(), "unix:///run/a.sock".to_owned())].into();
    state.push(Record::default());
    let text = "gave up the old part of 1 log";
    state.push_relief(Relief::new(1_000_000, "logs", Some(7), text));
    assert!(state.end("a", Outcome::Killed, "cgroup.kill", Some(7)));
    state
}

/// A log that is relieved each second for an hour is written once a minute, and pushes no more
/// than that out of the history.
#[test]
fn what_a_rung_gives_back_within_a_minute_is_one_entry() {
    let mut state = State::default();
    let relief = |seconds, rung| Relief::new(seconds, rung, Some(20), &format!("at {seconds}"));
    let written = (0..120).filter(|second| state.push_relief(relief(*second, "logs")));
    assert_eq!(written.count(), 2);
    assert!(state.push_relief(relief(120, "reserve")), "another rung");
    assert!(
        state.push_relief(relief(100, "logs")),
        "a clock that was set back"
    );
    let first = state.reliefs.first().unwrap();
    assert_eq!((first.times, first.freed_bytes), (60, Some(1200)));
    assert_eq!((first.wall_seconds, &*first.text), (0, "at 59"));
}
