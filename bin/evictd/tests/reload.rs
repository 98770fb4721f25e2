//! A daemon that reads its settings anew, and what it tells its supervisor.

#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use core::time::Duration;
use std::fs;
use std::io::Read;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use evictd_sys::Signal;
use rustix::process::{Pid, kill_process};

/// A daemon that finds no pod, and its supervisor.
struct Daemon {
    child: Child,
    directory: PathBuf,
    supervisor: UnixDatagram,
}

const FLAGS: &str = "--pod-cgroup-root=/evictd-reload-none\n--container-runtime-endpoint=\n";

impl Daemon {
    fn start(name: &str, flags: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        drop(fs::remove_dir_all(&directory));
        fs::create_dir_all(&directory).unwrap();
        let socket = format!("evictd-{name}-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&socket).unwrap();
        let supervisor = UnixDatagram::bind_addr(&address).unwrap();
        supervisor
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        write(&directory, flags);
        let child = Command::new(env!("CARGO_BIN_EXE_evictd"))
            .args(own(&directory))
            .env("NOTIFY_SOCKET", format!("@{socket}"))
            .env("WATCHDOG_USEC", "200000")
            .stderr(Stdio::piped())
            .spawn();
        let daemon = Self {
            child: child.unwrap(),
            directory,
            supervisor,
        };
        daemon.hears("READY=1");
        daemon
    }

    /// Waits until the daemon says that to its supervisor.
    fn hears(&self, wanted: &str) {
        let mut message = [0; 256];
        loop {
            let length = self.supervisor.recv(&mut message).unwrap();
            let said = message.get(..length).unwrap_or_default();
            if said.starts_with(wanted.as_bytes()) {
                return;
            }
        }
    }

    fn ask(&self, command: &str) -> Output {
        let mut asking = Command::new(env!("CARGO_BIN_EXE_evictd"));
        let state = format!("--state-dir={}", self.directory.display());
        asking
            .args(command.split(' '))
            .arg(&state)
            .output()
            .unwrap()
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// As an init system ends it. What it has logged, each line whole.
    fn end(mut self) -> String {
        self.signal(Signal::TERM);
        self.hears("STOPPING=1");
        let mut log = String::new();
        self.child
            .stderr
            .as_mut()
            .unwrap()
            .read_to_string(&mut log)
            .unwrap();
        assert!(self.child.wait().unwrap().success(), "{log}");
        log.replace("\n    ", " ")
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(fs::remove_dir_all(&self.directory));
    }
}

fn own(directory: &Path) -> [String; 2] {
    let file = format!("--flags-file={}", directory.join("evictd.conf").display());
    [file, format!("--state-dir={}", directory.display())]
}

fn write(directory: &Path, flags: &str) {
    fs::write(directory.join("evictd.conf"), format!("{FLAGS}{flags}")).unwrap();
}

#[test]
fn that_nothing_has_changed_is_said() {
    let daemon = Daemon::start("reload-same", "--eviction-hard=memory.available<1\n");
    let output = daemon.ask("reload");
    assert_eq!(output.stdout, b"nothing has changed\n");
}

#[test]
fn settings_are_read_anew_while_it_runs() {
    let hard = "--eviction-hard=memory.available<1,nodefs.available<1\n";
    let daemon = Daemon::start("reload", hard);
    daemon.hears("WATCHDOG=1");
    write(
        &daemon.directory,
        "--eviction-hard=memory.available<2\n--never-evict=web\n--dry-run",
    );
    let output = daemon.ask("reload");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(
        text,
        "eviction-hard memory.available<1 -> <2\neviction-hard nodefs.available<1 -> none\n\
         never-evict none -> web\nnot in force before a restart: --dry-run\n"
    );
    daemon.hears("RELOADING=1\nMONOTONIC_USEC=");
    daemon.hears("READY=1");

    // With an error nothing changes, and the line is named.
    write(
        &daemon.directory,
        "--eviction-hard=memory.available<3\n--never-evict\n",
    );
    let output = daemon.ask("reload");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("evictd.conf: line 4: flag needs an argument"),
        "{error}"
    );
    daemon.hears("READY=1");
    let get = |path| {
        let socket = daemon.directory.join("evictd.sock");
        evictd_client::get(&socket, path, Duration::from_secs(60))
    };
    // Whoever only reads changes nothing.
    let before = get("/reloaded").unwrap();
    assert!(get("/reload").is_err(), "it takes POST");
    assert_eq!(get("/reloaded").unwrap(), before);
    let view = get("/view.json").unwrap();
    assert!(
        view.contains("memory.available<2") && view.contains("--never-evict=web"),
        "{view}"
    );

    // By a signal too.
    write(
        &daemon.directory,
        "--eviction-hard=memory.available<2\n--never-evict=web\n-v2\n--v=2",
    );
    daemon.signal(Signal::HUP);
    daemon.hears("RELOADING=1");
    daemon.hears("READY=1");
    daemon.signal(Signal::USR1);
    assert_eq!(daemon.ask("check --daemon").status.code(), Some(0));
    let log = daemon.end();
    for line in [
        "reloaded: never-evict none -> web",
        "reloaded: not in force before a restart: --dry-run",
        "evictd.conf: line 5: no flag, in \"-v2\"",
        "state: killing false; due: Round in ",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

#[test]
fn a_loop_that_stands_still_is_not_healthy() {
    let daemon = Daemon::start("health", "--eviction-hard=memory.available<1");
    daemon.signal(Signal::STOP);
    let outputs = ["check", "check --daemon"].map(|command| daemon.ask(command));
    daemon.signal(Signal::CONT);
    for output in outputs {
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(
            output.stdout.starts_with(b"no daemon answers: "),
            "{output:?}"
        );
    }
    daemon.end();
}

/// Acceptance row 402: what its settings are, in one line, and of what pods may use together
/// nothing where that is all there is.
#[test]
fn the_start_is_told_in_one_line() {
    let daemon = Daemon::start("start-line", "--eviction-hard=memory.available<1");
    daemon.hears("WATCHDOG=1");
    let log = daemon.end();
    let about = log.lines().filter(|line| line.contains("pods are "));
    let about: Vec<&str> = about
        .filter_map(|line| Some(line.split_once(" evictd ")?.1))
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "{version} watches memory.available<1; pods are containers, the kubepods tree, the \
         children of the cgroup /evictd-reload-none"
    );
    assert_eq!(about, [expected], "{log}");
    assert!(!log.contains("allocatableMemory"), "{log}");
}
