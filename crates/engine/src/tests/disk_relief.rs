//! What is given back of a disk before a pod is evicted for it.

use alloc::collections::VecDeque;

use evictd_gc::ImageJob;
use evictd_node::pod::Container;
use evictd_node::{Reading, ReliefStep, Signal, Unit};
use evictd_threshold::{Lists, parse};
use proptest::prelude::*;

use super::script::*;
use crate::fake::{FakePod, FakePods};
use crate::ports::{Collect, Collected, Disk, Job, Relief, Sample};

/// A pod holds the disk that is short, and one runtime answers.
fn short_of_disk(flag: &str) -> Fake {
    let mut settings = settings(flag);
    settings.images_until_clear = true;
    let mut pods = FakePods::of([FakePod::new("holder", 60 << 20)]);
    pods.has_runtime = true;
    let mut engine = engine(settings, pods);
    engine.reclaim_mut().runtimes = 1;
    set_disk(&mut engine, Signal::NodefsAvailable, 50 * MIB);
    engine
}

/// What is left of the disk from now on, which has a device.
fn set_disk(engine: &mut Fake, signal: Signal, available: i64) {
    let mut sample = sample(WHOLE, WHOLE);
    let reading = Reading {
        available,
        capacity: WHOLE,
        sampled: None,
    };
    sample.readings.set(signal, Some(reading));
    sample.nodefs = Some(Disk {
        device: (8, 1),
        stale: false,
    });
    engine.node_mut().set(sample);
}

/// Answers whatever is awaited, as if nothing were to be had, until a pod is chosen; returns
/// the rungs that were climbed.
fn climbed(engine: &mut Fake) -> Vec<Relief> {
    climbed_from(engine, 0)
}

/// What the jobs that were handed over since ask for; each is told to have given nothing.
fn answered(engine: &mut Fake) -> Vec<Collect> {
    let reclaim = engine.reclaim_mut();
    let jobs = core::mem::take(&mut reclaim.jobs).into_iter();
    jobs.map(|Job { number, what, .. }| {
        reclaim.relieved.push((number, Ok(Collected::default())));
        what
    })
    .collect()
}

/// Climbs from that millisecond on.
fn climbed_from(engine: &mut Fake, begin: u64) -> Vec<Relief> {
    let mut climbed = Vec::new();
    for now in (begin..begin + 20_000).step_by(50) {
        turn(engine, now);
        for what in answered(engine) {
            if let Collect::Step(relief) = what {
                assert!(engine.pods().killed().is_empty(), "{relief:?} comes first");
                climbed.push(relief);
            }
        }
        if !engine.pods().killed().is_empty() {
            break;
        }
    }
    climbed
}

/// Acceptance row 289.
#[test]
fn each_rung_is_climbed_before_a_pod_is_evicted() {
    let mut engine = short_of_disk("nodefs.available<100Mi");
    let rungs = climbed(&mut engine);
    let order: Vec<ReliefStep> = rungs.iter().map(|relief| relief.rung).collect();
    assert_eq!(order, ReliefStep::ALL);
    for relief in rungs {
        assert_eq!((relief.missing, relief.unit), (Some(50 << 20), Unit::Bytes));
    }
    assert_eq!(engine.pods().killed(), ["holder"]);
}

/// Acceptance row 289: a disk under load is late to say what is left of it while a rung is being
/// climbed; that is no reason to leave out the others.
#[test]
fn a_disk_that_is_late_meanwhile_costs_no_rung() {
    for late_at in 2..6 {
        let mut engine = short_of_disk("nodefs.available<100Mi");
        let (mut steps, mut was_late) = (2, false);
        for now in (0..20_000).step_by(50) {
            engine.round_now();
            turn(&mut engine, now);
            for Job { number, what, .. } in core::mem::take(&mut engine.reclaim_mut().jobs) {
                let before = steps;
                if let Collect::Step(relief) = what {
                    steps = 3 + relief.rung as usize;
                }
                if before == late_at && !was_late {
                    was_late = true;
                    let mut late = sample(WHOLE, WHOLE);
                    late.readings.set(Signal::NodefsAvailable, None);
                    engine.node_mut().set(late);
                    engine.round_now();
                    turn(&mut engine, now + 10);
                    set_disk(&mut engine, Signal::NodefsAvailable, 50 * MIB);
                }
                let answer = (number, Ok(Collected::default()));
                engine.reclaim_mut().relieved.push(answer);
            }
            if !engine.pods().killed().is_empty() {
                break;
            }
        }
        assert_eq!(steps, 3 + ReliefStep::Reserve as usize, "late at {late_at}");
        assert_eq!(engine.pods().killed(), ["holder"]);
    }
}

/// Found by the simulator (seed 546): the disk could not be read after one rung, which counted as
/// enough, and a moment later a pod was evicted though three rungs were left.
#[test]
fn a_disk_that_cannot_be_read_after_a_rung_ends_no_ladder() {
    let mut engine = short_of_disk("nodefs.available<100Mi");
    let known = sample(WHOLE, 50 * MIB);
    let mut unknown = known;
    unknown.readings.set(Signal::NodefsAvailable, None);
    let disk = Some(Disk {
        device: (8, 1),
        stale: false,
    });
    let samples = [known, known, unknown, known].map(|sample| Sample {
        nodefs: disk,
        ..sample
    });
    engine.node_mut().samples = VecDeque::from(samples);
    let rungs: Vec<ReliefStep> = climbed(&mut engine)
        .iter()
        .map(|relief| relief.rung)
        .collect();
    assert_eq!(rungs.last_chunk(), Some(&ReliefStep::ALL));
    assert_eq!(engine.pods().killed(), ["holder"]);
}

/// Found by the simulator (seed 6485): memory ran short while a rung was climbed, the ladder was
/// taken for climbed, and the next round evicted a pod for the disk.
#[test]
fn memory_that_comes_between_ends_no_ladder() {
    let mut hog = FakePod::new("hog", 61 << 20);
    hog.dies_after = None;
    let mut pods = FakePods::of([FakePod::new("holder", 60 << 20), hog]);
    pods.has_runtime = true;
    let mut engine = engine(
        settings("memory.available<100Mi,nodefs.available<100Mi"),
        pods,
    );
    engine.reclaim_mut().runtimes = 1;
    set_disk(&mut engine, Signal::NodefsAvailable, 50 * MIB);
    turn(&mut engine, 0);
    let mut short = sample(50 * MIB, 50 * MIB);
    short.nodefs = engine
        .node_mut()
        .samples
        .front()
        .and_then(|sample| sample.nodefs);
    engine.node_mut().set(short);
    turn(&mut engine, 1000);
    assert_eq!(engine.pods().killed(), ["hog"]);
    let mut climbed = Vec::new();
    for now in (1050..40_000).step_by(50) {
        if now == 1200 {
            set_disk(&mut engine, Signal::NodefsAvailable, 50 * MIB);
        }
        let jobs = core::mem::take(&mut engine.reclaim_mut().jobs);
        for Job { number, what, .. } in jobs {
            let answer = (number, Ok(Collected::default()));
            engine.reclaim_mut().relieved.push(answer);
            if let Collect::Step(relief) = what {
                climbed.push(relief.rung);
            }
        }
        turn(&mut engine, now);
        if engine.pods().killed().len() > 1 {
            break;
        }
    }
    // The build cache was asked for before memory came between, too.
    assert_eq!(climbed.last_chunk(), Some(&ReliefStep::ALL));
    assert_eq!(engine.pods().killed(), ["hog", "holder"]);
}

/// Found by the simulator (seed 7144): a regular collection had made room while a reclaim began,
/// which then gave nothing and was enough; the disk filled again within ten seconds, and a pod
/// was evicted though no rung had been tried.
#[test]
fn a_reclaim_that_needed_no_rung_says_nothing_of_rungs() {
    let mut engine = short_of_disk("nodefs.available<100Mi");
    turn(&mut engine, 0);
    set_disk(&mut engine, Signal::NodefsAvailable, 500 * MIB);
    answered(&mut engine);
    turn(&mut engine, 50);
    set_disk(&mut engine, Signal::NodefsAvailable, 50 * MIB);
    let rungs: Vec<ReliefStep> = climbed(&mut engine)
        .iter()
        .map(|relief| relief.rung)
        .collect();
    assert_eq!(rungs, ReliefStep::ALL);
}

/// Found by the simulator (seed 1250): for inodes two rungs had given nothing; bytes ran short
/// within ten seconds, and a pod was evicted though the reserve lay there.
#[test]
fn what_gave_no_inodes_may_give_bytes() {
    let mut engine = short_of_disk("nodefs.inodesFree<100Mi,nodefs.available<100Mi");
    set_disk(&mut engine, Signal::NodefsInodesFree, 50 * MIB);
    for now in (0..1000).step_by(50) {
        turn(&mut engine, now);
        answered(&mut engine);
    }
    assert!(engine.pods().killed().is_empty(), "it holds no inodes");
    set_disk(&mut engine, Signal::NodefsAvailable, 50 * MIB);
    engine.round_now();
    let rungs: Vec<ReliefStep> = climbed_from(&mut engine, 1000)
        .iter()
        .map(|relief| relief.rung)
        .collect();
    assert_eq!(rungs, ReliefStep::ALL);
}

/// Found by the simulator (seeds 122498 and 139403): a directory took long to be relieved for
/// inodes, or for a soft threshold; bytes fell below a hard one meanwhile, and a pod was evicted
/// though nobody had asked for the reserve.
#[test]
fn what_runs_short_while_the_ladder_is_climbed_gets_all_of_its_rungs() {
    let mut engine = short_of_disk("nodefs.inodesFree<100Mi,nodefs.available<100Mi");
    set_disk(&mut engine, Signal::NodefsInodesFree, 50 * MIB);
    let mut climbed = Vec::new();
    for now in (0..20_000).step_by(50) {
        turn(&mut engine, now);
        let jobs = core::mem::take(&mut engine.reclaim_mut().jobs);
        for Job { number, what, .. } in jobs {
            if let Collect::Step(relief) = what {
                climbed.push(relief.rung);
                set_disk(&mut engine, Signal::NodefsAvailable, 50 * MIB);
                engine.round_now();
                turn(&mut engine, now + 10);
            }
            let answer = (number, Ok(Collected::default()));
            engine.reclaim_mut().relieved.push(answer);
        }
        if !engine.pods().killed().is_empty() {
            break;
        }
    }
    assert_eq!(climbed.last_chunk(), Some(&ReliefStep::ALL), "{climbed:?}");
    assert_eq!(engine.pods().killed(), ["holder"]);
}

/// Nothing at all could be read after a reclaim (seed 74).
#[test]
fn a_pod_is_not_evicted_by_what_was_read_before_the_ladder() {
    let mut engine = short_of_disk("nodefs.available<100Mi");
    turn(&mut engine, 0);
    engine.node_mut().set(Sample::default());
    for now in (0..60_000).step_by(50) {
        turn(&mut engine, now);
        answered(&mut engine);
    }
    assert!(engine.pods().killed().is_empty());
}

/// Acceptance row 289: what a rung gave back is measured before the next one.
#[test]
fn a_rung_that_gave_enough_is_the_last() {
    let mut engine = short_of_disk("nodefs.available<100Mi");
    let mut last = None;
    for now in (0..2000).step_by(50) {
        turn(&mut engine, now);
        let jobs = core::mem::take(&mut engine.reclaim_mut().jobs);
        for Job { number, what, .. } in jobs {
            let done = match what {
                Collect::Step(relief) => {
                    last = Some(relief.rung);
                    if relief.rung == ReliefStep::Logs {
                        set_disk(&mut engine, Signal::NodefsAvailable, 500 * MIB);
                    }
                    Collected {
                        removed: 1,
                        text: "gave up".into(),
                        ..Collected::default()
                    }
                }
                Collect::Containers { .. }
                | Collect::Images(_)
                | Collect::OwnLog { .. }
                | Collect::Tidy => Collected::default(),
            };
            engine.reclaim_mut().relieved.push((number, Ok(done)));
        }
    }
    assert_eq!(last, Some(ReliefStep::Logs));
    assert!(engine.pods().killed().is_empty());
}

/// Found by the simulator (seeds 412 and 442): a build cache had cleared the hard threshold, and
/// for the soft one that was still met a log lost its old part.
#[test]
fn what_the_hard_threshold_needs_no_more_is_not_given_up_for_the_soft_one() {
    let lists = Lists {
        hard: "nodefs.available<100Mi",
        soft: "nodefs.available<300Mi",
        soft_grace_period: "nodefs.available=1s",
        ..Lists::default()
    };
    for cleared_by in [ReliefStep::BuildCache, ReliefStep::Logs] {
        let mut settings = settings("");
        settings.evict.thresholds = parse(&lists).unwrap();
        let mut pods = FakePods::of([FakePod::new("holder", 60 << 20)]);
        pods.has_runtime = true;
        let mut engine = engine(settings, pods);
        engine.reclaim_mut().runtimes = 1;
        set_disk(&mut engine, Signal::NodefsAvailable, 250 * MIB);
        turn(&mut engine, 0);
        set_disk(&mut engine, Signal::NodefsAvailable, 50 * MIB);
        let mut climbed = Vec::new();
        for now in (2000..4000).step_by(50) {
            engine.round_now();
            turn(&mut engine, now);
            for what in answered(&mut engine) {
                if let Collect::Step(relief) = what {
                    climbed.push((relief.rung, relief.missing.unwrap() >> 20));
                    if relief.rung == cleared_by {
                        set_disk(&mut engine, Signal::NodefsAvailable, 200 * MIB);
                    }
                }
            }
            if climbed
                .iter()
                .any(|(rung, _)| *rung == ReliefStep::Directories)
            {
                break;
            }
        }
        let mut expected = vec![
            (ReliefStep::BuildCache, 250),
            (ReliefStep::Directories, 100),
        ];
        if cleared_by == ReliefStep::Logs {
            expected.insert(1, (ReliefStep::Logs, 50));
        }
        assert_eq!(climbed, expected);
    }
}

/// Acceptance row 289: a log is given up at a hard threshold only, and holds no inodes.
#[test]
fn for_inodes_no_log_is_given_up() {
    let mut engine = short_of_disk("nodefs.inodesFree<100");
    set_disk(&mut engine, Signal::NodefsInodesFree, 50);
    let order: Vec<ReliefStep> = climbed(&mut engine)
        .iter()
        .map(|relief| relief.rung)
        .collect();
    assert_eq!(order, [ReliefStep::BuildCache, ReliefStep::Directories]);
}

/// Acceptance row 290: what was given up is taken back only while no disk is short.
#[test]
fn it_is_tidied_up_once_no_disk_is_short() {
    let mut engine = short_of_disk("nodefs.available<100Mi");
    let tidies = |engine: &mut Fake| {
        let jobs = answered(engine).into_iter();
        jobs.filter(|what| *what == Collect::Tidy).count()
    };
    let mut during = 0;
    for now in (0..130_000).step_by(1000) {
        turn(&mut engine, now);
        during += tidies(&mut engine);
    }
    assert_eq!(during, 0);
    set_disk(&mut engine, Signal::NodefsAvailable, 500 * MIB);
    let mut after = 0;
    for now in (130_000..800_000).step_by(1000) {
        turn(&mut engine, now);
        after += tidies(&mut engine);
    }
    assert!((1..=12).contains(&after), "{after}");
}

/// A pod that holds 60 MiB of its disk limit of 40 MiB, where so many relieve logs.
fn with_a_limit(answers: usize) -> Fake {
    let mut settings = settings("nodefs.available<1Mi");
    settings.evict.local_storage_isolation = true;
    let mut holder = FakePod::new("holder", 60 << 20);
    let mut container = Container::default();
    container.resources.limits.ephemeral_storage = Some(Box::new("40Mi".parse().unwrap()));
    holder.pod.spec.containers.push(container);
    let mut pods = FakePods::of([holder]);
    (pods.has_runtime, pods.limits) = (true, true);
    let mut engine = engine(settings, pods);
    engine.reclaim_mut().runtimes = answers;
    engine
}

/// What comes before a kill goes by the last look, and so by one during a kill.
#[test]
fn what_is_left_of_memory_while_a_pod_dies_is_known() {
    let mut big = FakePod::new("big", 400 << 20);
    big.dies_after = Some(core::time::Duration::from_secs(3));
    let mut engine = engine(settings("memory.available<100Mi"), FakePods::of([big]));
    let left = |engine: &Fake| {
        engine
            .memory()
            .get(Signal::MemoryAvailable)
            .unwrap()
            .available
    };
    engine.node_mut().set(sample(50 * MIB, WHOLE));
    turn(&mut engine, 0);
    assert_eq!(left(&engine), 50 * MIB);
    engine.node_mut().set(sample(20 * MIB, WHOLE));
    turn(&mut engine, 1000);
    assert!(engine.is_killing());
    assert_eq!(left(&engine), 20 * MIB);
}

/// Two pods are above their limits, and the kill of one takes a second, in which an operator
/// protects the other.
#[test]
fn who_is_protected_while_another_dies_is_not_ended_for_its_limit() {
    for is_protected in [false, true] {
        let mut engine = with_a_limit(0);
        let pods = engine.pods_mut();
        let mut other = pods.running[0].clone();
        other.pod.metadata.uid = "other".into();
        pods.running[0].dies_after = Some(core::time::Duration::from_secs(1));
        pods.running.push(other);
        for now in (0..40_000).step_by(50) {
            turn(&mut engine, now);
            let pods = engine.pods_mut();
            if is_protected && !pods.killed().is_empty() {
                pods.running.last_mut().unwrap().pod.mark_static();
            }
        }
        let expected: &[&str] = if is_protected {
            &["holder"]
        } else {
            &["holder", "other"]
        };
        assert_eq!(engine.pods().killed(), expected);
    }
}

/// Who reads the log has the limit, what was held, and what frees it (docs/nodes/docker.md).
#[test]
fn the_lines_for_a_limit_say_which_and_what_the_pod_held() {
    let mut engine = with_a_limit(0);
    let pods = engine.pods_mut();
    pods.files_stay = true;
    pods.running[0].pod.metadata.namespace = "docker".into();
    pods.running[0].pod.spec.containers[0].name = "holder".into();
    let usage = pods.running[0].usage.as_mut().unwrap();
    usage.ephemeral_storage_bytes = Some(60 << 20);
    let told: Vec<String> = (0..400)
        .flat_map(|tenth| lines(&mut engine, tenth * 100))
        .collect();
    let has = |part: &str| assert!(told.iter().any(|line| line.contains(part)), "{told:#?}");
    has(
        "evicting pod docker/holder (grace 1 s): above its ephemeral-storage limit: it uses 60Mi \
         of disks. Pod ephemeral local storage usage exceeds the total limit of containers 40Mi.",
    );
    has("wrote, at least 60Mi, stay on the disk until its container is removed: docker rm holder");
}

/// When it was evicted, and what its log was asked for, where that gives back so much at each
/// time.
fn above_its_limit(mut gives: Vec<u64>, answers: usize) -> (Option<u64>, Vec<u64>) {
    let mut engine = with_a_limit(answers);
    let (mut asked, mut held) = (Vec::new(), 60_u64 << 20);
    for now in (0..40_000).step_by(50) {
        turn(&mut engine, now);
        for Job { number, what, .. } in core::mem::take(&mut engine.reclaim_mut().jobs) {
            let mut done = Collected::default();
            if let Collect::OwnLog { uid, missing } = what {
                asked.push(missing >> 20);
                let given = gives.pop().unwrap_or(0);
                (done.removed, held) = (usize::from(given > 0), held - (given << 20));
                assert_eq!(&*uid, "holder");
            }
            let usage = engine.pods_mut().running[0].usage.as_mut().unwrap();
            usage.containers[0].rootfs_bytes = Some(held);
            engine.reclaim_mut().relieved.push((number, Ok(done)));
        }
        if !engine.pods().killed().is_empty() {
            return (Some(now), asked);
        }
    }
    (None, asked)
}

/// Acceptance row 291: a pod above its limit of disk loses the old part of its log first, and is
/// ended where that is not enough.
#[test]
fn before_a_pod_is_ended_for_its_limit_its_log_is_given_up() {
    for (gives, answers, is_ended, expected) in [
        (vec![30], 1, false, vec![20]),
        (vec![], 1, true, vec![20]),
        (vec![30, 5], 1, false, vec![20, 15]),
        (vec![0, 5], 1, true, vec![20, 15]),
        (vec![], 0, true, vec![20]), // nothing relieves logs here
    ] {
        let (ended, asked) = above_its_limit(gives.clone(), answers);
        assert_eq!((ended.is_some(), asked), (is_ended, expected), "{gives:?}");
    }
}

/// A log that is not given up yet, or a disk that nobody has measured since, keeps the pod
/// from being ended for its limit, and holds back nothing that is done for a threshold.
#[test]
fn a_disk_that_is_short_does_not_wait_for_a_log() {
    for is_answered in [false, true] {
        let mut engine = with_a_limit(1);
        let (mut is_asked, mut for_the_disk) = (false, 0);
        for now in (0..36_000).step_by(50) {
            if now == 25_000 {
                assert!(is_asked && engine.pods().killed().is_empty());
                set_disk(&mut engine, Signal::NodefsAvailable, 0);
            }
            turn(&mut engine, now);
            for Job { number, what, .. } in core::mem::take(&mut engine.reclaim_mut().jobs) {
                for_the_disk += usize::from(matches!(what, Collect::Step(_)));
                if let Collect::OwnLog { .. } = what {
                    is_asked = true;
                    engine.pods_mut().disk_measured_at = Some(at(60_000));
                    let given = Collected {
                        removed: 1,
                        ..Collected::default()
                    };
                    if is_answered {
                        engine.reclaim_mut().relieved.push((number, Ok(given)));
                    }
                }
            }
        }
        assert!(
            for_the_disk > 0,
            "the log's answer was there: {is_answered}"
        );
    }
}

/// What each step can give back, in MiB: build cache, dead containers, images, the other rungs.
fn gains() -> impl Strategy<Value = [i64; 6]> {
    prop::array::uniform6(prop_oneof![2 => Just(0_i64), 3 => 1_i64..60])
}

/// Climbs with these gains, each of which can be had once. Returns the steps in their order,
/// and whether a pod was evicted; 100 MiB have to be left.
fn climb(left: i64, gains: [i64; 6]) -> (Vec<usize>, bool) {
    let mut engine = short_of_disk("nodefs.available<100Mi");
    let (mut left, mut gains, mut steps) = (left, gains, Vec::new());
    set_disk(&mut engine, Signal::NodefsAvailable, left * MIB);
    for now in (0..8000).step_by(100) {
        turn(&mut engine, now);
        let jobs = core::mem::take(&mut engine.reclaim_mut().jobs);
        for Job { number, what, .. } in jobs {
            let step = match what {
                Collect::Containers {
                    all_unused: true, ..
                } => Some(1),
                Collect::Images(ImageJob::DeleteUnused { .. }) => Some(2),
                Collect::Step(relief) if relief.rung == ReliefStep::BuildCache => Some(0),
                Collect::Step(relief) => Some(2 + relief.rung as usize),
                Collect::Containers { .. }
                | Collect::Images(_)
                | Collect::OwnLog { .. }
                | Collect::Tidy => None,
            };
            let gain = step.map_or(0, |step| core::mem::take(&mut gains[step]));
            if let Some(step) = step {
                assert!(
                    left < 100 && engine.pods().killed().is_empty(),
                    "in vain: {step}"
                );
                steps.push(step);
            }
            left += gain;
            set_disk(&mut engine, Signal::NodefsAvailable, left * MIB);
            let done = Collected {
                removed: usize::from(gain > 0),
                ..Collected::default()
            };
            engine.reclaim_mut().relieved.push((number, Ok(done)));
        }
        if !engine.pods().killed().is_empty() {
            return (steps, true);
        }
    }
    (steps, false)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Acceptance row 289: whatever can be had, all of it is tried before a pod is evicted,
    /// each step once and in order, none in vain; and nobody is evicted where it is enough.
    #[test]
    fn a_pod_is_evicted_only_where_all_rungs_together_are_not_enough(left in 0_i64..100, gains in gains()) {
        let (steps, is_evicted) = climb(left, gains);
        let mut sum = left;
        let mut needed = Vec::new();
        for (step, gain) in gains.into_iter().enumerate() {
            if sum >= 100 {
                break;
            }
            needed.push(step);
            sum += gain;
        }
        prop_assert_eq!(&steps, &needed);
        prop_assert_eq!(is_evicted, sum < 100);
    }
}
