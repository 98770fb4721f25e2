use core::time::Duration;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;

use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_testkit::{can, needs};
use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

use super::*;
use crate::Origin;
use crate::testkit::{TestPod, real, v1, v2};

const SLEEP: &str = "echo ready; exec sleep 600";

fn found(pod: &TestPod) -> FoundPod {
    FoundPod::new(Pod::default().into(), &pod.path, Origin::PodCgroupRoot)
}

fn score_of(pid: i32) -> i16 {
    let text = fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).unwrap();
    text.trim().parse().unwrap()
}

fn set_score(pid: i32, score: i16) {
    fs::write(format!("/proc/{pid}/oom_score_adj"), score.to_string()).unwrap();
}

fn second(count: u64) -> Mono {
    Mono::ZERO + Duration::from_secs(count)
}

fn scores(hierarchies: &Hierarchies) -> OomScores {
    OomScores::new(hierarchies.clone(), Path::new("/proc")).unwrap()
}

/// What lowering needs is taken from this thread, which is this test's alone.
fn without_the_privilege() {
    let mut own = capabilities(None).unwrap();
    own.effective.remove(CapabilitySet::SYS_RESOURCE);
    set_capabilities(None, own).unwrap();
}

#[test]
fn every_process_of_a_pod_is_raised_on_both_versions() {
    needs!(Cgroups);
    let v1 = can!("on cgroup v1", CgroupV1).then(v1);
    let v2 = can!("on cgroup v2", Cgroup2).then(v2);
    for hierarchies in [v1, v2].into_iter().flatten() {
        let mut pod = TestPod::new(&hierarchies);
        pod.nest("web");
        pod.nest("web/deep");
        let own = pod.run("", SLEEP);
        let web = [pod.run("web", SLEEP), pod.run("web/deep", SLEEP)];
        let pods = [found(&pod)];
        let mut scores = scores(&hierarchies);
        let mut want =
            |_: &FoundPod, child: Option<&str>| if child == Some("web") { 900 } else { 700 };
        let report = scores.apply(second(1), &pods, &mut want);
        assert_eq!((report.set, report.refused.len()), (3, 0), "{report:?}");
        assert_eq!(report.problems, []);
        assert_eq!(score_of(own), 700);
        assert_eq!(web.map(score_of), [900, 900]);
        let again = scores.apply(second(2), &pods, &mut want);
        assert_eq!(again, ScoreReport::default());
    }
}

#[test]
fn unchanged_pods_are_left_alone_for_a_minute() {
    needs!(Cgroups);
    let hierarchies = real();
    let mut pod = TestPod::new(&hierarchies);
    let first = pod.run("", SLEEP);
    let pods = [found(&pod)];
    let mut scores = scores(&hierarchies);
    let mut at = |time, score| {
        let report = scores.apply(second(time), &pods, &mut |_, _| score);
        (report.set, score_of(first))
    };
    assert_eq!(at(1, 500), (1, 500));
    set_score(first, 600);
    assert_eq!(at(60, 500), (0, 600), "believed");
    assert_eq!(at(61, 500), (1, 500), "looked at again");
    set_score(first, 600);
    assert_eq!(at(62, 700), (1, 700), "another score is set at once");
    let newcomer = pod.run("", SLEEP);
    assert_eq!(at(63, 700), (1, 700), "and a newcomer");
    assert_eq!(score_of(newcomer), 700);
}

#[test]
fn children_have_the_score_from_the_start() {
    needs!(Cgroups);
    let hierarchies = real();
    let mut pod = TestPod::new(&hierarchies);
    let shell = pod.run("", "echo ready; while :; do sleep 0.02; done");
    let report = scores(&hierarchies).apply(second(1), &[found(&pod)], &mut |_, _| 800);
    assert!(report.set >= 1);
    sleep(Duration::from_millis(100));
    let mut others = 0;
    for _ in 0..50 {
        let children = pod.procs().into_iter().filter(|pid| *pid != shell);
        for pid in children {
            if let Ok(text) = fs::read_to_string(format!("/proc/{pid}/oom_score_adj")) {
                assert_eq!(text, "800\n");
                others += 1;
            }
        }
        sleep(Duration::from_millis(5));
    }
    assert!(others > 0, "no child was seen");
}

#[test]
fn what_the_kernel_refuses_is_told_once() {
    needs!(Cgroups);
    without_the_privilege();
    let hierarchies = real();
    let (mut low, mut high) = (TestPod::new(&hierarchies), TestPod::new(&hierarchies));
    let lows = [low.run("", SLEEP), low.run("", SLEEP)];
    let raised = high.run("", SLEEP);
    let pods = [found(&low), found(&high)];
    let before = score_of(lows[0]);
    let mut scores = scores(&hierarchies);
    let mut at = |time, lowest: i16| {
        let mut want = |pod: &FoundPod, _: Option<&str>| {
            if *pod.cgroup == *low.path {
                lowest
            } else {
                1000
            }
        };
        scores.apply(second(time), &pods, &mut want)
    };
    let report = at(1, -997);
    let [refused] = &report.refused[..] else {
        panic!("{report:?}");
    };
    assert_eq!((refused.pod, refused.processes), (0, 2));
    assert_eq!((refused.present, refused.wanted), (before, -997));
    assert_eq!(refused.errno, Errno::ACCESS);
    assert_eq!(
        (report.set, score_of(raised)),
        (1, 1000),
        "the rest is done"
    );
    assert_eq!(lows.map(score_of), [before; 2]);
    assert_eq!(at(2, -997), ScoreReport::default());
    assert_eq!(
        at(70, -997),
        ScoreReport::default(),
        "tried again, not told again"
    );
    assert_eq!(at(71, -998).refused.len(), 1, "another score is told");
}

struct Stranger(Child);

impl Stranger {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn member(pid: Pid) -> Member {
    Member {
        pid,
        child: 0,
        wanted: 321,
        refused: false,
    }
}

/// As if a listing had shown them: one whose number was given away, one that has
/// ended, one that must not be touched.
#[test]
fn strangers_and_protected_processes_are_not_touched() {
    needs!(Cgroup2);
    let hierarchies = v2();
    let mut pod = TestPod::new(&hierarchies);
    let pids = [pod.run("", SLEEP), pod.run("", SLEEP)];
    let [ours, protected] = pids.map(|pid| Pid::from_raw(pid).unwrap());
    let stranger = Stranger::start();
    let foreign = Pid::from_child(&stranger.0);
    let mut ended = Command::new("true").spawn().unwrap();
    let gone = Pid::from_child(&ended);
    ended.wait().unwrap();
    let mut scores = scores(&hierarchies);
    scores.protected = vec![protected];
    let dir = scores.open(&pod.path).unwrap().unwrap();
    let mut visited = Vec::new();
    let listed = [gone, foreign, protected, ours].map(member);
    scores
        .each(dir.as_fd(), &listed, true, &mut |member, _| {
            visited.push(member.pid)
        })
        .unwrap();
    assert_eq!(visited, [ours]);
    assert_eq!(score_of(ours.as_raw_nonzero().get()), 321);
    assert_ne!(score_of(foreign.as_raw_nonzero().get()), 321);
    assert_ne!(score_of(protected.as_raw_nonzero().get()), 321);
}

#[test]
fn looking_changes_nothing_and_a_pod_that_is_gone_has_nobody() {
    needs!(Cgroups);
    let hierarchies = real();
    let mut pod = TestPod::new(&hierarchies);
    pod.nest("web");
    let pid = pod.run("web", SLEEP);
    let before = score_of(pid);
    let mut scores = scores(&hierarchies);
    let mut seen = Vec::new();
    let mut look = |found: &FoundPod, set: bool| {
        scores
            .visit(found, set, &mut |_, _| 654, &mut |process| {
                assert_eq!((process.pid, process.child), (pid, Some("web")));
                seen.push((process.present, process.wanted, process.outcome));
            })
            .unwrap();
    };
    look(&found(&pod), false);
    assert_eq!(score_of(pid), before);
    look(&found(&pod), true);
    look(&found(&pod), true);
    let mut gone = found(&pod);
    gone.cgroup = gone.cgroup.join("nothing").into();
    look(&gone, true);
    assert_eq!(
        seen,
        [
            (before, 654, ScoreOutcome::Differs),
            (before, 654, ScoreOutcome::Set),
            (654, 654, ScoreOutcome::AsWanted),
        ]
    );
}
