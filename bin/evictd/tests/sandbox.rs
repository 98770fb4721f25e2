//! What a running daemon may still do, as the kernel shows it, thread by thread.

#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use evictd_sys::Signal;
use rustix::process::{Pid, kill_process};
use rustix::thread::CapabilitySet as Caps;

/// A daemon with helper threads that finds no pod and is short of nothing.
struct Daemon {
    child: Child,
    directory: PathBuf,
    log: String,
}

impl Daemon {
    fn start(name: &str, flags: &[&str]) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        drop(fs::remove_dir_all(&directory));
        let child = Command::new(env!("CARGO_BIN_EXE_evictd"))
            .arg("--eviction-hard=memory.available<1")
            .args(["--pod-cgroup-root=/evictd-sandbox-none", "-v2"])
            .arg("--container-runtime-endpoint=unix:///evictd-sandbox-none/docker.sock")
            .arg(format!("--state-dir={}", directory.display()))
            .args(flags)
            .stderr(Stdio::piped())
            .spawn();
        let mut daemon = Self {
            child: child.unwrap(),
            directory,
            log: String::new(),
        };
        // After the first readings all helper threads have been made.
        let mut lines = BufReader::new(daemon.child.stderr.as_mut().unwrap()).lines();
        while !daemon.log.contains("MemoryPressure=False") {
            daemon.log += &(lines.next().unwrap().unwrap() + "\n");
        }
        daemon
    }

    /// The value of a line of the status of each of its threads.
    fn each(&self, key: &str) -> Vec<String> {
        let tasks = format!("/proc/{}/task", self.child.id());
        let status = |task: fs::DirEntry| fs::read_to_string(task.path().join("status"));
        let of = |status: String| {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            line.unwrap().trim().to_owned()
        };
        let tasks = fs::read_dir(tasks).unwrap().map(Result::unwrap);
        tasks.filter_map(|task| status(task).ok()).map(of).collect()
    }

    fn each_has_at_most(&self, kept: Caps) {
        for key in ["CapEff:", "CapPrm:", "CapInh:", "CapAmb:", "CapBnd:"] {
            for found in self.each(key) {
                let found = Caps::from_bits_retain(u64::from_str_radix(&found, 16).unwrap());
                assert!(kept.contains(found), "{key} {found:?}");
            }
        }
    }

    /// As an init system ends it.
    fn end(mut self) {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        let mut rest = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut rest).unwrap();
        let ended = self.child.wait().unwrap();
        assert!(ended.success(), "{ended}: {}{rest}", self.log);
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(fs::remove_dir_all(&self.directory));
    }
}

/// What every daemon keeps.
const ALWAYS: Caps = Caps::DAC_OVERRIDE
    .union(Caps::SYS_PTRACE)
    .union(Caps::IPC_LOCK);

/// Where a filesystem counts what projects use.
const FOR_QUOTAS: Caps = Caps::SYS_ADMIN;

/// Whether this process could give a capability up in the bounding set, and has any.
fn may_give_up() -> bool {
    let own = rustix::thread::capabilities(None).unwrap();
    own.effective.contains(Caps::SETPCAP)
}

#[test]
fn each_thread_of_the_daemon_keeps_what_its_settings_need() {
    let daemon = Daemon::start("sandbox-usual", &[]);
    assert!(
        daemon.each("NoNewPrivs:").len() > 2,
        "it has helper threads"
    );
    assert!(daemon.each("NoNewPrivs:").iter().all(|value| value == "1"));
    assert!(
        daemon.each("Seccomp:").iter().all(|value| value == "2"),
        "{}",
        daemon.log
    );
    if may_give_up() {
        let usual = Caps::KILL | Caps::SYS_NICE | Caps::SYS_RESOURCE | FOR_QUOTAS;
        daemon.each_has_at_most(ALWAYS | usual);
    }
    daemon.end();
}

/// Acceptance row 182: were it to grow during a kill, the kernel would wait each time.
#[test]
fn the_daemons_table_of_descriptors_has_room_for_a_kill_from_the_start() {
    let daemon = Daemon::start("sandbox-room", &[]);
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let allowed = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let allowed = allowed.and_then(|line| line.split_ascii_whitespace().nth(3));
    let allowed = allowed.and_then(|number| number.parse().ok());
    let room = allowed.unwrap_or(u64::MAX).min(600);
    let sizes = daemon.each("FDSize:");
    let has_room = |size: &String| size.parse::<u64>().unwrap() >= room;
    assert!(sizes.iter().all(has_room), "{sizes:?}");
    daemon.end();
}

#[test]
fn a_dry_run_keeps_no_capability_to_kill() {
    let flags = [
        "--dry-run",
        "--debug=no-realtime,no-kernel-notices",
        "--root-dir=/evictd-sandbox-none",
    ];
    let daemon = Daemon::start("sandbox-dry", &flags);
    if may_give_up() {
        daemon.each_has_at_most(ALWAYS | FOR_QUOTAS);
    }
    daemon.end();
}

#[test]
fn without_the_sandbox_the_daemon_keeps_all_and_says_so() {
    let daemon = Daemon::start("sandbox-none", &["--debug=no-sandbox"]);
    let own = fs::read_to_string("/proc/self/status").unwrap();
    let own_filter = own.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    let same = |value: &String| value == own_filter.unwrap().trim();
    assert!(daemon.each("Seccomp:").iter().all(same));
    assert!(
        daemon
            .log
            .contains("--debug=no-sandbox: evictd keeps all its privileges")
    );
    daemon.end();
}
