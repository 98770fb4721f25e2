mod whole;

use core::time::Duration;
use std::fs;
use std::path::Path;
use std::process::Command;

use evictd_node::Mono;
use evictd_node::kill::{KillInFlight, KillMethod, KillReport, KillState};
use evictd_stats::{Hierarchies, Hierarchy, Version, now};
use evictd_testkit::{can, needs};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, getpid};

use super::{Kill, KillLimits, NAPS, NAPS_WATCHED, Problem, Target};
use crate::process::Proc;
use crate::testkit::{Fixture, TestPod, machine, real, v1, v1_without_freezer, v2};
use crate::{Grace, Releaser};

const PROC: &str = "/proc";
const OBEDIENT: &str = "echo ready; exec sleep 600";
const STUBBORN: &str = "trap '' TERM; echo ready; exec sleep 600";

fn target(hierarchies: &Hierarchies, pod: &TestPod) -> Target {
    Target::open(hierarchies, Path::new(PROC), &pod.path).unwrap()
}

/// The daemon's loop in small: sleeps on the pidfds and the next deadline.
fn drive(mut kill: Kill) -> (KillState, KillReport) {
    let begun = now();
    loop {
        assert!(now().since(begun) < Duration::from_secs(60), "it hangs");
        let state = kill.poll(now());
        let KillState::Waiting { until } = state else {
            return (state, kill.report().clone());
        };
        let told = descriptors(&kill);
        let mut fds: Vec<_> = told
            .iter()
            .map(|fd| PollFd::new(fd, PollFlags::IN))
            .collect();
        let left = Timespec::try_from(until.since(now())).unwrap();
        poll(&mut fds, Some(&left)).unwrap();
    }
}

/// Copies of those that wake the caller.
fn descriptors(kill: &Kill) -> Vec<OwnedFd> {
    let mut all = Vec::new();
    kill.each_descriptor(&mut |fd| all.push(fd.try_clone_to_owned().unwrap()));
    all
}

fn kill(hierarchies: &Hierarchies, pod: &TestPod, grace: Duration) -> (KillState, KillReport) {
    let limits = KillLimits::default();
    let releaser = Releaser::new(true);
    releaser.start().unwrap();
    let target = target(hierarchies, pod);
    drive(Kill::start(
        now(),
        target,
        Grace::of(grace),
        limits,
        Some(releaser),
    ))
}

/// Each kind of machine that this one can be.
fn kinds() -> Vec<(Hierarchies, KillMethod)> {
    let mut kinds = Vec::new();
    if can!("on cgroup v1", CgroupV1) {
        kinds.push((v1(), KillMethod::Signals));
        kinds.push((v1_without_freezer(), KillMethod::Signals));
    }
    if can!("on cgroup v2", Cgroup2) {
        kinds.push((v2(), KillMethod::CgroupKill));
    }
    kinds
}

fn assert_empty(pod: &TestPod) {
    assert_eq!(pod.procs(), [0_i32; 0], "processes are left");
}

#[test]
fn without_grace_everyone_is_killed_at_once() {
    needs!(Cgroups);
    for (hierarchies, method) in kinds() {
        let mut pod = TestPod::new(&hierarchies);
        pod.run("", OBEDIENT);
        pod.run("", STUBBORN);
        let (state, report) = kill(&hierarchies, &pod, Duration::ZERO);
        assert_eq!(state, KillState::Gone, "{report:?}");
        assert_eq!(report.method, Some(method));
        assert_eq!((report.term_sent, report.processes), (None, 2), "{method}");
        assert!(report.kill_sent.is_some() && report.ended >= report.kill_sent);
        assert_empty(&pod);
    }
}

#[test]
fn who_obeys_sigterm_is_not_killed_and_not_waited_for() {
    needs!(Cgroups);
    for (hierarchies, method) in kinds() {
        let mut pod = TestPod::new(&hierarchies);
        pod.run("", OBEDIENT);
        let (state, report) = kill(&hierarchies, &pod, Duration::from_secs(60));
        assert_eq!(state, KillState::Gone, "{report:?}");
        assert_eq!((report.kill_sent, report.method), (None, None), "{method}");
        assert_eq!(report.term_sent, Some(report.started));
        let took = report.ended.unwrap().since(report.started);
        assert!(took < Duration::from_secs(10), "{took:?}");
        assert_empty(&pod);
    }
}

#[test]
fn who_ignores_sigterm_is_killed_when_the_grace_is_over() {
    needs!(Cgroups);
    let grace = Duration::from_millis(150);
    for (hierarchies, method) in kinds() {
        let mut pod = TestPod::new(&hierarchies);
        pod.run("", STUBBORN);
        let (state, report) = kill(&hierarchies, &pod, grace);
        assert_eq!(state, KillState::Gone, "{report:?}");
        assert_eq!(report.method, Some(method));
        assert!(report.kill_sent.unwrap().since(report.started) >= grace);
        assert_empty(&pod);
    }
}

#[test]
fn a_tree_of_cgroups_that_forks_all_the_time_is_killed_whole() {
    needs!(Cgroups);
    let forker = "trap '' TERM; echo ready; while :; do sleep 0.2 & sleep 0.002; done";
    for (hierarchies, method) in kinds() {
        let mut pod = TestPod::new(&hierarchies);
        pod.nest("a");
        pod.nest("a/b");
        pod.run("", forker);
        pod.run("a", STUBBORN);
        pod.run("a/b", forker);
        let (state, report) = kill(&hierarchies, &pod, Duration::from_millis(50));
        assert_eq!(state, KillState::Gone, "{method}: {report:?}");
        assert!(report.processes >= 3, "{report:?}");
        assert_empty(&pod);
    }
}

#[test]
fn more_processes_than_are_watched_at_once_are_killed() {
    needs!(Cgroups);
    let crowd = "i=0; while [ $i -lt 600 ]; do sleep 600 & i=$((i+1)); done; echo ready; wait";
    for (hierarchies, method) in kinds() {
        let mut pod = TestPod::new(&hierarchies);
        pod.run("", crowd);
        let (state, report) = kill(&hierarchies, &pod, Duration::ZERO);
        assert_eq!(state, KillState::Gone, "{method}: {report:?}");
        assert_empty(&pod);
    }
}

/// On v2 the scenario fork-bomb shows it.
#[test]
fn a_fork_bomb_is_killed_whole() {
    needs!(CgroupV1);
    let bomb = "exec 2>/dev/null; echo ready; f() { while :; do command eval 'f &'; done; }; f";
    for hierarchies in [v1(), v1_without_freezer()] {
        let mut pod = TestPod::new(&hierarchies);
        pod.write("pids.max", "150");
        pod.run("", bomb);
        while pod.procs().len() < 100 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let (state, report) = kill(&hierarchies, &pod, Duration::ZERO);
        assert_eq!(state, KillState::Gone, "{report:?}");
        assert_eq!(report.kill_sent, Some(report.started));
        assert_empty(&pod);
    }
}

fn freezer_state(hierarchies: &Hierarchies, pod: &TestPod) -> String {
    let freezer = hierarchies.freezer.as_ref().unwrap();
    let file = freezer.mount_point.join(&pod.path).join("freezer.state");
    fs::read_to_string(file).unwrap()
}

/// `SigPnd` and what has ended: whether SIGKILL has reached a process.
fn was_killed(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let pending = |line: &str| {
        let mask = line.strip_prefix("ShdPnd:")?;
        Some(u64::from_str_radix(mask.trim(), 16).unwrap() & 0x100 != 0)
    };
    let ended = ["State:\tZ", "State:\tX"]
        .iter()
        .any(|z| status.contains(z));
    let exiting = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let flags = stat
            .rsplit(')')
            .next()
            .and_then(|all| all.split(' ').nth(7));
        flags.is_none_or(|flags| flags.parse::<u64>().unwrap_or(0) & 0x404 != 0)
    };
    status.is_empty() || ended || status.lines().find_map(pending) == Some(true) || exiting()
}

#[test]
fn sigkill_comes_before_the_freezer_and_mostly_without_it() {
    needs!(CgroupV1);
    let hierarchies = v1();
    let mut pod = TestPod::new(&hierarchies);
    let pids = [pod.run("", STUBBORN), pod.run("", OBEDIENT)];
    let limits = KillLimits::default();
    let target = target(&hierarchies, &pod);
    let start = now();
    let kill = Kill::start(start, target, Grace::of(Duration::ZERO), limits, None);
    assert!(pids.into_iter().all(was_killed), "by the first poll");
    assert_eq!(freezer_state(&hierarchies, &pod), "THAWED\n");
    assert_eq!(kill.report().kill_sent, Some(start));
    let (state, report) = drive(kill);
    assert_eq!(state, KillState::Gone, "{report:?}");
    assert_eq!(
        report.method,
        Some(KillMethod::Signals),
        "nobody was frozen"
    );
}

#[test]
fn what_is_killed_while_frozen_is_thawed() {
    needs!(CgroupV1);
    let hierarchies = v1();
    let mut pod = TestPod::new(&hierarchies);
    let pid = pod.run("", STUBBORN);
    let target = target(&hierarchies, &pod);
    let grace = Grace::of(Duration::from_secs(600));
    let mut kill = Kill::start(now(), target, grace, KillLimits::default(), None);
    // As if new processes went on showing up.
    assert!(kill.target.freeze());
    let until = now() + Duration::from_secs(60);
    while !kill.target.is_frozen() {
        std::thread::sleep(Duration::from_millis(1));
    }
    kill.kill_frozen(now(), until).unwrap();
    assert!(was_killed(pid));
    assert_eq!(freezer_state(&hierarchies, &pod), "THAWED\n");
    let (state, report) = drive(kill);
    assert_eq!(state, KillState::Gone, "{report:?}");
    assert_empty(&pod);
}

#[test]
fn a_pod_that_was_frozen_is_killed() {
    needs!(Cgroups);
    for (hierarchies, method) in kinds() {
        let mut pod = TestPod::new(&hierarchies);
        pod.nest("inner");
        pod.run("inner", STUBBORN);
        if hierarchies.freezer.is_none() {
            continue;
        }
        for dir in &pod.dirs {
            for cgroup in [dir.join("inner"), dir.clone()] {
                freeze(&cgroup);
            }
        }
        let (state, report) = kill(&hierarchies, &pod, Duration::ZERO);
        assert_eq!(state, KillState::Gone, "{method}: {report:?}");
        assert_empty(&pod);
    }
}

fn freeze(cgroup: &Path) {
    for (name, word) in [("freezer.state", "FROZEN"), ("cgroup.freeze", "1")] {
        if cgroup.join(name).exists() {
            fs::write(cgroup.join(name), word).unwrap();
        }
    }
}

#[test]
fn a_kill_that_is_dropped_leaves_the_pod_thawed() {
    needs!(CgroupV1);
    let hierarchies = v1();
    let mut pod = TestPod::new(&hierarchies);
    pod.run("", STUBBORN);
    let mut target = target(&hierarchies, &pod);
    assert!(target.freeze());
    drop(target);
    let freezer = hierarchies.freezer.unwrap().mount_point.join(&pod.path);
    let state = fs::read_to_string(freezer.join("freezer.state")).unwrap();
    assert_eq!(state, "THAWED\n");
}

#[test]
fn a_cgroup_that_is_gone_or_empty_is_gone_at_once() {
    needs!(Cgroups);
    let nowhere = Path::new("evictd-test-there-is-none");
    let target = Target::open(&machine(), Path::new(PROC), nowhere);
    assert_eq!(target.err(), Some(Errno::NOENT), "it may be a wrong path");
    // As a pod's that was listed and has ended since.
    let mut target = Target::empty(Proc::open(Path::new(PROC)).unwrap());
    target.add(&machine(), nowhere, None).unwrap();
    let mut kill = Kill::start(
        now(),
        target,
        Grace::of(Duration::MAX),
        KillLimits::default(),
        None,
    );
    assert_eq!(kill.poll(now()), KillState::Gone);
    assert_eq!(kill.report().processes, 0);
    for (hierarchies, _) in kinds() {
        let pod = TestPod::new(&hierarchies);
        let target = self::target(&hierarchies, &pod);
        let mut kill = Kill::start(
            now(),
            target,
            Grace::of(Duration::MAX),
            KillLimits::default(),
            None,
        );
        assert_eq!(kill.poll(now()), KillState::Gone);
    }
}

#[test]
fn a_cgroup_that_is_removed_while_open_is_gone() {
    needs!(Cgroups);
    for (hierarchies, _) in kinds() {
        let pod = TestPod::new(&hierarchies);
        let target = target(&hierarchies, &pod);
        drop(pod);
        let (state, report) = drive(Kill::start(
            now(),
            target,
            Grace::of(Duration::ZERO),
            KillLimits::default(),
            None,
        ));
        assert_eq!(state, KillState::Gone, "{report:?}");
    }
}

/// A v2 hierarchy of plain files: it shows `procs` for ever, and what is
/// written into its files stays there.
fn recorded(procs: &str) -> (Fixture, Target) {
    recorded_with(Path::new(PROC), procs)
}

fn recorded_with(proc: &Path, procs: &str) -> (Fixture, Target) {
    let fixture = Fixture::new();
    fixture.file("pod/cgroup.procs", procs);
    let target = opened(&fixture, proc);
    (fixture, target)
}

fn opened(fixture: &Fixture, proc: &Path) -> Target {
    let hierarchies = Hierarchies {
        memory: Some(Hierarchy {
            version: Version::V2,
            mount_point: fixture.path().to_path_buf(),
        }),
        ..Hierarchies::default()
    };
    Target::open(&hierarchies, proc, Path::new("pod")).unwrap()
}

/// A child that is killed and reaped when the test ends, however it ends.
struct Sleeper(std::process::Child);

impl Sleeper {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    /// One that has ended and that nobody has waited for.
    fn dead() -> Self {
        let mut child = Self::start();
        child.0.kill().unwrap();
        let stat = format!("/proc/{}/stat", child.0.id());
        while !fs::read_to_string(&stat).unwrap().contains(") Z ") {
            std::thread::sleep(Duration::from_millis(1));
        }
        child
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }

    fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The recorded proc says that a process of the test's own is our parent: were
/// the check broken, nobody else would be harmed.
#[test]
fn a_pod_that_holds_an_ancestor_of_ours_is_left_alone() {
    let (mut bystander, mut parent) = (Sleeper::start(), Sleeper::start());
    let number = |pid: Pid| pid.as_raw_nonzero().get();
    let proc = Fixture::new();
    for (pid, ppid) in [(getpid(), number(parent.pid())), (parent.pid(), 1)] {
        let stat = format!("1 (x) S {ppid}{}\n", " 0".repeat(30));
        proc.file(&format!("{}/stat", number(pid)), &stat);
    }
    let procs = format!("{}\n{}\n", number(bystander.pid()), number(parent.pid()));
    for grace in [Duration::ZERO, Duration::from_secs(1)] {
        let (fixture, target) = recorded_with(proc.path(), &procs);
        fixture.file("pod/cgroup.kill", "");
        let limits = KillLimits::default();
        let (state, report) = drive(Kill::start(now(), target, Grace::of(grace), limits, None));
        assert_eq!(state, KillState::Stuck);
        assert_eq!(
            report.problem,
            Some(Problem::Protected(parent.pid()).to_string())
        );
        assert_eq!((report.term_sent, report.kill_sent), (None, None));
        let written = fs::read_to_string(fixture.path().join("pod/cgroup.kill")).unwrap();
        assert_eq!(written, "", "nothing was killed");
        assert!(bystander.is_alive() && parent.is_alive());
    }
}

#[test]
fn protected_are_ourselves_our_ancestors_and_process_1() {
    let protected = crate::process::Proc::open(Path::new(PROC))
        .unwrap()
        .protected();
    let parent = rustix::process::getppid().unwrap();
    assert_eq!(protected[..2], [getpid(), parent]);
    assert!(protected.contains(&Pid::INIT));
}

/// Who is protected is read once, and again when one of them has ended: a pidfd tells, or
/// what is no longer in `/proc`.
#[test]
fn another_parent_is_noticed() {
    let (mut first, second) = (Sleeper::start(), Sleeper::start());
    let fixture = Fixture::new();
    let parent_is = |parent: &Sleeper| {
        let stat = format!(
            "1 (x) S {}{}\n",
            parent.pid().as_raw_nonzero(),
            " 0".repeat(30)
        );
        fixture.file(&format!("{}/stat", getpid().as_raw_nonzero()), &stat);
    };
    parent_is(&first);
    let entry = format!("{}/stat", first.pid().as_raw_nonzero());
    fixture.file(&entry, "gone by the time it is read");
    let proc = crate::process::Proc::open(fixture.path()).unwrap();
    assert_eq!(proc.protected(), [getpid(), first.pid(), Pid::INIT]);
    parent_is(&second);
    assert_eq!(proc.protected(), [getpid(), first.pid(), Pid::INIT]);
    first.0.kill().unwrap();
    first.0.wait().unwrap();
    fs::remove_file(fixture.path().join(entry)).unwrap();
    fixture.file(&format!("{}/stat", second.pid().as_raw_nonzero()), "");
    assert_eq!(proc.protected(), [getpid(), second.pid(), Pid::INIT]);
}

#[test]
fn cgroup_kill_is_written_and_what_stays_is_reported_at_the_deadline() {
    let mut child = Sleeper::start();
    let pid = child.pid();
    let (fixture, target) = recorded(&format!("{}\n", pid.as_raw_nonzero()));
    fixture.file("pod/cgroup.kill", "");
    let limits = KillLimits {
        gone: Duration::from_millis(30),
        ..KillLimits::default()
    };
    let (state, report) = drive(Kill::start(
        now(),
        target,
        Grace::of(Duration::ZERO),
        limits,
        None,
    ));
    let written = fs::read_to_string(fixture.path().join("pod/cgroup.kill")).unwrap();
    assert_eq!(written, "1");
    assert!(!child.is_alive(), "a plain file kills nobody: a signal did");
    assert_eq!(state, KillState::Stuck);
    assert_eq!(report.problem, Some(Problem::Deadline.to_string()));
    assert_eq!(report.method, Some(KillMethod::CgroupKill));
    let remaining: Vec<_> = report.remaining.iter().map(|left| left.pid).collect();
    assert_eq!(remaining, [pid.as_raw_nonzero().get()]);
    assert_eq!(report.remaining[0].state, Some('Z'));
    assert!(report.ended.unwrap().since(report.started) >= limits.gone);
}

#[test]
fn what_we_may_not_signal_is_not_tried_twice() {
    needs!(Root);
    let child = Sleeper::start();
    let pid = child.pid();
    let (fixture, target) = recorded(&format!("{}\n", pid.as_raw_nonzero()));
    let report = std::thread::spawn(move || {
        // The user id of this thread alone: its signals are then refused.
        let nobody = rustix::process::Uid::from_raw(65534);
        rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
        let grace = Duration::from_secs(60);
        let mut kill = Kill::start(now(), target, Grace::of(grace), KillLimits::default(), None);
        (kill.poll(now()), kill.report().clone())
    })
    .join()
    .unwrap();
    drop((fixture, child));
    let (state, report) = report;
    assert_eq!(state, KillState::Stuck, "at once, not after the grace");
    assert_eq!(report.problem, Some(Problem::Denied.to_string()));
    assert_eq!((report.processes, report.term_sent), (0, None));
}

#[test]
fn a_process_outside_our_pid_namespace_is_waited_for_and_told() {
    let (_fixture, target) = recorded("0\n");
    let limits = KillLimits {
        gone: Duration::from_millis(20),
        ..KillLimits::default()
    };
    let (state, report) = drive(Kill::start(
        now(),
        target,
        Grace::of(Duration::ZERO),
        limits,
        None,
    ));
    assert_eq!(state, KillState::Stuck);
    assert!(
        report.out_of_sight && report.remaining.is_empty(),
        "{report:?}"
    );
}

#[test]
fn a_thread_of_the_kernels_own_is_not_signalled() {
    // kthreadd.
    let (_fixture, target) = recorded("2\n");
    let limits = KillLimits {
        gone: Duration::from_millis(20),
        ..KillLimits::default()
    };
    let (state, report) = drive(Kill::start(
        now(),
        target,
        Grace::of(Duration::ZERO),
        limits,
        None,
    ));
    assert_eq!(fs::read_to_string("/proc/2/comm").unwrap(), "kthreadd\n");
    assert_eq!(state, KillState::Stuck);
    assert_eq!((report.processes, report.kill_sent), (0, None));
}

#[test]
fn waiting_never_asks_to_come_back_in_the_past() {
    needs!(Cgroups);
    let hierarchies = real();
    let mut pod = TestPod::new(&hierarchies);
    pod.run("", STUBBORN);
    let start = Mono::from_millis(1000);
    let grace = Duration::from_millis(400);
    let target = target(&hierarchies, &pod);
    let mut kill = Kill::start(start, target, Grace::of(grace), KillLimits::default(), None);
    assert_eq!(descriptors(&kill).len(), 1);
    let mut at = start;
    while at < start + grace {
        let KillState::Waiting { until } = kill.poll(at) else {
            panic!("it has its grace: {:?}", kill.report());
        };
        assert!(until > at && until <= start + grace, "{until:?} at {at:?}");
        at = until;
    }
    let later = Mono::from_millis(1400);
    match kill.poll(later) {
        KillState::Waiting { until } => assert!(until > later),
        KillState::Gone => {}
        KillState::Stuck => panic!("{:?}", kill.report()),
    }
}

#[test]
fn who_has_ended_holds_a_pid_until_somebody_waits_for_it() {
    needs!(CgroupV1);
    let hierarchies = v1();
    let mut pod = TestPod::new(&hierarchies);
    pod.run("", OBEDIENT);
    let limits = KillLimits::default();
    let target = target(&hierarchies, &pod);
    let mut kill = Kill::start(now(), target, Grace::of(Duration::ZERO), limits, None);
    while kill.poll(now()) != KillState::Gone {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_empty(&pod);
    assert_eq!(kill.held_pids(), 1);
    pod.reap();
    assert_eq!(kill.held_pids(), 0);
}

#[test]
fn who_becomes_fewer_is_not_stuck() {
    let children = [Sleeper::dead(), Sleeper::dead()];
    let [one, two] = [0, 1].map(|index: usize| children[index].pid().as_raw_nonzero());
    let (fixture, target) = recorded(&format!("{one}\n{two}\n"));
    let limits = KillLimits {
        gone: Duration::from_millis(30),
        ..KillLimits::default()
    };
    let start = now();
    let at = |millis| start + Duration::from_millis(millis);
    let is_stuck = |state| state == KillState::Stuck;
    let mut kill = Kill::start(start, target, Grace::of(Duration::ZERO), limits, None);
    fixture.file("pod/cgroup.kill", "");
    fixture.file("pod/cgroup.procs", &format!("{two}\n"));
    for (millis, stuck) in [(20, false), (40, false), (49, false), (50, true)] {
        assert_eq!(is_stuck(kill.poll(at(millis))), stuck, "after {millis} ms");
    }
}

/// Nothing of the pod's is given back, and what it was to give back runs out.
#[test]
fn where_memory_runs_out_a_pod_counts_as_stuck_sooner() {
    let child = Sleeper::dead();
    let (_fixture, target) = recorded(&format!("{}\n", child.pid().as_raw_nonzero()));
    let start = now();
    let at = |millis| start + Duration::from_millis(millis);
    let limits = KillLimits::default();
    let mut kill = Kill::start(start, target, Grace::of(Duration::ZERO), limits, None);
    kill.poll(at(10));
    for millis in [1020, 5000] {
        assert!(matches!(kill.poll(at(millis)), KillState::Waiting { .. }));
    }
    kill.expect_effect_soon();
    assert_eq!(kill.poll(at(5001)), KillState::Stuck);
    let problem = kill.report().problem.as_deref();
    assert_eq!(problem, Some(&*Problem::Deadline.to_string()));
}

#[test]
fn of_many_processes_one_wakes_the_caller() {
    needs!(Cgroups);
    let crowd = "i=0; while [ $i -lt 300 ]; do sleep 600 & i=$((i+1)); done; echo ready; wait";
    for (hierarchies, method) in kinds() {
        let mut pod = TestPod::new(&hierarchies);
        pod.run("", crowd);
        let target = target(&hierarchies, &pod);
        let grace = Grace {
            length: Duration::from_secs(600),
            asked_by_runtime: true,
        };
        let mut kill = Kill::start(now(), target, grace, KillLimits::default(), None);
        assert_eq!(descriptors(&kill).len(), 1, "{method}");
        kill.end_grace(now());
        let (state, report) = drive(kill);
        assert_eq!(
            (state, report.processes),
            (KillState::Gone, 301),
            "{method}"
        );
    }
}

/// Acceptance row 182. Some kernels still list a process when its end wakes whoever waits
/// for it; as nothing else tells that the last one has gone, the next look must be soon.
#[test]
fn what_is_listed_though_it_has_ended_is_looked_at_again_at_once() {
    let (first, last) = (Sleeper::dead(), Sleeper::dead());
    let (fixture, target) = recorded(&format!("{}\n{}\n", first.0.id(), last.0.id()));
    let limits = KillLimits::default();
    let mut kill = Kill::start(now(), target, Grace::of(Duration::ZERO), limits, None);
    // As after a wait for one of them.
    kill.nap = NAPS_WATCHED.0 * 2;
    fixture.file("pod/cgroup.procs", &format!("{}\n", last.0.id()));
    let at = kill.look_at.max(now());
    let state = kill.poll(at);
    let until = at + NAPS.0;
    assert_eq!(state, KillState::Waiting { until });
    fixture.file("pod/cgroup.procs", "");
    assert_eq!(kill.poll(until), KillState::Gone);
}

/// Acceptance row 175: a level costs no descriptor and no stack.
#[test]
fn cgroups_nested_to_any_depth_are_killed() {
    needs!(Cgroups);
    for (hierarchies, method) in kinds() {
        let mut pod = TestPod::new(&hierarchies);
        let mut deepest = "0".to_owned();
        pod.nest(&deepest);
        for level in 1..200 {
            deepest = format!("{deepest}/{level}");
            pod.nest(&deepest);
        }
        pod.run(&deepest, STUBBORN);
        let (state, report) = kill(&hierarchies, &pod, Duration::ZERO);
        assert_eq!(
            (state, report.processes),
            (KillState::Gone, 1),
            "{method}: {report:?}"
        );
        assert_empty(&pod);
    }
}

#[test]
fn who_is_asked_by_a_runtime_is_not_asked_again_until_we_have_to() {
    needs!(Cgroups);
    let hierarchies = real();
    let mut pod = TestPod::new(&hierarchies);
    pod.run("", OBEDIENT);
    let target = target(&hierarchies, &pod);
    let grace = Grace {
        length: Duration::from_secs(600),
        asked_by_runtime: true,
    };
    let mut kill = Kill::start(now(), target, grace, KillLimits::default(), None);
    kill.poll(now());
    assert_eq!(kill.report().term_sent, None);
    assert_eq!(
        descriptors(&kill).len(),
        1,
        "its end is watched nevertheless"
    );
    kill.ask();
    let (state, report) = drive(kill);
    assert_eq!(state, KillState::Gone, "{report:?}");
    assert!(report.term_sent.is_some());
    assert_eq!(report.kill_sent, None);
}
