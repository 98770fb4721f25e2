//! What the loop answers to whoever asks which pod is next.

use core::time::Duration;

use evictd_evict::Verdict;
use evictd_node::Signal;
use evictd_threshold::{Lists, parse};

use super::script::*;
use crate::Gate;
use crate::fake::{FakePod, FakePods};
use crate::settings::Settings;

fn pods() -> FakePods {
    FakePods::of([FakePod::new("hog", 400 << 20), FakePod::new("web", 9 << 20)])
}

/// The pod that is next, and the signal that it would be evicted for.
fn next(verdict: &Verdict) -> Option<(Signal, &str)> {
    Some((verdict.signal, &verdict.next_pod()?.name))
}

#[test]
fn next_pod_is_known_during_the_grace_period_of_a_threshold() {
    let mut settings = Settings::default();
    let soft = Lists {
        soft: "memory.available<100Mi",
        soft_grace_period: "memory.available=1m",
        ..Lists::default()
    };
    settings.evict.thresholds = parse(&soft).unwrap();
    let mut engine = engine(settings, pods());
    turn(&mut engine, 0);
    assert_eq!(engine.verdicts(at(0)), []);
    let listings = engine.pods().listings.len();
    set(&mut engine, 50 * MIB, WHOLE);
    engine.round_now();
    turn(&mut engine, 1000);
    let verdicts = engine.verdicts(at(1000));
    let told: Vec<_> = verdicts.iter().map(next).collect();
    assert_eq!(told, [Some((Signal::MemoryAvailable, "hog"))]);
    let shortage = verdicts[0].shortage.as_ref().unwrap();
    assert_eq!(
        shortage.acts_at.since(shortage.since),
        Duration::from_secs(60)
    );
    assert!(engine.pods().killed().is_empty());
    assert_eq!(
        engine.pods().listings.len(),
        listings + 1,
        "listed when asked"
    );
}

/// Nobody is shown a pod by sizes of before the disk was short.
#[test]
fn next_pod_for_a_disk_is_known_once_measured() {
    let mut settings = Settings::default();
    let soft = Lists {
        soft: "nodefs.available<100Mi",
        soft_grace_period: "nodefs.available=1m",
        ..Lists::default()
    };
    settings.evict.thresholds = parse(&soft).unwrap();
    let mut pods = pods();
    pods.disk_measured_from = Some(at(1000));
    let mut engine = engine(settings, pods);
    turn(&mut engine, 0);
    set(&mut engine, WHOLE, 50 * MIB);
    engine.round_now();
    turn(&mut engine, 2000);
    assert_eq!(engine.verdicts(at(2000)), []);
    engine.pods_mut().disk_measured_from = Some(at(2000));
    let verdicts = engine.verdicts(at(3000));
    let told: Vec<_> = verdicts.iter().filter_map(next).collect();
    assert_eq!(told.first(), Some(&(Signal::NodefsAvailable, "hog")));
}

#[test]
fn gate_that_holds_an_eviction_back_is_known_while_it_holds() {
    let mut pods = pods();
    pods.lacks_descriptors = true;
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 0);
    assert_eq!(engine.held_back_by(), Some(Gate::NoDescriptors));
    let pod = engine.evict().proposed().unwrap();
    assert_eq!(
        (pod.signal, pod.name),
        (Some(Signal::MemoryAvailable), "hog")
    );
    set(&mut engine, WHOLE, WHOLE);
    engine.round_now();
    turn(&mut engine, 100);
    assert_eq!(engine.held_back_by(), None, "the threshold has cleared");
    set(&mut engine, 50 * MIB, WHOLE);
    engine.round_now();
    turn(&mut engine, 200);
    engine.pods_mut().lacks_descriptors = false;
    turn(&mut engine, 300);
    assert_eq!(engine.held_back_by(), None);
    assert_eq!(engine.pods().killed(), ["hog"]);
}
