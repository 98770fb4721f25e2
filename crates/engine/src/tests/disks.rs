//! What is decided about a disk, by what was measured of it.

use evictd_node::Signal;
use evictd_node::pod::Container;
use evictd_node::pod::usage::MountUsage;

use core::time::Duration;

use super::script::*;
use crate::fake::{FakePod, FakePods};
use crate::ports::{Disk, Sample};

/// A pod of this priority that holds so much.
fn holding(name: &str, priority: i32, bytes: u64) -> FakePod {
    let mut pod = FakePod::new(name, bytes);
    pod.pod.spec.priority = Some(priority);
    pod
}

/// Acceptance row 257: a pod has filled the disk since it was measured that it held nothing.
/// It was passed over then, and one of a higher priority went in its place.
#[test]
fn what_decides_about_a_disk_is_measured_after_it_ran_short() {
    let mut pods = FakePods::of([holding("low", 0, 0), holding("high", 1000, 60 << 20)]);
    pods.disk_measured_from = Some(at(2000));
    let mut engine = engine(settings("nodefs.available<100Mi"), pods);
    set(&mut engine, WHOLE, 500 * MIB);
    for now in (0..3000).step_by(50) {
        turn(&mut engine, now);
    }
    set(&mut engine, WHOLE, 50 * MIB);
    engine.round_now();
    for now in (3000..6000).step_by(50) {
        turn(&mut engine, now);
    }
    assert!(
        engine.pods().killed().is_empty(),
        "its size is a second old"
    );
    engine.pods_mut().running = vec![holding("low", 0, 60 << 20), holding("high", 1000, 60 << 20)];
    engine.pods_mut().disk_measured_from = Some(at(3000));
    turn(&mut engine, 6000);
    assert_eq!(engine.pods().killed(), ["low"]);
}

/// Found by the simulator (seeds 237 and 924): a minute was lost to a runtime, or to a node that
/// could not be read, and the wait for sizes was over when it was first looked at again.
#[test]
fn who_could_not_look_has_not_waited_for_what_is_measured() {
    let mut pods = FakePods::of([holding("low", 0, 0), holding("high", 1000, 60 << 20)]);
    pods.disk_measured_from = Some(at(2000));
    let mut engine = engine(settings("nodefs.available<100Mi"), pods);
    set(&mut engine, WHOLE, 50 * MIB);
    turn(&mut engine, 3000);
    engine.node_mut().set(Sample::default());
    for now in (3050..20_000).step_by(50) {
        turn(&mut engine, now);
    }
    set(&mut engine, WHOLE, 50 * MIB);
    engine.round_now();
    turn(&mut engine, 20_000);
    assert!(engine.pods().killed().is_empty(), "by sizes of long ago");
    engine.pods_mut().running = vec![holding("low", 0, 60 << 20), holding("high", 1000, 60 << 20)];
    for now in (20_050..21_000).step_by(50) {
        engine.pods_mut().disk_measured_from = Some(at(now));
        turn(&mut engine, now);
    }
    assert_eq!(engine.pods().killed(), ["low"]);
}

/// Found by the simulator (seed 410673): the same more than once: a list of pods that took long,
/// a node that could not be read, a kill that got stuck.
#[test]
fn who_could_not_look_again_and_again_has_not_waited_either() {
    let mut pods = FakePods::of([holding("low", 0, 0), holding("high", 1000, 60 << 20)]);
    pods.disk_measured_from = Some(at(2000));
    let mut engine = engine(settings("nodefs.available<100Mi"), pods);
    set(&mut engine, WHOLE, 50 * MIB);
    for now in [3000, 5000, 35_000, 60_000] {
        engine.round_now();
        turn(&mut engine, now);
        let killed = engine.pods().killed();
        assert!(killed.is_empty(), "by sizes of long ago, at {now} ms");
    }
    // A loop that is always late waits no longer.
    for now in [72_000, 84_000] {
        engine.round_now();
        turn(&mut engine, now);
    }
    assert_eq!(engine.pods().killed(), ["high"]);
}

/// Acceptance row 257: a loop that has stood still goes by no size from before.
#[test]
fn after_standing_still_all_is_measured_anew_for_a_disk() {
    let idle = FakePods::of([holding("low", 0, 0), holding("high", 1000, 0)]);
    let mut engine = engine(settings("nodefs.available<100Mi"), idle);
    set(&mut engine, WHOLE, 50 * MIB);
    for now in (0..10_000).step_by(50) {
        engine.pods_mut().disk_measured_from = Some(at(now));
        engine.round_now();
        turn(&mut engine, now);
    }
    // A round was due after ten seconds.
    turn(&mut engine, 22_000);
    assert_eq!(engine.pods().disk_wanted, at(22_000));
}

/// Acceptance row 257: a disk is short for long and no pod holds anything. They are measured
/// now and then only; who begins to fill it is chosen all the same by numbers of one moment.
#[test]
fn a_disk_that_is_short_for_long_is_measured_anew_once_a_pod_would_go() {
    let idle = || vec![holding("low", 0, 0), holding("high", 1000, 0)];
    let mut engine = engine(settings("nodefs.available<100Mi"), FakePods::of(idle()));
    set(&mut engine, WHOLE, 50 * MIB);
    let measured = |engine: &mut Fake, from: u64, until: u64, lag: u64| {
        for now in (from..until).step_by(50) {
            engine.pods_mut().disk_measured_from = Some(at(now.saturating_sub(lag)));
            engine.round_now();
            turn(engine, now);
        }
    };
    // By the slow walk alone, each number is some seconds old.
    measured(&mut engine, 0, 20_000, 0);
    let asked = engine.pods().disk_wanted;
    measured(&mut engine, 20_000, 60_000, 9_000);
    assert!(
        engine.pods().disk_wanted < at(51_000),
        "{:?}",
        engine.pods().disk_wanted
    );
    assert!(asked < at(20_000) && engine.pods().killed().is_empty());
    // Of one it is known, of the other not yet.
    engine.pods_mut().running = vec![holding("low", 0, 0), holding("high", 1000, 60 << 20)];
    measured(&mut engine, 60_000, 61_000, 9_000);
    assert!(engine.pods().killed().is_empty());
    assert!(
        engine.pods().disk_wanted >= at(60_000),
        "{:?}",
        engine.pods().disk_wanted
    );
    engine.pods_mut().running = vec![holding("low", 0, 60 << 20), holding("high", 1000, 60 << 20)];
    measured(&mut engine, 61_000, 61_200, 0);
    assert_eq!(engine.pods().killed(), ["low"]);
}

/// Acceptance row 256: a container fills a volume, which stays when it is gone. It is stopped,
/// nobody else is, and what remains is told.
#[test]
fn who_fills_a_volume_is_stopped_and_the_volume_stays() {
    let mut hog = FakePod::new("hog", 512 << 10);
    let media = MountUsage {
        path: "/var/lib/docker/volumes/media/_data".into(),
        used_bytes: Some(600 << 20),
        ..MountUsage::default()
    };
    hog.usage.as_mut().unwrap().mounts = vec![media];
    hog.pod.metadata.namespace = "docker".into();
    let container = Container {
        name: "hog".into(),
        ..Container::default()
    };
    hog.pod.spec.containers.push(container);
    let mut pods = FakePods::of([FakePod::new("innocent", 19 << 20), hog]);
    pods.files_stay = true;
    let mut engine = engine(settings("nodefs.available<100Mi"), pods);
    set(&mut engine, WHOLE, 0);
    let mut told = Vec::new();
    for seconds in 0..120 {
        told.extend(lines(&mut engine, seconds * 1000));
    }
    assert_eq!(engine.pods().killed(), ["hog"]);
    let evicting = told
        .iter()
        .find(|line| line.starts_with("evicting"))
        .unwrap();
    assert!(evicting.contains("the pod uses 600Mi"), "{evicting}");
    let killed = told.iter().find(|line| line.contains("is gone")).unwrap();
    let stays = "; volume media, which it wrote to, holds 600Mi and stays: `docker rm hog && docker \
                 volume rm media` frees it";
    assert!(killed.contains(stays), "{killed}");
    let why = "volume media holds 600Mi and its container has ended; free it with `docker rm hog \
               && docker volume rm media`";
    let nothing = format!("nodefs.available is short and no pod is evicted: {why}");
    let times = told.iter().filter(|line| **line == nothing).count();
    assert_eq!(times, 1, "{told:?}");
    // Acceptance row 371: whoever asks later is told so too, for as long as it is short.
    let verdicts = engine.verdicts(at(130_000));
    let told: Vec<String> = verdicts
        .iter()
        .filter(|verdict| verdict.signal == Signal::NodefsAvailable)
        .filter_map(|verdict| Some(verdict.why_none()?.to_string()))
        .collect();
    assert_eq!(told, [why]);
    set(&mut engine, WHOLE, WHOLE);
    lines(&mut engine, 130_000);
    assert_eq!(engine.verdicts(at(130_000)), []);
}

/// Acceptance row 298: a disk that fills at 30 MiB/s is looked at each half second once the
/// threshold would be met before the round after the next one, and seldom while it rests.
#[test]
fn a_disk_that_fills_fast_is_looked_at_each_half_second() {
    let mut engine = engine(settings("nodefs.available<100Mi"), FakePods::default());
    let mut rounds = Vec::new();
    for millis in (0..60_000).step_by(100) {
        let filled = 30 * MIB * i64::try_from(millis).unwrap().saturating_sub(17_000).max(0) / 1000;
        set(&mut engine, WHOLE, (WHOLE - filled).max(0));
        let before = engine.wake_at(at(millis));
        engine.run_due(at(millis));
        if before <= at(millis) {
            rounds.push(millis);
            // Whatever else begins one, such as a container that a runtime tells of.
            engine.round_now();
            engine.run_due(at(millis + 3));
        }
        if engine.evict().met().next().is_some() {
            break;
        }
    }
    let met = *rounds.last().unwrap();
    // 1000 MiB less 30 MiB a second are below 100 MiB after the 47th second.
    assert!((47_000..=47_600).contains(&met), "{met}: {rounds:?}");
    let early = rounds.iter().filter(|at| **at < 17_000).count();
    assert!(early <= 5, "{rounds:?}");
}

/// Acceptance row 298: a disk that was late to answer is not left for a whole interval.
#[test]
fn a_disk_that_was_late_to_answer_is_asked_again_soon() {
    let mut engine = engine(settings("nodefs.available<100Mi"), FakePods::default());
    let mut late = sample(WHOLE, WHOLE);
    for (stale, millis) in [(false, 10_000), (true, 500)] {
        late.nodefs = Some(Disk {
            device: (8, 1),
            stale,
        });
        engine.node_mut().set(late);
        engine.round_now();
        turn(&mut engine, 0);
        assert_eq!(sleep(&engine, 0), Duration::from_millis(millis), "{stale}");
    }
}

/// Acceptance row 401. Which signals are met, and for which no pod is evicted, is known of all.
#[test]
fn a_filesystem_that_several_signals_are_about_is_told_of_once() {
    let disk = |minor| {
        Some(Disk {
            device: (8, minor),
            stale: false,
        })
    };
    let of = |left, layers| {
        let mut both = sample(WHOLE, left);
        let reading = both.readings.get(Signal::NodefsAvailable);
        both.readings.set(Signal::ContainerfsAvailable, reading);
        (both.nodefs, both.containerfs) = (disk(1), disk(layers));
        both
    };
    for (layers, times) in [(1, 1), (2, 2)] {
        let mut engine = engine(settings("nodefs.available<100Mi"), FakePods::default());
        engine.node_mut().set(of(50 * MIB, layers));
        let mut told = lines(&mut engine, 0);
        let spared = engine.verdicts(at(0)).len();
        engine.node_mut().set(of(WHOLE, layers));
        engine.round_now();
        told.extend(lines(&mut engine, 1000));
        for word in [
            "below the hard threshold",
            "there is no pod",
            "no threshold of it is met",
        ] {
            let with_word = told.iter().filter(|line| line.contains(word));
            assert_eq!(with_word.count(), times, "{word}: {told:#?}");
        }
        assert_eq!(spared, 2);
    }
}

/// Why no pod is evicted for a disk holds on when one is evicted for memory: that is no news.
#[test]
fn why_nobody_is_evicted_for_a_disk_is_not_told_anew_after_an_eviction_for_memory() {
    let hard = "memory.available<100Mi,nodefs.available<100Mi";
    let without_disk = |name, bytes| {
        let mut pod = FakePod::new(name, bytes);
        pod.usage.as_mut().unwrap().containers[0].rootfs_bytes = Some(0);
        pod
    };
    let pods = FakePods::of([
        without_disk("big", 60 << 20),
        without_disk("small", 1 << 20),
    ]);
    let mut engine = engine(settings(hard), pods);
    set(&mut engine, WHOLE, 50 * MIB);
    let mut told = turn(&mut engine, 0);
    set(&mut engine, 50 * MIB, 50 * MIB);
    for now in [10_000, 10_100, 10_200] {
        engine.round_now();
        told.extend(turn(&mut engine, now));
    }
    set(&mut engine, WHOLE, 50 * MIB);
    for now in (11_000..60_000).step_by(1000) {
        engine.round_now();
        told.extend(turn(&mut engine, now));
    }
    let count = |name| told.iter().filter(|told| **told == name).count();
    assert!(count("evicting") > 0, "{told:?}");
    assert_eq!(count("no_candidate"), 1, "{told:?}");
}
