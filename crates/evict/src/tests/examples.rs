//! What the documents that node-pressure eviction comes from tell of a run.

use evictd_condition::admit;
use evictd_node::pod::{Container, Pod};

use super::*;

const MI: i64 = 1 << 20;
const NODEFS: Signal = Signal::NodefsAvailable;

/// Whether a pod may start now, as its node's conditions stand.
fn admits(evict: &Evict, pod: &Pod) -> bool {
    let conditions: Vec<Condition> = evict.conditions().each().collect();
    admit(&conditions, pod, &Policy::default()).is_ok()
}

fn burstable() -> Pod {
    let mut container = Container::default();
    container.resources.requests.memory = Quantity::parse("1Mi").ok().map(Into::into);
    let mut pod = Pod::default();
    pod.spec.containers.push(container);
    pod
}

/// Acceptance rows 4, 73 and 74: at a hard threshold the pod's own grace period does
/// not count.
#[test]
fn a_hard_threshold_asks_no_pod_for_its_grace() {
    let mut all = pods(&["a"]);
    all[0].spec.termination_grace_period_seconds = Some(3600);
    let mut evict = machine(
        &Lists {
            hard: "memory.available<1Gi",
            ..Lists::default()
        },
        |config| config.max_pod_grace_seconds = 600,
    );
    let plan = step(&mut evict, 0, &[(MEMORY, GI - 1)], &all);
    assert_eq!(evicted(&plan, &all), ("a", 0));
}

/// Acceptance rows 6, 86 and 89: one pod, wait, measure, the next; until the signal is
/// on the good side again.
#[test]
fn disk_pressure_takes_one_pod_at_a_time_until_it_is_over() {
    let all = pods(&["a", "b", "c"]);
    let mut evict = hard("nodefs.available<1Gi");
    for (at, left, free) in [(0, &all[..], 1), (10, &all[1..], GI / 2)] {
        let plan = step(&mut evict, at, &[(NODEFS, free)], left);
        assert!(matches!(plan, Plan::Relieve(_)), "{at} s: {plan:?}");
        let again = readings(seconds(at + 1), &[(NODEFS, free)]);
        let plan = relieved(&mut evict, at + 1, &again, &candidates(left));
        assert_eq!(evicted(&plan, left).0, left[0].metadata.uid);
        for waiting in [at + 1, at + 2] {
            let plan = step(&mut evict, waiting, &[(NODEFS, free)], left);
            assert_eq!(plan, Plan::Rest, "{waiting} s: the first is not gone yet");
        }
        done(&mut evict, at + 3, Outcome::Killed, left);
        done(&mut evict, at + 3, Outcome::CleanedUp, left);
    }
    assert_eq!(step(&mut evict, 20, &[(NODEFS, GI)], &all[2..]), Plan::Rest);
}

/// Acceptance rows 114, 126 and 127: while the node still looks for what it can give
/// back itself, no pod may start, whatever its class.
#[test]
fn nobody_may_start_while_the_node_reclaims() {
    let mut evict = hard("nodefs.available<1Gi");
    assert!(admits(&evict, &burstable()));
    let plan = step(&mut evict, 0, &[(NODEFS, 1)], &pods(&["a"]));
    assert!(matches!(plan, Plan::Relieve(_)), "{plan:?}");
    for pod in [Pod::default(), burstable()] {
        assert!(
            !admits(&evict, &pod),
            "{:?}",
            pod.qos_class(&Policy::default())
        );
    }
}

/// Acceptance rows 82, 123, 124 and 164, with their examples: from the moment that a
/// soft threshold is met, though its grace runs and nobody is evicted.
#[test]
fn within_the_grace_pods_are_refused_already() {
    let imagefs = Signal::ImagefsAvailable;
    for (soft, grace, signal, least, burstable_may) in [
        (
            "memory.available<256Mi",
            "memory.available=30s",
            MEMORY,
            256 * MI,
            true,
        ),
        (
            "nodefs.available<1500Mi",
            "nodefs.available=30s",
            NODEFS,
            1500 * MI,
            false,
        ),
        (
            "imagefs.available<1500Mi",
            "imagefs.available=30s",
            imagefs,
            1500 * MI,
            false,
        ),
    ] {
        let lists = Lists {
            soft,
            soft_grace_period: grace,
            ..Lists::default()
        };
        let mut evict = machine(&lists, |_| {});
        let all = pods(&["a"]);
        for (at, available, best_effort_may, burstable_may) in [
            (0, least, true, true),
            (1, least - 1, false, burstable_may),
            (30, least - 1, false, burstable_may),
        ] {
            let plan = step(&mut evict, at, &[(signal, available)], &all);
            assert_eq!(plan, Plan::Rest, "{soft} at {at} s");
            assert_eq!(admits(&evict, &all[0]), best_effort_may, "{soft} at {at} s");
            let admitted = admits(&evict, &burstable());
            assert_eq!(admitted, burstable_may, "{soft} at {at} s");
        }
    }
}

/// Acceptance rows 65, 73, 152 and 154: below the soft threshold for 30 seconds, or at
/// once below the hard one.
#[test]
fn two_levels_act_late_or_at_once() {
    for (hard, soft, hard_least, soft_least) in [
        (
            "memory.available<.5Gi",
            "memory.available<1Gi",
            512 * MI,
            GI,
        ),
        (
            "memory.available<100Mi",
            "memory.available<300Mi",
            100 * MI,
            300 * MI,
        ),
    ] {
        let lists = Lists {
            hard,
            soft,
            soft_grace_period: "memory.available=30s",
            ..Lists::default()
        };
        let all = pods(&["a"]);
        let at = |evict: &mut Evict, at, available| {
            matches!(
                step(evict, at, &[(MEMORY, available)], &all),
                Plan::Evict(_)
            )
        };
        let mut evict = machine(&lists, |_| {});
        assert!(!at(&mut evict, 0, soft_least), "{soft}");
        assert!(!at(&mut evict, 10, soft_least - 1), "{soft}");
        assert!(!at(&mut evict, 39, soft_least - 1), "{soft}");
        assert!(at(&mut evict, 40, soft_least - 1), "{soft}");

        let mut evict = machine(&lists, |_| {});
        assert!(!at(&mut evict, 10, hard_least), "{hard}");
        assert!(at(&mut evict, 11, hard_least - 1), "{hard}");
    }
}

/// Acceptance row 148: of 10Gi, eviction begins when more than 95% is used, and what
/// the system keeps back plays no part in it.
#[test]
fn eviction_begins_at_95_percent_of_10_gibibytes() {
    let all = pods(&["a"]);
    for (used, begins) in [
        (9 * GI, false),
        (10 * GI / 100 * 95, false),
        (GI * 96 / 10, true),
    ] {
        let mut evict = hard("memory.available<500Mi");
        let plan = step(&mut evict, 0, &[(MEMORY, 10 * GI - used)], &all);
        assert_eq!(matches!(plan, Plan::Evict(_)), begins, "{used} bytes used");
    }
}
