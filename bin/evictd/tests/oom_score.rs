//! `evictd oom-score` on pods of the test's own, in cgroup v1's memory hierarchy where it is
//! usually mounted.

#![cfg(feature = "cli")]
#![cfg(feature = "yaml")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it fails"
)]

use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::thread::sleep;

use evictd_state::{State, read_boot_id, to_json};
use evictd_testkit::needs;
use serde_json::Value;

/// A pod cgroup root with pods that sleep, which is gone when the test ends,
/// however it ends.
struct Pods {
    root: PathBuf,
    manifests: PathBuf,
    children: Vec<Child>,
}

impl Pods {
    fn new(what: &str) -> Self {
        let name = format!("evictd-test-{what}-{}", std::process::id());
        let pods = Self {
            root: Path::new("/sys/fs/cgroup/memory").join(&name),
            manifests: std::env::temp_dir().join(&name),
            children: Vec::new(),
        };
        fs::create_dir(&pods.root)
            .unwrap_or_else(|error| panic!("needs root and cgroup v1: {error}"));
        fs::create_dir(&pods.manifests).unwrap();
        pods
    }

    /// Starts a process in that cgroup, and makes the cgroup.
    fn start(&mut self, cgroup: &str) -> u32 {
        let dir = self.root.join(cgroup);
        fs::create_dir_all(&dir).unwrap();
        let child = Command::new("sleep").arg("600").spawn().unwrap();
        let pid = child.id();
        self.children.push(child);
        fs::write(dir.join("cgroup.procs"), pid.to_string()).unwrap();
        pid
    }

    fn manifest(&self, name: &str, containers: &str) {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: test}}\n\
             spec: {{containers: {containers}}}\n"
        );
        fs::write(self.manifests.join(format!("{name}.yaml")), text).unwrap();
    }

    fn evictd(&self, arguments: &[&str]) -> Output {
        self.run("oom-score", arguments)
    }

    fn run(&self, command: &str, arguments: &[&str]) -> Output {
        let root = self.root.file_name().unwrap().to_str().unwrap();
        Command::new(env!("CARGO_BIN_EXE_evictd"))
            .arg(command)
            .arg(format!("--pod-cgroup-root={root}"))
            .arg(format!("--pod-manifest-path={}", self.manifests.display()))
            .args(arguments)
            .output()
            .unwrap()
    }

    /// The process of that number, as `--json` tells of it.
    fn told(&self, output: &Output, pid: u32) -> Value {
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let pods = document["pods"].as_array().unwrap();
        let mut all = pods
            .iter()
            .flat_map(|pod| pod["processes"].as_array().unwrap());
        all.find(|process| process["pid"] == pid).unwrap().clone()
    }
}

impl Drop for Pods {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.manifests);
        // A cgroup can go a moment after its last process only.
        for _ in 0..100 {
            remove(&self.root);
            if !self.root.exists() {
                return;
            }
            sleep(Duration::from_millis(10));
        }
        assert!(std::thread::panicking(), "{} is left", self.root.display());
    }
}

fn remove(cgroup: &Path) {
    for entry in fs::read_dir(cgroup).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&entry.path());
        }
    }
    let _ = fs::remove_dir(cgroup);
}

fn score(pid: u32) -> i16 {
    let text = fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).unwrap();
    text.trim().parse().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

/// `CAP_SYS_RESOURCE`, bit 24, which the children of this process have as well.
fn may_lower() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = u64::from_str_radix(effective.unwrap().trim(), 16).unwrap();
    effective & (1 << 24) != 0
}

/// Rows 130 to 132.
#[test]
fn scores_are_listed_then_raised() {
    needs!(CgroupV1);
    let mut pods = Pods::new("raise");
    let plain = pods.start("plain");
    let (web, db, helper) = (
        pods.start("test_two/web"),
        pods.start("test_two/db"),
        pods.start("test_two"),
    );
    pods.manifest(
        "two",
        "[{name: web, resources: {requests: {memory: 1}}}, \
          {name: db, resources: {requests: {memory: 1Ei}}}]",
    );
    let before = score(plain);
    let output = pods.evictd(&["--json"]);
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(pods.told(&output, plain)["score"], 1000);
    assert_eq!(pods.told(&output, plain)["outcome"], "differs");
    assert_eq!(score(plain), before, "only listed");
    for (pid, expected, container) in [(web, 999, "web"), (db, 3, "db")] {
        let told = pods.told(&output, pid);
        assert_eq!(
            (&told["score"], &told["container"]),
            (&expected.into(), &container.into())
        );
    }
    let told = pods.told(&output, helper);
    assert_eq!(
        (&told["score"], &told["container"]),
        (&3.into(), &Value::Null)
    );

    let output = pods.evictd(&["--apply", "--json"]);
    assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)));
    assert_eq!([plain, web, db, helper].map(score), [1000, 999, 3, 3]);
    assert_eq!(pods.told(&output, plain)["oomScoreAdj"], before);
    assert_eq!(pods.told(&output, plain)["outcome"], "set");

    let output = pods.evictd(&[]);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("1000 (plain): BestEffort: no request, no limit"),
        "{shown}"
    );
    assert!(
        shown.contains("test/two\n  Burstable by its manifest\n"),
        "{shown}"
    );
    assert!(
        shown.contains("  3 (container unknown, lowest score): Burstable"),
        "{shown}"
    );
    assert!(
        shown.lines().all(|line| line.chars().count() < 80),
        "{shown}"
    );
}

/// Row 177: whoever protects a pod does not answer, and the daemon remembers it.
#[test]
fn what_the_daemon_remembers_as_protected_is() {
    needs!(CgroupV1);
    let mut pods = Pods::new("remember");
    let (plain, other) = (pods.start("plain"), pods.start("other"));
    let protected = Path::new(pods.root.file_name().unwrap()).join("plain");
    let mut state = State {
        boot_id: read_boot_id("/proc".as_ref()).unwrap(),
        ..State::default()
    };
    state.protected.push((protected, "unix:///gone".into()));
    let dir = pods.manifests.with_extension("state");
    fs::create_dir(&dir).unwrap();
    let flag = format!("--state-dir={}", dir.display());
    for (boot_id, score, is_protected) in [
        (state.boot_id.clone(), -997, true),
        ("another".into(), 1000, false),
    ] {
        state.boot_id = boot_id;
        fs::write(dir.join("state.json"), to_json(&state)).unwrap();
        let output = pods.evictd(&["--json", &flag]);
        assert_eq!(pods.told(&output, plain)["score"], score);
        assert_eq!(pods.told(&output, other)["score"], 1000);
        let ranked = pods.run("explain", &["memory.available", "--json", &flag]);
        let ranked: Value = serde_json::from_slice(&ranked.stdout).unwrap();
        let all = ranked["pods"].as_array().unwrap();
        let of = |name: &str| all.iter().find(|pod| pod["name"] == name).unwrap();
        assert_eq!(of("plain")["protected"], is_protected);
        assert_eq!(of("other")["protected"], false);
    }
    fs::remove_dir_all(&dir).unwrap();
}

/// Row 128 and decision D1: lowering takes a privilege; without it the rest is done.
#[test]
fn lowering_without_the_privilege_is_told_in_one_line() {
    needs!(CgroupV1);
    let mut pods = Pods::new("lower");
    let guaranteed = pods.start("test_sure");
    let plain = pods.start("plain");
    pods.manifest(
        "sure",
        "[{name: c, resources: {limits: {cpu: 1, memory: 1Mi}, requests: {cpu: 1, memory: 1Mi}}}]",
    );
    let before = score(guaranteed);
    let output = pods.evictd(&["--apply", "--json"]);
    let told = pods.told(&output, guaranteed);
    assert_eq!(told["score"], -997);
    assert_eq!(score(plain), 1000, "the rest is done");
    if may_lower() {
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(score(guaranteed), -997);
    } else {
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(told["outcome"], "refused");
        assert_eq!(score(guaranteed), before);
        let expected = format!(
            "evictd oom-score: not set: 1 (first is process {guaranteed}, at {before} instead of \
             -997): Permission denied (os error 13); lowering needs CAP_SYS_RESOURCE\n"
        );
        assert_eq!(text(&output.stderr), expected);
    }
}

#[test]
fn without_pods_there_is_nothing_to_say() {
    needs!(CgroupV1);
    let output = Pods::new("none").evictd(&[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("no pods here: "));
}
