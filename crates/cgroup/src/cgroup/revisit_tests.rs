//! A list that is taken for what it still is, is what a new one would be.

use std::fs::remove_dir_all;
use std::path::{Path, PathBuf};

use evictd_node::pod::{Container, Pod};
use evictd_stats::{Hierarchies, Hierarchy, Version};

use super::{CgroupConfig, CgroupRuntime, Recheck};
use crate::testkit::Fixture;
use crate::{KillLimits, Listing, RuntimePod, SkipReason};

const PROCS: &str = "999999999\n";
const PLACES: [&str; 6] = [
    "kubepods",
    "kubepods/burstable",
    "kubepods.slice",
    "kubepods.slice/kubepods-besteffort.slice",
    "pods",
    "pods/inner",
];

fn runtime(fixture: &Fixture, roots: &[&str]) -> CgroupRuntime {
    runtime_with(Path::new("/proc"), fixture, roots)
}

fn runtime_with(proc: &Path, fixture: &Fixture, roots: &[&str]) -> CgroupRuntime {
    let memory = Hierarchy {
        version: Version::V2,
        mount_point: fixture.path().to_path_buf(),
    };
    CgroupRuntime::new(CgroupConfig {
        hierarchies: Hierarchies {
            memory: Some(memory),
            ..Hierarchies::default()
        },
        proc: proc.to_path_buf(),
        pod_cgroup_roots: roots.iter().map(PathBuf::from).collect(),
        limits: KillLimits::default(),
        releaser: None,
    })
    .unwrap()
}

/// The pods of two container runtimes' containers: one that is found by its cgroup
/// too, and one that is not.
fn of_runtime() -> [RuntimePod; 2] {
    ["pods/1", "elsewhere/c"].map(|cgroup| {
        let mut pod = Pod::default();
        pod.metadata.uid = format!("uid of {cgroup}");
        pod.spec.containers = vec![Container::default()];
        RuntimePod {
            pod: pod.into(),
            cgroups: vec![Path::new(cgroup).into()],
            ..RuntimePod::default()
        }
    })
}

fn place(at: usize, number: usize) -> String {
    // One number is the same pod in all places.
    let number = if number == 0 { 0 } else { 10 * at + number };
    match PLACES[at % PLACES.len()] {
        slice if slice.ends_with("besteffort.slice") => {
            format!("{slice}/kubepods-besteffort-pod{number}.slice")
        }
        slice if slice.ends_with(".slice") => format!("{slice}/kubepods-pod{number}.slice"),
        kube if kube.starts_with("kube") => format!("{kube}/pod{number}"),
        other => format!("{other}/{number}"),
    }
}

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// Makes or ends a pod, or changes its limit, or nothing.
fn change(fixture: &Fixture, listing: &Listing, dice: &mut Dice) {
    let (at, number) = (dice.roll(PLACES.len()), dice.roll(4));
    let pod = place(at, number);
    let ending = listing.pods.get(dice.roll(12));
    match dice.roll(8) {
        0 | 1 => {
            fixture.file(&format!("{pod}/cgroup.procs"), PROCS);
        }
        2 => {
            fixture.file(&format!("{pod}/child/cgroup.procs"), PROCS);
        }
        3 => {
            fixture.file(&format!("{pod}/cgroup.procs"), "");
        }
        4 => {
            let limit = ["1048576\n", "max\n"][dice.roll(2)];
            fixture.file(&format!("{pod}/memory.max"), limit);
        }
        5 => {
            let _may_not_be_there = remove_dir_all(fixture.path().join(&pod));
        }
        6 => {
            let cgroup = ending.map(|pod| fixture.path().join(&pod.cgroup));
            let _may_not_be_there = cgroup.map(remove_dir_all);
        }
        _ => {} // nothing changes
    }
}

#[test]
fn a_list_holds_only_while_a_new_one_would_be_the_same() {
    let mut dice = Dice(7);
    let (mut held, mut shorter, mut renewed) = (0, 0, 0);
    for round in 0..40 {
        let fixture = Fixture::new();
        // The second holds the third.
        let roots = &["nowhere", "pods", "pods/inner"][..2 + round % 2];
        let mut runtime = runtime(&fixture, roots);
        let known = of_runtime();
        let known: Vec<&RuntimePod> = known.iter().collect();
        let mut listing = Listing::default();
        fixture.file("elsewhere/c/cgroup.procs", PROCS);
        for _ in 0..20 {
            change(&fixture, &listing, &mut dice);
            let mut shown = Vec::new();
            let (before, pods) = (listing.pods.len(), &known);
            let holds = runtime.revisit_pods(
                &mut listing,
                Recheck::All,
                &|index| pods.get(index).copied(),
                &mut |found, dir| {
                    assert!(dir.is_some());
                    shown.push(found.cgroup.clone());
                    true
                },
            );
            let fresh = runtime.visit_pods(&[], &known, Listing::default(), &mut |_, _| true);
            if holds {
                assert_eq!(listing.pods, fresh.pods);
                let cgroups: Vec<_> = fresh.pods.into_iter().map(|found| found.cgroup).collect();
                assert_eq!(shown, cgroups);
                held += 1;
                shorter += usize::from(listing.pods.len() < before);
            } else {
                renewed += 1;
                listing = fresh;
            }
        }
    }
    // Each comes often enough to mean something.
    assert!(
        held > 250 && shorter > 20 && renewed > 150,
        "{held} {shorter} {renewed}"
    );
}

#[test]
fn a_pod_that_the_caller_leaves_out_is_left_out() {
    let fixture = Fixture::new();
    for name in ["a", "b", "c"] {
        fixture.file(&format!("pods/{name}/cgroup.procs"), PROCS);
    }
    let mut runtime = runtime(&fixture, &["pods"]);
    let mut listing = runtime.visit_pods(&[], &[], Listing::default(), &mut |_, _| true);
    let mut revisit = |listing: &mut Listing, leave_out: &str| {
        runtime.revisit_pods(listing, Recheck::All, &|_| None, &mut |found, _| {
            found.pod.metadata.name != leave_out
        })
    };
    assert!(revisit(&mut listing, "b"));
    let names = listing.pods.iter().map(|found| &*found.pod.metadata.name);
    assert_eq!(names.collect::<Vec<_>>(), ["a", "c"]);
    // It still runs, so it is one of a new list.
    assert!(!revisit(&mut listing, ""));
}

#[test]
fn who_stood_back_for_one_that_has_ended_makes_a_new_list_necessary() {
    let fixture = Fixture::new();
    for pod in ["kubepods/podx", "kubepods/burstable/podx", "pods/other"] {
        fixture.file(&format!("{pod}/cgroup.procs"), PROCS);
    }
    let mut runtime = runtime(&fixture, &["pods"]);
    let listing = runtime.visit_pods(&[], &[], Listing::default(), &mut |_, _| true);
    let reasons: Vec<_> = listing.skipped.iter().map(|one| one.reason).collect();
    assert_eq!(
        (listing.pods.len(), &*reasons),
        (2, &[SkipReason::SamePod][..])
    );
    let first = listing.pods[0].cgroup.clone();
    remove_dir_all(fixture.path().join(first)).unwrap();
    for recheck in [Recheck::All, Recheck::Running] {
        let mut listing = listing.clone();
        assert!(!runtime.revisit_pods(&mut listing, recheck, &|_| None, &mut |_, _| true));
    }
}

/// What is not compared may differ; which pods there are, and which of them run, may not.
#[test]
fn what_was_compared_lately_is_believed_and_nothing_else() {
    let us = std::process::id();
    let proc = Fixture::new();
    proc.file(&format!("{us}/stat"), "1 (x) S 0 0 0\n");
    let we_are_in = |cgroup: &str| {
        proc.file(&format!("{us}/cgroup"), &format!("0::/{cgroup}\n"));
    };
    let [asks, moves, begins, ends, goes, comes] = [
        |fixture: &Fixture, _: &dyn Fn(&str)| {
            fixture.file("pods/a/memory.max", "1048576\n");
        },
        |_: &Fixture, we_are_in: &dyn Fn(&str)| we_are_in("pods/a"),
        |fixture: &Fixture, _: &dyn Fn(&str)| {
            fixture.file("pods/ended/cgroup.procs", PROCS);
        },
        |fixture: &Fixture, _: &dyn Fn(&str)| {
            fixture.file("pods/b/cgroup.procs", "");
        },
        |fixture: &Fixture, _: &dyn Fn(&str)| {
            remove_dir_all(fixture.path().join("pods/b")).unwrap();
        },
        |fixture: &Fixture, _: &dyn Fn(&str)| {
            fixture.file("pods/c/cgroup.procs", PROCS);
        },
    ];
    for (what, change, all, running) in [
        ("asks for more", asks, None, Some(2)),
        ("has us in it", moves, None, Some(2)),
        ("begins", begins, None, None),
        ("ends", ends, Some(1), Some(1)),
        ("goes", goes, Some(1), Some(1)),
        ("comes", comes, None, None),
    ] {
        let fixture = Fixture::new();
        for (name, procs) in [("a", PROCS), ("b", PROCS), ("ended", "")] {
            fixture.file(&format!("pods/{name}/cgroup.procs"), procs);
        }
        we_are_in("elsewhere");
        let mut runtime = runtime_with(proc.path(), &fixture, &["pods"]);
        let listing = runtime.visit_pods(&[], &[], Listing::default(), &mut |_, _| true);
        change(&fixture, &we_are_in);
        for (recheck, expected) in [(Recheck::All, all), (Recheck::Running, running)] {
            let mut listing = listing.clone();
            let holds = runtime.revisit_pods(&mut listing, recheck, &|_| None, &mut |_, _| true);
            let pods = holds.then_some(listing.pods.len());
            assert_eq!(pods, expected, "a pod {what}: {recheck:?}");
        }
    }
}
