use core::sync::atomic::{AtomicU32, Ordering};
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use evictd_cgroup::{KnobPlaces, Origin};
use evictd_evict::ladder::Said;
use evictd_node::MemoryRung;
use evictd_node::pod::Pod;
use evictd_stats::{Hierarchy, Version};

use super::work::Work;
use super::*;

/// Files as a v2 hierarchy has them, and a state directory; gone with the test.
struct Machine(PathBuf);

impl Machine {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("evictd-ladder-{}-{number}", std::process::id()));
        fs::create_dir_all(path.join("state")).unwrap();
        let machine = Self(path);
        for pod in ["hog", "batch"] {
            fs::create_dir_all(machine.0.join(pod)).unwrap();
            machine.write(pod, "memory.high", "max\n");
            machine.write(pod, "cgroup.freeze", "0\n");
            machine.write(pod, "memory.reclaim", "");
            machine.write(
                pod,
                "memory.pressure",
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
            );
            machine.write(pod, "memory.stat", "workingset_refault_anon 0\n");
            machine.uses(pod, 50);
        }
        machine
    }

    fn write(&self, pod: &str, file: &str, text: &str) {
        fs::write(self.0.join(pod).join(file), text).unwrap();
    }

    fn uses(&self, pod: &str, mib: u64) {
        self.write(pod, "memory.current", &format!("{}\n", mib << 20));
    }

    /// The first line: a plain file is not cut off by what is written into it.
    fn says(&self, pod: &str, file: &str) -> String {
        let text = fs::read_to_string(self.0.join(pod).join(file)).unwrap();
        text.lines().next().unwrap_or_default().to_owned()
    }

    fn journal(&self) -> KnobJournal {
        KnobJournal {
            directory: Arc::new(Directory::open(&self.0.join("state")).unwrap()),
            name: "ladder",
            spare: "ladder.spare",
            boot_id: String::from("boot"),
        }
    }

    fn work(&self, journal: Option<KnobJournal>) -> Work {
        let hierarchy = Some(Hierarchy {
            version: Version::V2,
            mount_point: self.0.clone(),
        });
        let places = KnobPlaces {
            memory: hierarchy.clone(),
            freezer: hierarchy,
            cpu: None,
        };
        Work::new(places, journal)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn asked(name: &str) -> Asked {
    let mut pod = Pod::default();
    pod.metadata.name = name.to_owned();
    pod.metadata.uid = name.to_owned();
    Asked {
        found: FoundPod::new(Arc::new(pod), Path::new(name), Origin::PodCgroupRoot),
        is_freezable: name == "batch",
        tells: Vec::new(),
    }
}

fn job(at: Mono, need: Need, dry_run: bool) -> Job {
    let all = MemoryRung::ALL.into_iter();
    Job {
        said: Said {
            at,
            need,
            stalls: false,
            allowed: all.fold(MemoryRungs::default(), MemoryRungs::with),
            ending: None,
        },
        dry_run,
        pods: Some(vec![asked("hog"), asked("batch")]),
    }
}

fn at(seconds: u64) -> Mono {
    Mono::ZERO + Duration::from_secs(seconds)
}

fn texts(told: Vec<Told>) -> Vec<String> {
    let text = |told| match told {
        Told::Climbed(collected) => collected.text,
        Told::Problem(line) => line,
    };
    told.into_iter().map(text).collect()
}

/// The hog gains 50 MiB a second while memory is nearly short.
fn grow(machine: &Machine, work: &mut Work, dry_run: bool) -> Vec<String> {
    let mut told = Vec::new();
    for second in 0..4 {
        machine.uses("hog", 50 + 50 * second.min(1));
        work.take(job(at(second), Need::Near, dry_run));
        told.extend(texts(work.look(at(second))));
    }
    told
}

/// Acceptance rows 321, 323 and 324.
#[test]
fn what_is_decided_is_done_and_undone() {
    let machine = Machine::new();
    let mut work = machine.work(Some(machine.journal()));
    let told = grow(&machine, &mut work, false);
    assert_eq!(machine.says("hog", "memory.high"), (100 << 20).to_string());
    assert_eq!(machine.says("batch", "cgroup.freeze"), "1");
    assert_ne!(machine.says("batch", "memory.reclaim"), "");
    assert!(
        told[0].starts_with("brake: pod hog gains 50 MiB a second"),
        "{told:?}"
    );
    assert_eq!(told.len(), 2, "{told:?}");
    for second in 4..8 {
        work.take(job(at(second), Need::None, false));
        let _ = work.look(at(second));
    }
    assert_eq!(machine.says("hog", "memory.high"), "max");
    assert_eq!(machine.says("batch", "cgroup.freeze"), "0");
    assert!(!work.is_busy());
}

/// Acceptance row 325: evictd ends, by itself or by SIGKILL.
#[test]
fn the_end_leaves_nothing_set_and_after_sigkill_the_next_start() {
    for is_killed in [false, true] {
        let machine = Machine::new();
        let mut work = machine.work(Some(machine.journal()));
        grow(&machine, &mut work, false);
        if is_killed {
            drop(work);
            assert_eq!(machine.says("batch", "cgroup.freeze"), "1");
            let told = machine.work(Some(machine.journal())).put_back();
            assert_eq!(told.len(), 1);
        } else {
            work.end();
        }
        assert_eq!(machine.says("hog", "memory.high"), "max", "{is_killed}");
        assert_eq!(machine.says("batch", "cgroup.freeze"), "0", "{is_killed}");
    }
}

/// Acceptance row 319: without a state directory nothing is set that would outlast evictd.
#[test]
fn without_a_place_to_write_it_down_nothing_is_set() {
    let machine = Machine::new();
    let told = grow(&machine, &mut machine.work(None), false);
    assert_eq!(machine.says("hog", "memory.high"), "max");
    assert_eq!(machine.says("batch", "cgroup.freeze"), "0");
    assert!(
        told.iter().any(|line| line.contains("--state-dir")),
        "{told:?}"
    );
}

#[test]
fn a_dry_run_tells_and_sets_nothing() {
    let machine = Machine::new();
    let mut work = machine.work(Some(machine.journal()));
    let told = grow(&machine, &mut work, true);
    assert!(
        told.iter().all(|line| line.starts_with("a dry run")),
        "{told:?}"
    );
    assert_eq!(told.len(), 2);
    assert_eq!(machine.says("hog", "memory.high"), "max");
    assert_eq!(machine.says("batch", "cgroup.freeze"), "0");
    assert_eq!(machine.says("batch", "memory.reclaim"), "");
}

/// Acceptance row 390.
#[test]
fn who_is_evicted_while_it_stands_still_goes_on() {
    let machine = Machine::new();
    let mut work = machine.work(Some(machine.journal()));
    grow(&machine, &mut work, false);
    assert_eq!(machine.says("batch", "cgroup.freeze"), "1");
    let mut evicted = job(at(4), Need::Near, false);
    evicted.said.ending = Some("batch".to_owned());
    work.take(evicted);
    let _ = work.look(at(4));
    assert_eq!(machine.says("batch", "cgroup.freeze"), "0");
}

/// What an operator has set lower stays.
#[test]
fn a_limit_that_is_lower_already_is_left_alone() {
    let machine = Machine::new();
    machine.write("hog", "memory.high", "1048576\n");
    let mut work = machine.work(Some(machine.journal()));
    grow(&machine, &mut work, false);
    assert_eq!(machine.says("hog", "memory.high"), "1048576");
}

/// Acceptance row 319: evictd's loop stands still, and says no more.
#[test]
fn what_is_set_is_over_where_the_loop_stands_still() {
    let machine = Machine::new();
    let mut work = machine.work(Some(machine.journal()));
    grow(&machine, &mut work, false);
    for second in 4..12 {
        let _ = work.look(at(second));
    }
    assert_eq!(machine.says("hog", "memory.high"), "max");
    assert_eq!(machine.says("batch", "cgroup.freeze"), "0");
}

/// Acceptance row 432: two that have just begun, of which one waits; SIGKILL meanwhile.
#[test]
fn newcomers_that_wait_go_on_with_the_next_evictd() {
    let machine = Machine::new();
    let mut child = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    for pod in ["hog", "batch"] {
        machine.write(pod, "cgroup.procs", &format!("{}\n", child.id()));
        machine.uses(pod, 50);
    }
    let storm = |dry_run| {
        let mut job = job(at(1), Need::None, dry_run);
        job.said.stalls = true;
        job.said.allowed = MemoryRungs::default().with(MemoryRung::StartStorm);
        job
    };
    let standing = || {
        let each = ["hog", "batch"].into_iter();
        each.filter(|pod| machine.says(pod, "cgroup.freeze") == "1")
            .count()
    };
    let mut rehearsed = machine.work(Some(machine.journal()));
    rehearsed.take(storm(true));
    let told = texts(rehearsed.look(at(1)));
    assert!(
        told[0].starts_with("a dry run: it would be so: startStorm: pod "),
        "{told:?}"
    );
    assert_eq!((told.len(), standing()), (1, 0));

    let mut work = machine.work(Some(machine.journal()));
    work.take(storm(false));
    let told = texts(work.look(at(1)));
    assert!(
        told[0].ends_with("it stands still until its turn"),
        "{told:?}"
    );
    assert_eq!((told.len(), standing(), work.holds_any()), (1, 1, true));
    drop(work);
    assert_eq!(machine.work(Some(machine.journal())).put_back().len(), 1);
    assert_eq!(standing(), 0);
    child.kill().unwrap();
    child.wait().unwrap();
}
