//! A list that is made in the memory of another is what a new one would be.

use alloc::sync::Arc;
use std::fs::remove_dir_all;
use std::path::{Path, PathBuf};

use evictd_node::pod::{Container, Pod};
use evictd_stats::{Hierarchies, Hierarchy, Version};
use rustix::fd::OwnedFd;

use super::{CgroupConfig, CgroupRuntime};
use crate::testkit::Fixture;
use crate::{FoundPod, KillLimits, Listing, RuntimePod, Services};

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
        services: Services::default(),
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
fn a_list_that_is_made_again_is_what_a_new_one_would_be() {
    let mut dice = Dice(7);
    let (mut whole, mut renewed) = (0, 0);
    for round in 0..40 {
        let fixture = Fixture::new();
        // The second holds the third.
        let roots = &["nowhere", "pods", "pods/inner"][..2 + round % 2];
        let mut again = runtime(&fixture, roots);
        let [one, other] = of_runtime();
        let known: &[&[RuntimePod]] = &[&[one], &[], &[other]];
        let mut listing = Listing::default();
        fixture.file("elsewhere/c/cgroup.procs", PROCS);
        for _ in 0..20 {
            change(&fixture, &listing, &mut dice);
            let names = |listing: &Listing| -> Vec<Arc<Path>> {
                listing.pods.iter().map(|pod| pod.cgroup.clone()).collect()
            };
            let fresh = runtime(&fixture, roots).list_pods(&[], known);
            let is_new = |name: &Path| !names(&listing).iter().any(|known| **known == *name);
            let may_be_new = names(&fresh).iter().any(|name| is_new(name))
                || listing.pods.iter().any(|pod| pod.runtime.is_some());
            for is_known in [true, false] {
                let mut shown = Vec::new();
                let mut keep = |found: &FoundPod, dir: Option<OwnedFd>| {
                    assert!(dir.is_some());
                    shown.push(Arc::clone(&found.cgroup));
                    true
                };
                let is_whole = if is_known {
                    again.list_known(&mut listing, known, &mut keep)
                } else {
                    again.list_again(&mut listing, &[], known, &mut keep);
                    assert_eq!(listing, fresh);
                    true
                };
                // Descriptions may be old, but of the same pods.
                if is_whole {
                    assert_eq!(shown, names(&fresh), "known {is_known}");
                    assert_eq!((names(&listing), &listing.skipped), (shown, &fresh.skipped));
                    whole += 1;
                } else {
                    assert!(may_be_new);
                    renewed += 1;
                }
            }
        }
    }
    // Each comes often enough to mean something.
    assert!(whole > 1300 && renewed > 100, "{whole} {renewed}");
}

#[test]
fn a_pod_that_the_caller_leaves_out_is_left_out() {
    let fixture = Fixture::new();
    for name in ["a", "b", "c"] {
        fixture.file(&format!("pods/{name}/cgroup.procs"), PROCS);
    }
    let mut runtime = runtime(&fixture, &["pods"]);
    let mut listing = runtime.list_pods(&[], &[]);
    let mut list = |leave_out: &str| {
        let mut keep = |found: &FoundPod, _| found.pod.metadata.name != leave_out;
        let is_whole = runtime.list_known(&mut listing, &[], &mut keep);
        let names = listing
            .pods
            .iter()
            .map(|found| found.pod.metadata.name.clone());
        (is_whole, names.collect::<Vec<_>>())
    };
    assert_eq!(list("b"), (true, vec!["a".into(), "c".into()]));
    // It still runs, so it is one of a new list.
    assert!(!list("").0);
}

/// What is not read again may differ; which pods there are, which of them run, and where
/// we are ourselves, may not.
#[test]
fn what_was_read_lately_is_believed_and_nothing_else() {
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
    for (what, change, expected) in [
        ("asks for more", asks, Some(2)),
        ("has us in it", moves, Some(1)),
        ("begins", begins, None),
        ("ends", ends, Some(1)),
        ("goes", goes, Some(1)),
        ("comes", comes, None),
    ] {
        let fixture = Fixture::new();
        for (name, procs) in [("a", PROCS), ("b", PROCS), ("ended", "")] {
            fixture.file(&format!("pods/{name}/cgroup.procs"), procs);
        }
        we_are_in("elsewhere");
        let mut runtime = runtime_with(proc.path(), &fixture, &["pods"]);
        let before = runtime.list_pods(&[], &[]);
        change(&fixture, &we_are_in);
        let mut listing = before.clone();
        let is_whole = runtime.list_known(&mut listing, &[], &mut |_, _| true);
        let pods = is_whole.then_some(listing.pods.len());
        assert_eq!(pods, expected, "a pod {what}");
        if is_whole {
            let old = |pod| before.pods.contains(pod);
            assert!(
                listing.pods.iter().all(old),
                "a pod {what}: it is as it was"
            );
        }
        // What that leaves behind is fit for a list of all.
        runtime.list_again(&mut listing, &[], &[], &mut |_, _| true);
        let fresh = runtime_with(proc.path(), &fixture, &["pods"]).list_pods(&[], &[]);
        assert_eq!(listing, fresh, "a pod {what}");
    }
}
