use std::path::Path;
use std::process::Command;

use evictd_testkit::needs;

use super::{Pid, Procs, Target, Victims, open, verify};
use crate::testkit::{TestPod, v2};

#[test]
fn the_largest_comes_first() {
    needs!(Cgroup2);
    let hierarchies = v2();
    let mut pod = TestPod::new(&hierarchies);
    let hold = |megabytes: u32| {
        let bytes = megabytes * 1_000_000;
        format!("x=$(head -c {bytes} /dev/zero | tr '\\0' x); echo ready; sleep 600")
    };
    let sizes = [1, 20, 5].map(|megabytes| (pod.run("", &hold(megabytes)), megabytes));
    let target = Target::open(&hierarchies, Path::new("/proc"), &pod.path).unwrap();
    let mut listing = Procs::default();
    listing.list(target.members()).unwrap();
    let mut victims = Victims::default();
    victims.recruit(&listing, &target).unwrap();
    let mut order = Vec::new();
    victims.each_by_size(&mut |victim| order.push(super::key(&victim.pid)));
    let place = |pid: i32| order.iter().position(|other| *other == pid).unwrap();
    let [small, large, middle] = sizes.map(|(pid, _)| place(pid));
    assert!(large < middle && middle < small, "{order:?} of {sizes:?}");
    assert_eq!(large, 0);
}

#[test]
fn a_number_that_was_given_to_another_process_is_not_ours() {
    needs!(Cgroup2);
    let hierarchies = v2();
    let mut pod = TestPod::new(&hierarchies);
    let ours = pod.run("", "echo ready; exec sleep 600");
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let stranger = Pid::from_child(&other);
    let target = Target::open(&hierarchies, Path::new("/proc"), &pod.path).unwrap();
    // As if the listing had shown both, and the second had been reused.
    let listed = [Pid::from_raw(ours).unwrap(), stranger];
    let mut opened = Vec::new();
    open(&mut listed.into_iter(), &target, &mut opened).unwrap();
    assert_eq!(opened.len(), 2);
    verify(&mut opened, &target, &mut Procs::default()).unwrap();
    let kept: Vec<_> = opened.iter().map(|victim| victim.pid).collect();
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(kept, [listed[0]]);
}
