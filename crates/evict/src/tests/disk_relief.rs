//! What is given back of a disk before a pod is evicted for it.

use super::*;
use crate::disk_relief::Steps;
use evictd_node::ReliefStep;
use evictd_threshold::Threshold;

const NODEFS: Signal = Signal::NodefsAvailable;
const MINIMUM: Lists<'_> = Lists {
    hard: "nodefs.available<1Gi",
    soft: "pid.available<5",
    soft_grace_period: "pid.available=1h",
    minimum_reclaim: "nodefs.available=1Gi",
    enforce_pods: false,
    own_signals: false,
};

fn names(steps: impl IntoIterator<Item = Step>) -> Vec<alloc::string::String> {
    steps.into_iter().map(|step| step.to_string()).collect()
}

/// The steps that are taken, of which none gives anything; what is left after that many of them.
fn taken(evict: &mut Evict, at: u64, left: impl Fn(usize) -> i64) -> (Vec<Step>, Plan) {
    let all = candidates(&pods(&["a"]));
    let short = readings(seconds(at), &[(NODEFS, left(0)), (Signal::PidAvailable, 1)]);
    let observation = Observation {
        readings: &short,
        layout: Some(Layout::OneFilesystem),
    };
    let mut plan = evict.step(seconds(at), &observation, Some(&all));
    let mut steps = Vec::new();
    loop {
        let after;
        let outcome = match plan {
            Plan::Relieve(step) => {
                steps.push(step);
                let left = [(NODEFS, left(steps.len())), (Signal::PidAvailable, 1)];
                after = readings(seconds(at), &left);
                Outcome::Relieved(Relieved {
                    gave: false,
                    again: Some(&after),
                })
            }
            Plan::ReadPods => Outcome::PodsRead,
            Plan::Rest | Plan::KillNow | Plan::Evict(_) | Plan::NoCandidate(..) => {
                return (steps, plan);
            }
        };
        plan = evict.outcome(seconds(at), outcome, Some(&all));
    }
}

#[test]
fn the_node_gives_back_before_a_pod_goes() {
    for (after, everything_must_clear, expect_eviction) in [
        (2 * GI, false, false),
        (2 * GI, true, true),
        (GI + 1, false, true),
    ] {
        let mut evict = machine(&MINIMUM, |config| {
            config.policy.reclaim_must_clear_every_signal = everything_must_clear;
        });
        let (steps, plan) = taken(&mut evict, 0, |taken| if taken == 0 { 1 } else { after });
        assert!(!steps.is_empty());
        assert_eq!(matches!(plan, Plan::Evict(_)), expect_eviction, "{after}");
    }
}

/// Row 118: where the dead containers' space is enough, images stay.
#[test]
fn no_step_is_taken_that_is_not_needed() {
    for (after, every_call, expected) in [
        (2 * GI - 1, false, 6),
        (2 * GI, false, 2),
        (2 * GI, true, 6),
    ] {
        let mut evict = machine(&MINIMUM, |config| {
            config.policy.reclaim_makes_every_call = every_call;
        });
        let before = readings(seconds(0), &[(NODEFS, 1)]);
        let step = Step::Reclaim(NodeReclaim::ImageGc);
        assert_eq!(evict.target(step, &before), None, "nothing is short yet");
        let (steps, _) = taken(&mut evict, 0, |taken| if taken < 2 { 1 } else { after });
        assert_eq!(steps.len(), expected, "{after}: {steps:?}");
        assert_eq!(evict.target(step, &before), Some((NODEFS, 2 * GI)));
    }
}

/// Where nothing was given back, nothing is tried again for ten seconds, then twenty; an eviction
/// or a runtime that is back ends that.
#[test]
fn steps_that_gave_nothing_rest() {
    let mut evict = hard("nodefs.available<1Gi");
    for (at, expected) in [(0, 6), (9, 0), (10, 6), (29, 0), (30, 6), (69, 0), (70, 6)] {
        let (steps, plan) = taken(&mut evict, at, |_| 1);
        assert_eq!(steps.len(), expected, "{at} s");
        assert!(matches!(plan, Plan::Evict(_)), "{at} s: {plan:?}");
    }
    evict.try_relief_again();
    assert_eq!(taken(&mut evict, 71, |_| 1).0.len(), 6);
    let all = candidates(&pods(&["a"]));
    for outcome in [Outcome::Begun, Outcome::Killed, Outcome::CleanedUp] {
        evict.outcome(seconds(72), outcome, Some(&all));
    }
    assert_eq!(taken(&mut evict, 73, |_| 1).0.len(), 6);
}

/// A step is proposed again until it is taken. Where the disk could not be read after it, or memory
/// ran short meanwhile, the relief begins at its first step again.
#[test]
fn relief_begins_anew_where_its_result_could_not_be_read() {
    let mut evict = hard("nodefs.available<1Gi");
    let first = Plan::Relieve(Step::Relief(ReliefStep::BuildCache));
    let low = [(NODEFS, 1)];
    let all = pods(&["a"]);
    assert_eq!(step(&mut evict, 0, &low, &all), first);
    assert_eq!(step(&mut evict, 1, &low, &all), first);
    let again = readings(seconds(1), &low);
    let taken = |again| Outcome::Relieved(Relieved { gave: false, again });
    let second = Plan::Relieve(Step::Reclaim(NodeReclaim::ContainerGc));
    assert_eq!(done(&mut evict, 1, taken(Some(&again)), &all), second);
    assert_eq!(done(&mut evict, 2, taken(None), &all), Plan::Rest);
    assert_eq!(step(&mut evict, 3, &low, &all), first);
    // Memory comes between.
    let mut evict = hard("memory.available<1Gi,nodefs.available<1Gi");
    assert_eq!(step(&mut evict, 0, &low, &all), first);
    step(&mut evict, 1, &[(NODEFS, 1), (MEMORY, 1)], &all);
    assert_eq!(done(&mut evict, 2, taken(Some(&again)), &all), Plan::Rest);
    done(&mut evict, 3, Outcome::Killed, &all);
    done(&mut evict, 3, Outcome::CleanedUp, &all);
    assert_eq!(step(&mut evict, 4, &low, &all), first);
}

/// Acceptance row 289: only where a pod would be evicted at once something is given up, and a
/// kubelet knows no steps but its own. What is reclaimed follows the layout.
#[test]
fn the_steps_follow_the_threshold_and_the_layout() {
    let (one, dedicated, split) = (
        Layout::OneFilesystem,
        Layout::DedicatedImagefs,
        Layout::SplitImagefs,
    );
    let every = "buildCache containerGC imageGC logs directories reserve";
    let no_images = "buildCache containerGC logs directories reserve";
    let harmless = "buildCache containerGC imageGC directories";
    for (threshold, layout, is_kubelet, expected) in [
        ("nodefs.available<1Gi", one, false, every),
        ("nodefs.available<1Gi", one, true, "containerGC imageGC"),
        ("nodefs.available<1Gi", dedicated, false, no_images),
        ("nodefs.available<1Gi", dedicated, true, ""),
        ("nodefs.available<1Gi", split, true, "containerGC"),
        ("nodefs.inodesFree<1k", one, false, harmless),
        ("imagefs.inodesFree<1k", dedicated, false, harmless),
        ("imagefs.available<1Gi", split, true, "imageGC"),
        ("containerfs.available<1Gi", split, true, "containerGC"),
        ("memory.available<1Gi", one, false, ""),
    ] {
        let policy = if is_kubelet {
            Policy::kubelet()
        } else {
            Policy::default()
        };
        let threshold: &Threshold = &parse(&Lists::of_hard(threshold)).unwrap()[0];
        let steps = Steps::of(threshold, layout, &policy);
        let found = names(steps.in_order()).join(" ");
        assert_eq!(found, expected, "{threshold}, {layout}, {is_kubelet}");
    }
    let soft = Lists {
        soft: "nodefs.available<1Gi",
        soft_grace_period: "nodefs.available=1s",
        ..Lists::default()
    };
    let soft: &Threshold = &parse(&soft).unwrap()[0];
    let steps = Steps::of(soft, one, &Policy::default());
    assert_eq!(names(steps.in_order()).join(" "), harmless);
}
