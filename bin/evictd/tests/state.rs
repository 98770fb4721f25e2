//! `admit` and `history` beside a daemon, and beside what one has left.

#![cfg(feature = "cli")]
#![cfg(feature = "yaml")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use core::time::Duration;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use evictd_cgroup::own::try_lock;
use evictd_evict::{Config, Evict, Observation};
use evictd_node::{Reading, Readings, Signal};
use evictd_state::{About, Keeper, Outcome, Record, read_boot_id, read_state};
use evictd_stats::{now, wall_seconds};
use evictd_threshold::{Lists, parse};
use serde_json::Value;

const WAIT: Duration = Duration::from_secs(10);

/// What the commands themselves would measure: never short of anything.
const AT_EASE: &str = "--eviction-hard=memory.available<1";

/// A daemon that has seen the threshold of `signal` met.
struct Daemon {
    directory: PathBuf,
    keeper: Keeper,
    evict: Evict,
}

impl Daemon {
    fn new(name: &str, signal: Signal, record: Option<Record>) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        drop(fs::remove_dir_all(&directory));
        let about = About {
            boot_id: read_boot_id(Path::new("/proc")).unwrap(),
            pid: std::process::id(),
            dry_run: false,
            transition: Duration::from_secs(300),
            now: now(),
            wall_seconds: wall_seconds(),
        };
        let (mut keeper, problems) = Keeper::open(Some(&directory), about, try_lock);
        assert!(problems.is_empty(), "{problems:?}");
        let mut evict = machine(signal);
        let mut readings = Readings::default();
        let starving = Reading {
            available: 1,
            capacity: 1 << 30,
            sampled: None,
        };
        readings.set(signal, Some(starving));
        let observation = Observation {
            readings: &readings,
            layout: None,
        };
        evict.step(now(), &observation, None);
        if let Some(record) = record {
            let uid = record.uid.clone();
            keeper.begin(record);
            keeper.end(&uid, Outcome::Killed, "cgroup.kill", Some(7));
        }
        assert!(keeper.keep(now(), wall_seconds(), &evict).is_none());
        let daemon = Self {
            directory,
            keeper,
            evict,
        };
        daemon.wait();
        daemon
    }

    /// Until the state is on disk, and not only the line of an eviction that has begun.
    fn wait(&self) {
        let started = now();
        while !self.directory.join("state.json").exists() {
            assert!(now().since(started) < WAIT);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn state_dir(&self) -> String {
        format!("--state-dir={}", self.directory.display())
    }

    fn end(self) -> PathBuf {
        self.keeper.close(now(), wall_seconds(), &self.evict, WAIT);
        // A child that another test of this program has just forked holds the lock too,
        // until it becomes the program that it is to run.
        let lock = fs::File::open(self.directory.join("lock")).unwrap();
        let started = now();
        while !try_lock(&lock, false).unwrap() {
            assert!(now().since(started) < WAIT);
            std::thread::sleep(Duration::from_millis(1));
        }
        self.directory
    }
}

/// A daemon that really runs, and is short of that signal.
struct Running {
    directory: PathBuf,
    child: Child,
}

impl Running {
    fn new(name: &str, signal: Signal) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        drop(fs::remove_dir_all(&directory));
        let child = Command::new(env!("CARGO_BIN_EXE_evictd"))
            .arg(format!("--eviction-hard={signal}<1Pi"))
            .arg(format!("--state-dir={}", directory.display()))
            .args(["--dry-run", "--container-runtime-endpoint="])
            .stderr(Stdio::null())
            .spawn();
        let running = Self {
            directory,
            child: child.unwrap(),
        };
        let started = now();
        let is_held = || {
            let state = read_state(&running.directory).ok().flatten();
            state.is_some_and(|state| state.held().has(signal.condition()))
        };
        while !is_held() {
            assert!(now().since(started) < WAIT);
            std::thread::sleep(Duration::from_millis(1));
        }
        running
    }

    fn state_dir(&self) -> String {
        format!("--state-dir={}", self.directory.display())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(fs::remove_dir_all(&self.directory));
    }
}

fn machine(signal: Signal) -> Evict {
    let list = format!("{signal}<1Mi");
    let lists = Lists {
        hard: &list,
        ..Lists::default()
    };
    Evict::new(Config {
        thresholds: parse(&lists).unwrap(),
        ..Config::default()
    })
}

fn evictd(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evictd"));
    let command = command.args(arguments).stdin(Stdio::piped());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that does not read its input closes it.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A pod by name, with what more stands in its spec.
fn pod(name: &str, spec: &str) -> String {
    format!("---\n{{kind: Pod, metadata: {{name: {name}}}, spec: {{{spec}}}}}\n")
}

/// Acceptance rows 123 to 127, decision D34.
#[test]
fn admission_goes_by_what_the_daemon_holds() {
    let best_effort = pod("best-effort", "containers: [{name: c}]");
    let burstable = pod(
        "burstable",
        "containers: [{name: c, resources: {requests: {memory: 1Mi}}}]",
    );
    let tolerating = pod(
        "tolerating",
        "containers: [{name: c}], tolerations: [{key: node.kubernetes.io/memory-pressure, \
         operator: Exists, effect: NoSchedule}]",
    );
    let critical = pod(
        "critical",
        "containers: [{name: c}], priorityClassName: system-node-critical",
    );
    for (signal, pods, rejected) in [
        (Signal::MemoryAvailable, &[&best_effort][..], "best-effort"),
        (
            Signal::MemoryAvailable,
            &[&burstable, &tolerating, &critical],
            "",
        ),
        (
            Signal::MemoryAvailable,
            &[&critical, &best_effort],
            "best-effort",
        ),
        (Signal::NodefsInodesFree, &[&burstable], "burstable"),
        (Signal::NodefsInodesFree, &[&tolerating], "tolerating"),
        (Signal::NodefsInodesFree, &[&critical], ""),
        (Signal::PidAvailable, &[&burstable], "burstable"),
    ] {
        let daemon = Running::new("admission", signal);
        let input: String = pods.iter().map(|pod| pod.as_str()).collect();
        let arguments = ["admit", "--pod=-", AT_EASE, &daemon.state_dir()];
        let output = evictd(&[&arguments[..], &["--json"]].concat(), &input);
        let code = i32::from(!rejected.is_empty());
        assert_eq!(output.status.code(), Some(code), "{signal} {input}");
        let answer = document(&output);
        assert_eq!(answer["source"], "daemon", "{answer}");
        assert_eq!(answer["taints"][0], signal.condition().taint());
        let message = format!("The node had condition: [{}]. ", signal.condition());
        for pod in answer["pods"].as_array().unwrap() {
            let refused = pod["name"] == rejected;
            assert_eq!(pod["admitted"], !refused, "{answer}");
            assert_eq!(pod["message"] == message.as_str(), refused, "{answer}");
        }
        let output = evictd(&arguments, &input);
        assert_eq!(output.status.code(), Some(code));
        let told = text(&output.stderr);
        if rejected.is_empty() {
            assert_eq!(told, "");
        } else {
            let message = message.trim_end();
            assert_eq!(
                told,
                format!("pod default/{rejected} is rejected: {message}\n")
            );
        }
    }
}

/// Acceptance rows 84 and 164: also what ended keeps its transition period.
#[test]
fn without_a_daemon_one_look_decides_and_what_it_held_is_held_on() {
    let daemon = Daemon::new("ended", Signal::NodefsAvailable, None);
    let flag = daemon.state_dir();
    let directory = daemon.end();
    let ask = |more: &[&str]| {
        let arguments = ["admit", "--qos=Burstable", AT_EASE, "--json", &flag];
        let output = evictd(&[&arguments[..], more].concat(), "");
        (output.status.code().unwrap(), document(&output))
    };
    let (code, answer) = ask(&[]);
    assert_eq!((code, &answer["source"]), (1, &"observation".into()));
    let why = answer["why"].as_str().unwrap();
    assert!(why.contains("/evictd.sock: "), "{why}");
    assert_eq!(answer["conditions"], serde_json::json!(["DiskPressure"]));
    assert_eq!(ask(&["--priority=2000000000"]).0, 0);
    let (code, answer) = ask(&["--eviction-pressure-transition-period=0s"]);
    assert_eq!((code, &answer["conditions"][0]), (0, &Value::Null));
    // A soft threshold counts before its grace is over. (An idle machine may well have
    // 99 % of its memory free.)
    let (code, answer) = ask(&[
        "--eviction-pressure-transition-period=0s",
        "--eviction-soft=memory.available<1Pi",
        "--eviction-soft-grace-period=memory.available=1h",
        "--qos=BestEffort",
    ]);
    let pressure = "MemoryPressure".into();
    assert_eq!((code, &answer["conditions"][0]), (1, &pressure));
    for (bytes, why) in [
        (&b"{\"kind\":"[..], "no state of evictd: damaged at byte 9"),
        (b"{}", "no state of evictd: its kind is another"),
    ] {
        fs::write(directory.join("state.json"), bytes).unwrap();
        let (code, answer) = ask(&[]);
        let why = format!("{}/state.json: {why}", directory.display());
        assert_eq!((code, &answer["why"]), (0, &why.into()));
    }
    fs::remove_dir_all(&directory).unwrap();
    let (code, answer) = ask(&[]);
    assert_eq!(code, 0);
    let why = answer["why"].as_str().unwrap();
    assert!(why.contains("/evictd.sock: "), "{why}");
    let output = evictd(&["admit", "--qos=Burstable", AT_EASE, "--state-dir="], "");
    assert_eq!(
        text(&output.stdout),
        "Burstable pod of priority 0 is admitted\n"
    );
}

#[test]
fn what_is_no_pod_is_a_mistake_of_the_caller() {
    for (arguments, input, expected) in [
        (&["admit"][..], "", "evictd: evictd admit needs a pod"),
        (
            &["admit", "--pod=/nowhere"],
            "",
            "evictd admit: /nowhere: No such file",
        ),
        (
            &["admit", "--pod=-"],
            "kind: Service",
            "evictd admit: -: .kind: is \"Service\"",
        ),
        (&["admit", "--pod=-"], "", "evictd admit: -: no pod in it"),
    ] {
        let output = evictd(arguments, input);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).starts_with(expected), "{output:?}");
    }
}

/// Acceptance rows 2 and 90, failure F38.
#[test]
fn history_tells_what_was_evicted_whether_a_daemon_runs_or_not() {
    let record = Record {
        wall_seconds: 1_795_179_906,
        signal: Some(Signal::NodefsAvailable),
        threshold: "nodefs.available<1Gi".to_owned(),
        available: Some(512 << 20),
        capacity: Some(10 << 30),
        device: Some(String::from("254:1")),
        namespace: "default".to_owned(),
        name: "web".to_owned(),
        uid: "1".to_owned(),
        reason: "uses 300Mi".to_owned(),
        message: "The node was low on resource: ephemeral-storage. ".to_owned(),
        ..Record::default()
    };
    let daemon = Daemon::new("history", Signal::NodefsAvailable, Some(record));
    let flag = daemon.state_dir();
    let shown = "\
2026-11-20T13:05:06Z  default/web was killed in 7 ms by cgroup.kill
    nodefs.available<1Gi: 512Mi of 10Gi left on device 254:1
    uses 300Mi
    The node was low on resource: ephemeral-storage.
";
    let output = evictd(&["history", &flag], "");
    assert_eq!((text(&output.stdout), text(&output.stderr)), (shown, ""));
    let directory = daemon.end();
    let answer = document(&evictd(&["history", "--json", &flag], ""));
    assert_eq!(answer["evictions"], 1);
    assert_eq!(answer["records"][0]["uid"], "1");
    assert_eq!(answer["records"][0]["outcome"], "killed");
    assert_eq!(answer["records"][0]["phase"], "Failed");
    fs::remove_dir_all(&directory).unwrap();
    for flag in [&flag, "--state-dir="] {
        let output = evictd(&["history", flag], "");
        assert_eq!(output.status.code(), Some(1), "{flag}");
        assert!(text(&output.stderr).starts_with("evictd history: "));
    }
}

/// Acceptance row 199.
#[test]
fn a_second_daemon_refuses_to_start() {
    let first = Daemon::new("shared", Signal::MemoryAvailable, None);
    let second = Command::new(env!("CARGO_BIN_EXE_evictd"))
        .args([AT_EASE, &first.state_dir(), "--container-runtime-endpoint="])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1), "{told}");
    assert!(
        told.contains("another evictd uses it; give this one another"),
        "{told}"
    );
    drop(fs::remove_dir_all(first.end()));
}

/// Acceptance row 370.
#[test]
fn a_dry_run_says_in_metrics_that_it_is_one() {
    let daemon = Running::new("dry-run-metrics", Signal::MemoryAvailable);
    let output = evictd(&["metrics", &daemon.state_dir()], "");
    let page = text(&output.stdout);
    assert!(page.lines().any(|of| of == "evictd_dry_run 1"), "{page}");
}
