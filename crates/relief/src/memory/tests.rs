use core::sync::atomic::{AtomicU32, Ordering};
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use evictd_cgroup::{KnobPlaces, Origin};
use evictd_evict::memory_relief::{Need, Said};
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
        let path = std::env::temp_dir().join(format!(
            "evictd-memory-relief-{}-{number}",
            std::process::id()
        ));
        fs::create_dir_all(path.join("state")).unwrap();
        let machine = Self(path);
        for pod in ["hog", "batch"] {
            fs::create_dir_all(machine.0.join(pod)).unwrap();
            machine.write(pod, "memory.high", "max\n");
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
            name: "relief",
            spare: "relief.spare",
            boot_id: String::from("boot"),
        }
    }

    fn work(&self, journal: Option<KnobJournal>) -> Work {
        let hierarchy = Some(Hierarchy {
            version: Version::V2,
            mount_point: self.0.clone(),
        });
        let places = KnobPlaces {
            memory: hierarchy,
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

fn found(name: &str) -> FoundPod {
    let mut pod = Pod::default();
    pod.metadata.name = name.to_owned();
    pod.metadata.uid = name.to_owned();
    FoundPod::new(Arc::new(pod), Path::new(name), Origin::PodCgroupRoot)
}

fn job(at: Mono, need: Need, dry_run: bool) -> Job {
    Job {
        said: Said {
            at,
            need,
            is_on: true,
        },
        dry_run,
        pods: Some(vec![found("hog"), found("batch")]),
    }
}

fn at(seconds: u64) -> Mono {
    Mono::ZERO + Duration::from_secs(seconds)
}

fn texts(told: Vec<Told>) -> Vec<String> {
    let text = |told| match told {
        Told::Relieved(collected) => collected.text,
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

/// Acceptance rows 321 and 323.
#[test]
fn what_is_decided_is_done_and_undone() {
    let machine = Machine::new();
    let mut work = machine.work(Some(machine.journal()));
    let told = grow(&machine, &mut work, false);
    assert_eq!(machine.says("hog", "memory.high"), (100 << 20).to_string());
    assert_ne!(machine.says("batch", "memory.reclaim"), "");
    assert!(
        told[0].starts_with("brake: pod hog grows by 50 MiB/s"),
        "{told:?}"
    );
    assert_eq!(told.len(), 1, "{told:?}");
    for second in 4..8 {
        work.take(job(at(second), Need::None, false));
        let _ = work.look(at(second));
    }
    assert_eq!(machine.says("hog", "memory.high"), "max");
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
            assert_ne!(machine.says("hog", "memory.high"), "max");
            let told = machine.work(Some(machine.journal())).put_back();
            assert_eq!(told.len(), 1);
        } else {
            work.end();
        }
        assert_eq!(machine.says("hog", "memory.high"), "max", "{is_killed}");
    }
}

/// Acceptance row 319: without a state directory nothing is set that would outlast evictd.
#[test]
fn without_a_place_to_write_it_down_nothing_is_set() {
    let machine = Machine::new();
    let told = grow(&machine, &mut machine.work(None), false);
    assert_eq!(machine.says("hog", "memory.high"), "max");
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
    assert_eq!(told.len(), 1);
    assert_eq!(machine.says("hog", "memory.high"), "max");
    assert_eq!(machine.says("batch", "memory.reclaim"), "");
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
}
