//! The script that works out `memory.available` beside evictd (acceptance row 146,
//! decision D54), and what the summary API is asked for (rows 144 and 145).

#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// What the machine may take or give back between two looks.
const TOLERANCE_BYTES: i64 = 512 << 20;
const LOOKS: usize = 5;

fn script(arguments: &[&str], root: &str) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/memory-available");
    let mut command = Command::new(script);
    command.args(arguments).env("ROOT", root).output().unwrap()
}

/// The number of a line `key number`.
fn number(output: &Output, key: &str) -> i64 {
    let text = core::str::from_utf8(&output.stdout).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    line.unwrap_or_default().trim().parse().unwrap_or(-1)
}

fn status() -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evictd"));
    let output = command.args(["status", "--json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn signal(status: &Value, name: &str) -> Value {
    let signals = status["signals"].as_array().unwrap();
    let found = signals.iter().find(|signal| signal["signal"] == name);
    found.unwrap().clone()
}

#[test]
fn the_script_and_evictd_agree_on_this_machine() {
    let difference = || {
        let memory = signal(&status(), "memory.available");
        let ours = memory["available"].as_i64().unwrap();
        let theirs = number(&script(&[], ""), "memory.available_in_bytes");
        assert!(theirs >= 0, "the script printed no number");
        (ours - theirs).abs()
    };
    // Other tests come and go meanwhile.
    let least = (0..LOOKS).map(|_| difference()).min().unwrap();
    assert!(least < TOLERANCE_BYTES, "{least} bytes apart");
}

/// Rows 144 and 145: available and capacity of all that the summary is asked for.
#[test]
fn status_tells_each_signal_of_the_summary() {
    let status = status();
    for name in [
        "memory.available",
        "nodefs.available",
        "nodefs.inodesFree",
        "imagefs.available",
        "imagefs.inodesFree",
        "pid.available",
    ] {
        let signal = signal(&status, name);
        let [available, capacity] = ["available", "capacity"].map(|key| signal[key].as_i64());
        assert!(capacity > Some(0), "{name}: {signal}");
        assert!(available <= capacity, "{name}: {signal}");
    }
}

/// A machine of 1000 MiB, as files; gone when dropped.
struct Machine(PathBuf);

impl Machine {
    /// With these mounts, and files below cg/.
    fn new(name: &str, hugetlb_kib: u32, mounts: &str, files: &[(&str, &str)]) -> Self {
        let temp = std::env::temp_dir();
        let root = temp.join(format!("evictd-{}-{name}", std::process::id()));
        let meminfo = format!(
            "MemTotal:        1024000 kB\nMemAvailable:     409600 kB\nHugetlb: {hugetlb_kib} kB\n"
        );
        for (file, text) in [("proc/meminfo", meminfo.as_str()), ("proc/mounts", mounts)]
            .iter()
            .chain(files)
        {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(root)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        script(arguments, self.0.to_str().unwrap())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // What cannot be removed is in the directory for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

const V1: &str = "proc /proc proc rw 0 0\ncgroup /cg/pids cgroup rw,pids 0 0\n\
                  cgroup /cg/memory cgroup rw,memory 0 0\ncgroup2 /cg/unified cgroup2 rw 0 0\n";
const V2: &str = "proc /proc proc rw 0 0\ncgroup2 /cg cgroup2 rw,nsdelegate 0 0\n";
const V2_FILES: [(&str, &str); 4] = [
    ("cg/cgroup.controllers", "cpu memory pids\n"),
    (
        "cg/memory.stat",
        "anon 314572800\nfile 419430400\nslab 1\ninactive_file 157286400\n",
    ),
    ("cg/kubepods.slice/memory.current", "209715200\n"),
    (
        "cg/kubepods.slice/memory.stat",
        "anon 1\ninactive_file 104857600\n",
    ),
];

/// The machines of the tests of evictd's own reading, and the same answers.
#[test]
fn the_script_takes_evictds_steps_on_both_versions() {
    const STAT: (&str, &str) = (
        "cg/memory/memory.stat",
        "inactive_file 1\ntotal_inactive_file 157286400\n",
    );
    let usage = |bytes| ("cg/memory/memory.usage_in_bytes", bytes);
    const NODE: &[&str] = &[];
    let machine = Machine::new;
    for (machine, cgroup, working_set, available) in [
        (
            machine("v1", 0, V1, &[usage("734003200\n"), STAT]),
            NODE,
            550,
            450,
        ),
        (machine("v2", 0, V2, &V2_FILES), NODE, 550, 450),
        (
            machine("slice", 0, V2, &V2_FILES),
            &["kubepods.slice"],
            100,
            900,
        ),
        (machine("pools", 102_400, V2, &V2_FILES), NODE, 550, 350),
        // What is read one after the other need not fit together.
        (
            machine("more", 0, V1, &[usage("1258291200\n"), STAT]),
            NODE,
            1050,
            0,
        ),
        (
            machine("less", 0, V1, &[usage("100\n"), STAT]),
            NODE,
            0,
            1000,
        ),
        (
            machine("none", 0, "proc /proc proc rw 0 0\n", &[]),
            NODE,
            600,
            400,
        ),
    ] {
        let output = machine.run(cgroup);
        let shown = ["memory.working_set", "memory.available_in_bytes"]
            .map(|key| number(&output, key) >> 20);
        assert_eq!(shown, [working_set, available], "{output:?}");
        assert_eq!(number(&output, "memory.available_in_mb"), available);
        assert_eq!(number(&output, "memory.capacity_in_bytes"), 1000 << 20);
    }
}

#[test]
fn the_script_says_what_it_lacks() {
    let machine = Machine::new("torn", 0, V1, &[("cg/memory/memory.usage_in_bytes", "1\n")]);
    let output = machine.run(&[]);
    assert!(!output.status.success());
    assert!(!output.stderr.is_empty());
    assert_eq!(script(&["-x"], "").status.code(), Some(2));
    assert!(script(&["--help"], "").status.success());
}
