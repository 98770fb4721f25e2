use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use evictd_evict::{Config, Evict};
use evictd_node::pod::Pod;
use evictd_node::pod::usage::{ContainerUsage, MountUsage, PodUsage, Stalls, VolumeUsage};
use evictd_node::{Layout, Mono, Reading, Readings, Signal};
use evictd_threshold::{Lists, parse};
use proptest::prelude::*;
use serde_json::json;

use crate::{Begun, Line, MAX_LINE_BYTES, Seen, SeenPod, Session};

fn session(hard: &str) -> Session {
    let thresholds = parse(&Lists::of_hard(hard)).unwrap();
    let config = Config {
        thresholds,
        ..Config::default()
    };
    Session::new(Evict::new(config))
}

fn pod(name: &str, priority: i32) -> Line {
    let value = json!({"metadata": {"name": name, "uid": name}, "spec": {"priority": priority}});
    Line::Pod(Pod::from_json(&value).unwrap().into())
}

/// A moment with so much memory left, and pods with what each uses.
fn seen(second: u64, available: i64, pods: &[(&str, u64)]) -> Line {
    let mut readings = Readings::default();
    readings.set(
        Signal::MemoryAvailable,
        Some(Reading::new(available << 20, 1 << 30)),
    );
    let pods = pods.iter().map(|(uid, mebibytes)| SeenPod {
        uid: (*uid).to_string(),
        usage: Some(PodUsage {
            memory_working_set_bytes: Some(mebibytes << 20),
            ..PodUsage::default()
        }),
    });
    Line::Seen(Box::new(Seen {
        at: Mono::from_millis(second * 1000),
        time: format!("2026-11-23T20:00:{second:02}Z"),
        layout: Some(Layout::OneFilesystem),
        readings,
        pods: pods.collect(),
    }))
}

fn texts(session: &mut Session, line: &Line) -> Vec<String> {
    let decided = session.show(line).unwrap();
    decided.into_iter().map(|decided| decided.text).collect()
}

#[test]
fn a_hog_would_be_evicted_and_no_more_than_it_takes() {
    let mut session = session("memory.available<100Mi");
    for line in [pod("hog", 0), pod("small", 0), pod("web", 1)] {
        assert!(session.show(&line).unwrap().is_empty());
    }
    let pods = [("hog", 300), ("small", 20), ("web", 400)];
    assert!(texts(&mut session, &seen(0, 500, &pods)).is_empty());
    let decided = session.show(&seen(10, 50, &pods)).unwrap();
    let all: Vec<&str> = decided.iter().map(|of| of.text.as_str()).collect();
    assert_eq!(
        all,
        [
            "threshold memory.available<100Mi is met: 50Mi of 1Gi left",
            "MemoryPressure is true",
            "pod hog would be evicted: The node was low on resource: memory. Threshold \
             quantity: 100Mi, available: 50Mi.",
        ]
    );
    let why = &decided.last().unwrap().why;
    assert!(why.contains("hog") && why.contains("small"), "{why}");
    // It is still there, and counts as gone.
    assert!(texts(&mut session, &seen(20, 50, &pods)).is_empty());
    let over = texts(&mut session, &seen(30, 500, &pods));
    assert_eq!(over, ["threshold memory.available<100Mi is met no more"]);
    assert!(texts(&mut session, &seen(59, 500, &pods)).is_empty());
}

#[test]
fn a_short_disk_costs_the_pod_that_fills_it() {
    let mut session = session("nodefs.available<10%");
    let mut readings = Readings::default();
    readings.set(
        Signal::NodefsAvailable,
        Some(Reading::new(5 << 20, 1000 << 20)),
    );
    let holds = |uid: &str, mebibytes: u64| SeenPod {
        uid: uid.to_string(),
        usage: Some(PodUsage {
            ephemeral_storage_bytes: Some(mebibytes << 20),
            containers: vec![ContainerUsage {
                rootfs_bytes: Some(mebibytes << 20),
                ..ContainerUsage::default()
            }],
            ..PodUsage::default()
        }),
    };
    let mut decided = Vec::new();
    for line in [pod("web", 0), pod("filler", 0)] {
        assert!(session.show(&line).unwrap().is_empty());
    }
    for second in [1, 2] {
        decided.extend(texts(
            &mut session,
            &Line::Seen(Box::new(Seen {
                at: Mono::from_millis(second * 1000),
                layout: Some(Layout::OneFilesystem),
                readings,
                pods: vec![holds("web", 10), holds("filler", 700)],
                ..Seen::default()
            })),
        ));
    }
    let evicted: Vec<&String> = decided
        .iter()
        .filter(|text| text.contains("would be evicted"))
        .collect();
    assert_eq!(evicted.len(), 1, "{decided:?}");
    assert!(evicted[0].starts_with("pod filler would be evicted"));
}

#[test]
fn why_no_pod_would_be_evicted_is_told_once() {
    let mut session = session("memory.available<100Mi");
    let none = texts(&mut session, &seen(1, 50, &[]));
    let told = "no pod would be evicted for memory.available: ";
    assert!(none.iter().any(|text| text.starts_with(told)), "{none:?}");
    assert!(texts(&mut session, &seen(2, 50, &[])).is_empty());
}

#[test]
fn time_does_not_go_back() {
    let mut session = session("memory.available<100Mi");
    session.show(&seen(2, 500, &[])).unwrap();
    session.show(&seen(2, 500, &[])).unwrap();
    assert!(session.show(&seen(1, 500, &[])).is_err());
}

#[test]
fn what_is_no_line_is_refused_with_the_field() {
    let problem = |text: &str| Line::parse(text.as_bytes()).unwrap_err().to_string();
    assert!(problem("{").contains("EOF"));
    assert!(problem("{}").contains("recording, pod, seen or decided"));
    assert!(problem(r#"{"seen":{}}"#).contains("atNanos"));
    assert!(problem(r#"{"recording":{"form":2}}"#).contains("newer"));
    assert!(problem(r#"{"pod":{"metadata":7}}"#).contains("metadata"));
    let long = vec![b' '; MAX_LINE_BYTES + 1];
    assert!(Line::parse(&long).is_err());
}

#[test]
fn secrets_of_a_pod_are_not_recorded() {
    let value = json!({"metadata": {
        "name": "a", "uid": "1",
        "labels": {"token": "hidden"},
        "annotations": {"password": "hidden", "kubernetes.io/config.source": "file"},
    }});
    let pod = Pod::from_json(&value).unwrap();
    let line = Line::Pod(pod.into()).to_string();
    assert!(!line.contains("hidden"), "{line}");
    let Line::Pod(again) = Line::parse(line.as_bytes()).unwrap() else {
        panic!("no pod: {line}");
    };
    assert!(again.is_static());
}

#[test]
fn a_pod_reads_as_it_was_written() {
    let value = json!({
        "metadata": {"name": "a", "namespace": "b", "uid": "1",
            "annotations": {"kubernetes.io/config.mirror": "x"}},
        "spec": {
            "containers": [{"name": "c", "restartPolicy": "Always", "resources": {
                "requests": {"cpu": "100m", "memory": "1Gi", "ephemeral-storage": "2G", "inodes": "5"},
                "limits": {"memory": "2Gi", "hugepages-2Mi": "4Mi"}}}, {"name": "d"}],
            "initContainers": [{"name": "i"}],
            "overhead": {"memory": "10Mi"},
            "resources": {"requests": {"memory": "3Gi"}},
            "volumes": [{"name": "e", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
                {"name": "h", "hostPath": {"path": "/x"}}, {"name": "m", "configMap": {}},
                {"name": "g", "gitRepo": {}}, {"name": "s", "secret": {}}],
            "priority": -7, "priorityClassName": "low", "terminationGracePeriodSeconds": 3},
        "status": {"qosClass": "Burstable"},
    });
    let line = Line::Pod(Pod::from_json(&value).unwrap().into());
    assert_eq!(Line::parse(line.to_string().as_bytes()), Ok(line));
}

#[test]
fn the_first_line_reads_as_it_was_written() {
    let line = Line::Begun(Begun {
        node: "edge-7".to_string(),
        version: "0.1.0".to_string(),
        flags: vec!["--eviction-hard=memory.available<1Gi".to_string()],
    });
    assert_eq!(Line::parse(line.to_string().as_bytes()), Ok(line));
    let decided = Line::Decided("MemoryPressure is true".to_string());
    assert_eq!(Line::parse(decided.to_string().as_bytes()), Ok(decided));
}

prop_compose! {
    fn any_usage()(
        numbers in proptest::array::uniform14(proptest::option::of(any::<u64>())),
        flags in any::<[bool; 4]>(),
        name in ".{0,9}",
    ) -> PodUsage {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = numbers;
        PodUsage {
            memory_working_set_bytes: a,
            swap_bytes: b,
            stalls: n.map(|gains_bytes| Stalls { reads_back_bytes: a, gains_bytes }),
            process_count: c,
            ephemeral_storage_bytes: d,
            disk_in_part: flags[0],
            undescribed: flags[1],
            containers: vec![ContainerUsage {
                name: name.clone(),
                memory_working_set_bytes: e,
                rootfs_bytes: f,
                rootfs_inodes: g,
                logs_bytes: h,
                logs_inodes: i,
                logs_beside_layer: flags[2],
            }],
            volumes: vec![VolumeUsage { name: name.clone(), used_bytes: j, inodes_used: k }],
            mounts: vec![MountUsage {
                path: name,
                used_bytes: l,
                inodes_used: m,
                beside_layers: flags[3],
            }],
        }
    }
}

proptest! {
    #[test]
    fn a_moment_reads_as_it_was_written(
        at in 0..1_u64 << 63,
        time in ".{0,20}",
        layout in proptest::option::of(0..3_usize),
        amounts in proptest::collection::vec((0..Signal::COUNT, any::<i64>(), any::<i64>(), proptest::option::of(any::<u64>())), 0..9),
        pods in proptest::collection::vec((".{0,9}", proptest::option::of(any_usage())), 0..4),
    ) {
        let layouts = [Layout::OneFilesystem, Layout::DedicatedImagefs, Layout::SplitImagefs];
        let mut readings = Readings::default();
        for (signal, available, capacity, sampled) in amounts {
            let reading = Reading { available, capacity, sampled: sampled.map(Mono::from_nanos) };
            readings.set(Signal::ALL[signal], Some(reading));
        }
        let line = Line::Seen(Box::new(Seen {
            at: Mono::from_nanos(at),
            time,
            layout: layout.map(|index| layouts[index]),
            readings,
            pods: pods.into_iter().map(|(uid, usage)| SeenPod { uid, usage }).collect(),
        }));
        prop_assert_eq!(Line::parse(line.to_string().as_bytes()), Ok(line));
    }
}
