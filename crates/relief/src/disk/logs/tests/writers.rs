//! Which processes are asked who writes a log, and how many questions that is.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use evictd_containers::{ContainerState, LogFormat};
use evictd_gc::LogWriter;
use evictd_testkit::needs;

use super::relieving::{container, listed};
use crate::disk::logs::find::{Log, Named, all, named};
use crate::disk::logs::writers::{BOUNDS, Bounds, Writers};

/// A process with mounts of its own, as a container's, and with many files open.
struct Tenant(Child);

impl Tenant {
    fn with(descriptors: u32, log: Option<&Path>) -> Self {
        let log = log.map_or(String::new(), |path| {
            format!("exec {{log}}>>{};", path.display())
        });
        let script = format!(
            "ulimit -n {most}; for ((n = 0; n < {descriptors}; n++)); do exec {{file}}</dev/null; \
             done; {log} echo; exec sleep 100",
            most = descriptors + 100
        );
        let mut child = Command::new("unshare")
            .args(["--mount", "bash", "-c", &script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        Self(child)
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("evictd-writers-{}-{name}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn log(&self, name: &str) -> Log {
        let path = self.0.join(name);
        fs::write(&path, "x").unwrap();
        let runtimes = listed(vec![container(
            &path,
            LogFormat::K8sFile,
            ContainerState::Running,
        )]);
        let (container, pod, runtime) = all(&runtimes).next().unwrap();
        match named(container, pod, runtime) {
            Ok(Named::There(log)) => log,
            _ => panic!("no log"),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// A `/proc` made of files: processes of containers, each with its mounts and open files.
struct Processes(PathBuf);

impl Processes {
    fn add(&self, process: u32, container: &str, descriptors: u32, log: Option<&Path>) {
        let at = self.0.join(process.to_string());
        fs::create_dir_all(at.join("fd")).unwrap();
        fs::create_dir_all(at.join("fdinfo")).unwrap();
        fs::create_dir_all(at.join("ns")).unwrap();
        let mounts = format!("mnt:[{}]", if process == 1 { 1 } else { 2 });
        symlink(mounts, at.join("ns/mnt")).unwrap();
        fs::write(at.join("status"), "Name:\tx\nUid:\t0\t0\t0\t0\n").unwrap();
        let cgroup = format!("12:pids:/kubepods/pod-{container}/{container}\n0::/other\n");
        fs::write(at.join("cgroup"), cgroup).unwrap();
        for number in 0..descriptors {
            symlink("/dev/null", at.join(format!("fd/{number}"))).unwrap();
        }
        if let Some(log) = log {
            symlink(log, at.join("fd/log")).unwrap();
            fs::write(at.join("fdinfo/log"), "pos:\t0\nflags:\t02001\n").unwrap();
        }
    }
}

/// One pod with processes and files without end keeps evictd from asking no other.
#[test]
fn containers_are_asked_in_turns() {
    let place = Place::new("turns");
    let logs = [place.log("a.log"), place.log("b.log")];
    let path = |of: usize| logs[of].directory.join(&logs[of].file);
    let processes = Processes(place.0.join("proc"));
    processes.add(1, "init", 3, None);
    for process in 2..42 {
        processes.add(process, "hog", 20, None);
    }
    processes.add(50, "hog", 20, Some(&path(1)));
    processes.add(60, "writer", 10, Some(&path(0)));
    let bounds = Bounds {
        turn: 50,
        most: 500,
    };
    let writers = Writers::new(processes.0.clone(), bounds);
    // The second time goes on where the first one stopped.
    for of_the_hog in [LogWriter::Nobody, LogWriter::Appends] {
        let search = writers.search(&logs);
        assert_eq!(search.found, [LogWriter::Appends, of_the_hog]);
        assert!(search.looked_at <= 3 + bounds.most, "{}", search.looked_at);
    }
}

/// However many files pods have open, a round asks a limited number of questions. The writer of
/// the log is found in a later round, which goes on where the last one stopped.
#[test]
fn what_pods_have_open_costs_so_much_and_no_more() {
    needs!(Root);
    let place = Place::new("many");
    let log = place.log("a.log");
    let path = log.directory.join(&log.file);
    let writers = Writers::new("/proc".into(), BOUNDS);
    let own = writers.search(&[]).looked_at;
    let hogs: Vec<Tenant> = (0..5).map(|_| Tenant::with(8000, None)).collect();
    let last = Tenant::with(8000, Some(&path));
    let logs = [log];
    let mut rounds = Vec::new();
    for _ in 0..4 {
        let search = writers.search(&logs);
        // Own processes of the machine come and go meanwhile.
        assert!(
            search.looked_at < own + BOUNDS.most + 20_000,
            "{}",
            search.looked_at
        );
        rounds.push(search.found[0]);
    }
    assert!(rounds.contains(&LogWriter::Appends), "{rounds:?}");
    drop((hogs, last));
}

/// The machine's own processes are asked first, and where they say who writes it, no other.
#[test]
fn what_a_runtime_writes_is_found_whatever_pods_have_open() {
    needs!(Root);
    let place = Place::new("own");
    let log = place.log("a.log");
    let _hogs: Vec<Tenant> = (0..2).map(|_| Tenant::with(8000, None)).collect();
    let namespace = |of: &str| fs::read_link(format!("/proc/{of}/ns/mnt"));
    let own = namespace("self").unwrap();
    if namespace("1").is_ok_and(|init| init != own) {
        return; // this test itself is a tenant here
    }
    let _open = super::disk::append(&log.directory.join(&log.file));
    let writers = Writers::new("/proc".into(), BOUNDS);
    let before = writers.search(&[]).looked_at;
    let logs = [log];
    let search = writers.search(&logs);
    assert_eq!(search.found, [LogWriter::Appends]);
    assert!(
        search.looked_at < before + 8000,
        "{} {before}",
        search.looked_at
    );
}
