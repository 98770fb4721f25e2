//! Cgroups and processes of the tests' own, which are gone when a test ends,
//! however it ends. The tests that make them say with `needs!` what they need.

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use evictd_stats::{Hierarchies, Version};
use evictd_testkit::Need;

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A name that no other test, and no other run, has.
pub(crate) fn unique(what: &str) -> String {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("evictd-test-{what}-{}-{number}", std::process::id())
}

/// This machine's hierarchies.
pub(crate) fn machine() -> Hierarchies {
    Hierarchies::read(Path::new("/proc")).unwrap()
}

/// This machine's, as if v1 had no freezer.
pub(crate) fn v1_without_freezer() -> Hierarchies {
    let mut machine = v1();
    machine.freezer = None;
    machine
}

/// This machine's v1 hierarchies.
pub(crate) fn v1() -> Hierarchies {
    let machine = machine();
    let memory = machine.memory.as_ref().map(|found| found.version);
    let freezer = machine.freezer.as_ref().map(|found| found.version);
    assert_eq!(
        (memory, freezer),
        (Some(Version::V1), Some(Version::V1)),
        "this test needs cgroup v1's memory and freezer"
    );
    machine
}

/// What this machine has: v1 where it is there, else v2.
pub(crate) fn real() -> Hierarchies {
    if Need::CgroupV1.is_met() { v1() } else { v2() }
}

/// This machine's cgroup2 mount alone, which needs no controller for killing.
pub(crate) fn v2() -> Hierarchies {
    let unified = machine().unified;
    assert!(unified.is_some(), "this test needs a cgroup2 mount");
    Hierarchies {
        freezer: unified.clone(),
        unified,
        ..Hierarchies::default()
    }
}

/// A cgroup in each of the given hierarchies, and the processes started in it.
pub(crate) struct TestPod {
    pub(crate) path: PathBuf,
    pub(crate) dirs: Vec<PathBuf>,
    children: Vec<Child>,
}

impl TestPod {
    pub(crate) fn new(hierarchies: &Hierarchies) -> Self {
        Self::named(hierarchies, unique("pod"))
    }

    pub(crate) fn named(hierarchies: &Hierarchies, name: impl AsRef<Path>) -> Self {
        let all = [
            &hierarchies.memory,
            &hierarchies.pids,
            &hierarchies.freezer,
            &hierarchies.unified,
        ];
        let v1_only = hierarchies.memory.is_some();
        let mut pod = Self {
            path: name.as_ref().to_path_buf(),
            dirs: Vec::new(),
            children: Vec::new(),
        };
        for hierarchy in all.into_iter().flatten() {
            let dir = hierarchy.mount_point.join(&name);
            let skip = v1_only && hierarchy.version == Version::V2;
            if !skip && !pod.dirs.contains(&dir) {
                fs::create_dir_all(&dir)
                    .unwrap_or_else(|error| panic!("needs root: {}: {error}", dir.display()));
                pod.dirs.push(dir);
            }
        }
        pod
    }

    /// Makes a cgroup below this one, in each hierarchy.
    pub(crate) fn nest(&self, name: &str) {
        for dir in &self.dirs {
            fs::create_dir(dir.join(name)).unwrap();
        }
    }

    /// Runs a shell script in the pod (in `below` it), and waits for it to be
    /// there; it says so by printing a line.
    pub(crate) fn run(&mut self, below: &str, script: &str) -> i32 {
        let enter = "for dir; do echo $$ > \"$dir/cgroup.procs\" || exit 9; done; ";
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("{enter}{script}"))
            .arg("sh")
            .args(self.dirs.iter().map(|dir| dir.join(below)))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "the script did not start");
        let pid = i32::try_from(child.id()).unwrap();
        self.children.push(child);
        pid
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        for dir in &self.dirs {
            if dir.join(name).exists() {
                fs::write(dir.join(name), text).unwrap();
            }
        }
    }

    /// Waits for those that have ended.
    pub(crate) fn reap(&mut self) {
        for mut child in self.children.drain(..) {
            child.wait().unwrap();
        }
    }

    pub(crate) fn procs(&self) -> Vec<i32> {
        self.dirs.iter().flat_map(|dir| procs(dir)).collect()
    }
}

fn procs(dir: &Path) -> Vec<i32> {
    let mut found = Vec::new();
    for child in fs::read_dir(dir).into_iter().flatten().flatten() {
        if child.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(procs(&child.path()));
        }
    }
    let text = fs::read_to_string(dir.join("cgroup.procs")).unwrap_or_default();
    found.extend(text.lines().filter_map(|line| line.parse::<i32>().ok()));
    found
}

impl Drop for TestPod {
    fn drop(&mut self) {
        for _ in 0..200 {
            for dir in &self.dirs {
                thaw(dir);
            }
            let left = self.procs();
            for pid in left
                .iter()
                .filter_map(|pid| rustix::process::Pid::from_raw(*pid))
            {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
            if left.is_empty() && self.dirs.iter().all(|dir| remove(dir)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        for child in &mut self.children {
            let _ = child.wait();
        }
        let left = self.dirs.iter().find(|dir| dir.exists());
        assert!(left.is_none() || std::thread::panicking(), "{left:?}");
    }
}

fn thaw(dir: &Path) {
    let _ = fs::write(dir.join("freezer.state"), "THAWED");
    let _ = fs::write(dir.join("cgroup.freeze"), "0");
    for child in fs::read_dir(dir).into_iter().flatten().flatten() {
        if child.file_type().is_ok_and(|kind| kind.is_dir()) {
            thaw(&child.path());
        }
    }
}

/// Removes a cgroup and those below it.
fn remove(dir: &Path) -> bool {
    for child in fs::read_dir(dir).into_iter().flatten().flatten() {
        if child.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&child.path());
        }
    }
    fs::remove_dir(dir).is_ok() || !dir.exists()
}

/// A directory of plain files that stands for a hierarchy of another machine.
pub(crate) struct Fixture(PathBuf);

impl Fixture {
    pub(crate) fn new() -> Self {
        let dir = std::env::temp_dir().join(unique("fixture"));
        fs::create_dir(&dir).unwrap();
        Self(dir)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and makes the directories that it needs.
    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
