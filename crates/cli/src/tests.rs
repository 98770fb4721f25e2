//! What the commands print, as text and as JSON, from fixed inputs: held by snapshots,
//! which are reviewed in the diff (`INSTA_UPDATE=always cargo test` writes them anew).

use core::fmt::Write;

use evictd_config::{Machine, Typed, effective, resolve};
use evictd_evict::Returns;
use evictd_manifest::parse_pods;
use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;
use evictd_node::{Condition, ConditionSet, Layout, Policy, Reading, Readings, Signal};
use evictd_rank::Candidate;
use evictd_state::{Outcome, Record, Relief, State};
use evictd_threshold::{Lists, Threshold, parse};
use serde::Serialize;

use super::explain::order::Order;
use super::next::Next;
use super::sampled::{RankedPod, rank_pods};
use super::screen::{Paint, bar, cut};
use super::{admit, config, history, status};

/// Both forms of what a command prints, one below the other.
fn both(text: &str, document: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(document).unwrap();
    format!("{text}\n--json:\n{json}")
}

/// One that uses more than it requests, one within its request, one that is critical.
fn pods() -> Vec<Pod> {
    let pod = |name: &str, priority: i64, request: &str| {
        let manifest = format!(
            r#"{{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "{name}", "uid": "{name}-1"}},
                "spec": {{"priority": {priority}, "containers": [{{"name": "main",
                "resources": {{"requests": {{"memory": "{request}"}}}}}}]}}}}"#
        );
        parse_pods(manifest.as_bytes()).unwrap().remove(0)
    };
    vec![
        pod("database", 1000, "300Mi"),
        pod("web", 0, "100Mi"),
        pod("network", 2_000_001_000, "1Mi"),
    ]
}

pub(super) fn ranked(signal: Signal) -> Vec<RankedPod> {
    let using = |bytes| PodUsage {
        memory_working_set_bytes: Some(bytes),
        ..PodUsage::default()
    };
    let usages = [using(250 << 20), using(180 << 20), using(20 << 20)];
    let pods = pods();
    let both = pods.iter().zip(&usages);
    let candidates: Vec<Candidate> = both
        .map(|(pod, usage)| Candidate::new(pod, Some(usage)))
        .collect();
    rank_pods(
        signal,
        Layout::OneFilesystem,
        &candidates,
        &Policy::default(),
    )
}

/// For memory, as these pods are ranked.
pub(super) fn next() -> Next {
    Next {
        signal: Signal::MemoryAvailable,
        pods: vec![String::from(
            "default/web: uses 180Mi, 80Mi above its request, priority 0, Burstable",
        )],
        why_none: None,
        waits: None,
        accounts: Vec::new(),
    }
}

pub(super) fn thresholds() -> Vec<Threshold> {
    parse(&Lists {
        hard: "memory.available<100Mi,nodefs.available<10%,imagefs.available<15%,containerfs.inodesFree<5%",
        soft: "memory.available<1Gi",
        soft_grace_period: "memory.available=1m30s",
        ..Lists::default()
    })
    .unwrap()
}

pub(super) fn readings() -> Readings {
    let mut readings = Readings::default();
    for (signal, available, capacity) in [
        (Signal::MemoryAvailable, 80 << 20, 2 << 30),
        (Signal::NodefsAvailable, 30 << 30, 64 << 30),
        (Signal::NodefsInodesFree, 900_000, 1_000_000),
        (Signal::ImagefsAvailable, 30 << 30, 64 << 30),
        (Signal::ImagefsInodesFree, 900_000, 1_000_000),
        (Signal::ContainerfsAvailable, 30 << 30, 64 << 30),
        (Signal::PidAvailable, 30_000, 32_768),
    ] {
        let reading = Reading {
            available,
            capacity,
            sampled: None,
        };
        readings.set(signal, Some(reading));
    }
    readings
}

#[test]
fn status_shows_signals_conditions_and_pods() {
    let mut conditions = ConditionSet::empty();
    conditions.set(Condition::MemoryPressure.set(), true);
    conditions.set(Condition::PidPressure.set(), true);
    let ranked_by = Signal::MemoryAvailable;
    let mut document = status::Overview::new(
        &thresholds(),
        &readings(),
        conditions,
        Layout::OneFilesystem,
        next(),
        ranked(ranked_by),
    );
    // Of one that is raised now it is not said.
    document.hold_for(|condition| match condition {
        Condition::MemoryPressure => Some(300),
        Condition::DiskPressure => None,
        Condition::PidPressure => Some(252),
    });
    document.unaccounted_bytes = Some(48 << 20);
    document.compressed_bytes = Some(20 << 20);
    document.progress = Some(String::from("1 of 3 pods"));
    document.not_running = vec![String::from("batch")];
    let text = status::text::in_text(&document, Paint::default());
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    insta::assert_snapshot!(both(&text, &document));
}

#[test]
fn explain_says_why_each_pod_has_its_place() {
    let signal = Signal::MemoryAvailable;
    let pods = ranked(signal);
    let document = Order {
        signal,
        next: next(),
        pods,
        by_daemon: false,
    };
    let text = document.in_text(Paint::default());
    insta::assert_snapshot!(both(&text, &document));
}

#[test]
fn admit_names_the_condition() {
    let mut conditions = ConditionSet::empty();
    conditions.set(Condition::DiskPressure.set(), true);
    let seen = admit::Seen {
        conditions,
        doubt: Some(String::from("no daemon publishes in /run/evictd")),
        returns: Returns::default(),
    };
    let document = admit::Verdicts::new(seen, &pods(), &Policy::default());
    let mut text = String::new();
    for pod in &document.pods {
        let _ = writeln!(text, "{}", pod.sentence());
    }
    insta::assert_snapshot!(both(&text, &document));
}

#[test]
fn history_explains_each_eviction() {
    let record = Record {
        wall_seconds: 1_764_000_000,
        signal: Some(Signal::NodefsAvailable),
        threshold: String::from("nodefs.available<1Gi"),
        available: Some(700 << 20),
        capacity: Some(10 << 30),
        device: Some(String::from("254:1")),
        namespace: String::from("default"),
        name: String::from("web"),
        uid: String::from("web-1"),
        reason: String::from("uses 300Mi, 200Mi above its request, priority 0, Burstable"),
        leftovers: Some(String::from(
            "its log and what it wrote, at least 300Mi, stay on the disk until its container is removed: \
             docker rm web, or --collect-dead-containers=all",
        )),
        next: Some(String::from("default/db")),
        next_reason: Some(String::from(
            "uses 200Mi, 100Mi above its request, priority 0, Burstable",
        )),
        rule: Some(String::from("it is further above its request")),
        message: String::from("The node was low on resource: ephemeral-storage. "),
        annotations: [(
            String::from("starved_resource"),
            String::from("ephemeral-storage"),
        )]
        .into(),
        outcome: Outcome::Killed,
        method: String::from("cgroup.kill"),
        millis: Some(7),
        ..Record::default()
    };
    let limit = Record {
        signal: None,
        threshold: String::new(),
        outcome: Outcome::DryRun,
        reason: String::from("above its ephemeral-storage limit"),
        next: None,
        next_reason: None,
        rule: None,
        leftovers: None,
        ..record.clone()
    };
    let mut state = State::default();
    state.push(record);
    state.push(limit);
    state.evictions = 12;
    let text = "gave up the old part of 1 log: web (39Gi)";
    state.push_relief(Relief::new(1_763_999_990, "logs", Some(39 << 30), text));
    let events = [serde_json::json!({
        "time": "2025-11-24T15:59:40Z", "level": "warn", "event": "condition",
        "message": "DiskPressure is True",
    })];
    let text = history::timeline::in_text(&state, &events);
    insta::assert_snapshot!(both(&text, &history::document(&state, &events)));
}

#[test]
fn config_shows_where_each_value_comes_from() {
    let mut typed = Typed::default();
    for (flag, value) in [
        ("eviction-hard", "memory.available<10%,nodefs.available<1Gi"),
        ("eviction-minimum-reclaim", "nodefs.available=500Mi"),
        ("low-diskspace-threshold-mb", "256"),
        ("dry-run", "true"),
    ] {
        assert!(typed.add(flag, value));
    }
    let file = br#"{"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "evictionPressureTransitionPeriod": "30s"}"#;
    typed.add_file("node.json", file).unwrap();
    let resolved = resolve(&typed).unwrap();
    let mut machine = Machine::of_readings(&readings());
    machine.min_free_bytes = Some(64 << 20);
    let effective = effective(&resolved, &machine);
    let document = config::Document::new(&effective);
    insta::assert_snapshot!(both(
        &config::text::in_text(&effective, config::listed(&effective)),
        &document
    ));
}

#[test]
fn bars_show_use_and_threshold() {
    for (used, threshold, expected) in [
        (0.0, None, ".........."),
        (0.5, Some(0.9), "#####....|"),
        (1.0, Some(0.85), "########|#"),
        (2.0, None, "##########"),
        (f64::NAN, Some(0.0), "|........."),
    ] {
        assert_eq!(bar(used, threshold, 10), expected, "{used} {threshold:?}");
    }
}

#[test]
fn long_names_are_cut_visibly() {
    assert_eq!(cut("abcdef", 6), "abcdef");
    assert_eq!(cut("abcdefg", 6), "abcde~");
    assert_eq!(cut("äöüß", 3), "äö~");
}
