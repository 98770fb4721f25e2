//! On the kernel this runs on, with cgroups of its own.

use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::{env, fs};

use evictd_node::{Mono, Signal};
use evictd_testkit::needs;

use super::tree::LONG;
use crate::{Hierarchies, Hierarchy, NodeReader, NodeSettings, PodReader, PodSample, Version, now};

/// A cgroup of this test's own, and the child in it; both gone when the test
/// ends, well or badly.
struct Group {
    path: PathBuf,
    child: Option<Child>,
}

impl Group {
    fn new(hierarchy: &Hierarchy, name: &str) -> Self {
        let name = format!("evictd-stats-{name}-{}", process::id());
        let path = hierarchy.mount_point.join(name);
        fs::create_dir(&path).unwrap();
        Self { path, child: None }
    }

    fn name(&self) -> &Path {
        Path::new(self.path.file_name().unwrap())
    }

    fn start_child(&mut self) {
        let mut command = Command::new("sleep");
        let child = command.arg("60").stdin(Stdio::null()).spawn().unwrap();
        let pid = child.id();
        self.child = Some(child);
        fs::write(self.path.join("cgroup.procs"), format!("{pid}\n")).unwrap();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        // A killed process may be counted for a moment longer.
        for _try in 0..1000 {
            if fs::remove_dir(&self.path).is_ok() || !self.path.exists() {
                return;
            }
            std::thread::yield_now();
        }
    }
}

fn hierarchies() -> Hierarchies {
    Hierarchies::read(Path::new("/proc")).unwrap()
}

fn settings() -> NodeSettings {
    NodeSettings::new(Path::new("/proc"), hierarchies(), &env::temp_dir())
}

#[test]
fn this_node_has_all_its_signals() {
    let mut reader = NodeReader::open(settings()).unwrap();
    let start = now();
    let sample = reader.read(start, LONG);
    assert_eq!(reader.errors(), []);
    let memory = sample.memory.unwrap();
    assert!(memory.available_bytes > 0 && memory.available_bytes < memory.total_bytes);
    assert!(memory.unaccounted_bytes.unwrap() < memory.total_bytes);
    let pids = sample.pids.unwrap();
    assert!(pids.node.available() > 0 && pids.node.running > 1);
    let readings = sample.readings();
    for signal in [
        Signal::MemoryAvailable,
        Signal::PidAvailable,
        Signal::NodefsAvailable,
    ] {
        let reading = readings.get(signal).unwrap();
        assert_eq!(reading.sampled, Some(start), "{signal}");
        assert!(reading.available <= reading.capacity, "{signal}");
    }
    let later = reader.read(now(), LONG);
    assert!(later.memory.unwrap().sampled > start);
}

#[test]
fn a_pods_cgroup_that_vanishes_and_comes_back_is_read_anew() {
    needs!(MemoryCgroups);
    let hierarchy = hierarchies().memory.unwrap();
    let limit = match hierarchy.version {
        Version::V1 => "memory.limit_in_bytes",
        Version::V2 => "memory.max",
    };
    let group = Group::new(&hierarchy, "pods");
    let mut settings = settings();
    settings.pods_cgroup = Some(group.name().to_owned());
    let mut reader = NodeReader::open(settings).unwrap();
    let signal = Signal::AllocatableMemoryAvailable;

    let sample = reader.read(now(), LONG);
    assert_eq!(sample.pods_memory.unwrap().available_bytes(), None);
    assert_eq!(sample.readings().get(signal), None);

    fs::write(group.path.join(limit), "67108864\n").unwrap();
    let reading = reader.read(now(), LONG).readings().get(signal).unwrap();
    assert_eq!(reading.capacity, 64 << 20);

    // The descriptors stay open and answer ENODEV from here on.
    fs::remove_dir(&group.path).unwrap();
    assert_eq!(reader.read(now(), LONG).pods_memory, None);
    assert_eq!(reader.errors(), []);

    // Made anew between two rounds: nothing but ENODEV tells.
    fs::create_dir(&group.path).unwrap();
    let later = now() + core::time::Duration::from_secs(5);
    assert!(reader.read(later, LONG).pods_memory.is_some());
    fs::remove_dir(&group.path).unwrap();
    fs::create_dir(&group.path).unwrap();
    fs::write(group.path.join(limit), "33554432\n").unwrap();
    let reading = reader.read(now(), LONG).readings().get(signal).unwrap();
    assert_eq!(reading.capacity, 32 << 20);
    assert_eq!(reader.errors(), []);
}

#[test]
fn a_pod_is_counted_and_its_end_costs_only_it() {
    needs!(MemoryCgroups);
    let hierarchies = hierarchies();
    let hierarchy = hierarchies.memory.clone().unwrap();
    let mut group = Group::new(&hierarchy, "pod");
    group.start_child();
    let name = group.name().to_owned();
    let mut reader = PodReader::new(&hierarchies);
    let sample = reader.read(&name, None).unwrap();
    assert_eq!(reader.errors(), []);
    let memory = sample.memory.unwrap();
    assert!(memory.working_set_bytes() <= memory.usage_bytes);
    assert_eq!(sample.process_count, Some(1));

    let dir = hierarchy.open(&name).unwrap();
    drop(group);
    let sample = reader.read(&name, dir);
    assert_eq!(sample, Some(PodSample::default()));
    assert_eq!(reader.read(&name, None), None);
    assert_eq!(reader.errors(), []);
}

#[test]
fn a_pods_tasks_are_read_from_the_pids_controller() {
    needs!(PidsCgroups);
    let hierarchies = hierarchies();
    let hierarchy = hierarchies.pids.clone().unwrap();
    let mut group = Group::new(&hierarchy, "pids");
    group.start_child();
    fs::write(group.path.join("pids.max"), "20\n").unwrap();
    let mut pods = PodReader::new(&hierarchies);
    let sample = pods.read(group.name(), None).unwrap();
    assert_eq!(sample.process_count, Some(1));
}

/// Acceptance row 184: the clock of grace and transition periods does not count the time
/// in which the machine slept. `unshare -T --boottime 1000` shows that on one that never
/// did.
#[test]
fn the_time_stands_still_while_the_machine_sleeps() {
    let monotonic = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let (seconds, nanos) = (time.tv_sec.cast_unsigned(), time.tv_nsec.cast_unsigned());
        Mono::from_nanos(seconds * 1_000_000_000 + nanos)
    };
    let before = monotonic();
    let now = crate::now();
    assert!((before..=monotonic()).contains(&now));
}
