//! A line of a kernel file that makes no sense costs what it says, and nothing else: each line
//! of each file that the node's readings are made of is replaced by each of a set of poisons.

use std::path::Path;

use evictd_node::{Reading, Signal};

use super::node::{at, v1, v2};
use super::tree::{LONG, Tree};
use crate::{Hierarchies, Hierarchy, NodeReader, NodeSettings, PodReader, Version};

/// A line's value, or all of it where it has no key.
const POISONS: &[&str] = &[
    "",
    "x",
    "-1",
    "-9223372036854775808",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551488",
    "18446744073709551615",
    "18446744073709551616",
    "0x10",
    "1e9",
    "18446744073709551488 kB",
    "1 2 3",
    ": :",
    "\u{fffd}",
    "\0",
];

/// The files, and the signals that are made of each.
const FILES: &[(&str, &[Signal])] = &[
    (
        "proc/meminfo",
        &[Signal::MemoryAvailable, Signal::SwapAvailable],
    ),
    ("proc/loadavg", &[Signal::PidAvailable]),
    ("proc/sys/kernel/pid_max", &[Signal::PidAvailable]),
    ("proc/sys/kernel/threads-max", &[Signal::PidAvailable]),
    ("memory.stat", &[Signal::MemoryAvailable]),
    ("memory.usage_in_bytes", &[Signal::MemoryAvailable]),
];

const SIGNALS: [Signal; 4] = [
    Signal::MemoryAvailable,
    Signal::SwapAvailable,
    Signal::PidAvailable,
    Signal::NodefsAvailable,
];

fn read(settings: &NodeSettings) -> [Option<i64>; 4] {
    let mut reader = NodeReader::open(settings.clone()).unwrap();
    let readings = reader.read(at(1), LONG).readings();
    SIGNALS.map(|signal| {
        // What is free on this machine's own disk may change at any time.
        let is_disk = signal == Signal::NodefsAvailable;
        let shown = |found: Reading| {
            if is_disk {
                found.capacity
            } else {
                found.available
            }
        };
        readings.get(signal).map(shown)
    })
}

fn try_each(tree: &Tree, settings: &NodeSettings, cgroups: &str) {
    const MIB: i64 = 1 << 20;
    let before = read(settings);
    assert!(before.iter().all(Option::is_some), "{before:?}");
    for (file, theirs) in FILES {
        let file = if file.starts_with("memory") {
            format!("{cgroups}/{file}")
        } else {
            (*file).to_owned()
        };
        let Ok(text) = std::fs::read_to_string(tree.path(&file)) else {
            continue;
        };
        for (place, line) in text.lines().enumerate() {
            let key = line
                .find([' ', ':'])
                .map_or("", |at| line.split_at(at + 1).0);
            for poison in POISONS {
                for bad in [format!("{}{poison}", key), (*poison).to_owned()] {
                    let lines = text.lines().enumerate();
                    let lines = lines.map(|(at, line)| if at == place { &bad } else { line });
                    let poisoned: String = lines.flat_map(|line| [line, "\n"]).collect();
                    tree.put(&file, &poisoned);
                    let after = read(settings);
                    let of = SIGNALS.iter().zip(before.iter().zip(after));
                    for (signal, (before, after)) in of {
                        let is_its = theirs.contains(signal);
                        assert!(is_its || *before == after, "{file}: {bad:?}: {signal:?}");
                    }
                    // The formula, the other source, or page cache that nobody says is
                    // inactive; and with the size of this machine.
                    let [memory, swap, pids, _] = after;
                    let known = [450, 400, 300].map(|mib| mib * MIB);
                    let is_size = line.starts_with("MemTotal");
                    let is_guarded = memory.is_some_and(|found| is_size || known.contains(&found));
                    assert!(is_guarded, "{file}: {bad:?}: {memory:?}");
                    assert!(swap.is_none_or(|left| left == 40 * MIB), "{file}: {bad:?}");
                    let most = [14_040, 31_808];
                    let is_short = |left: &i64| file.ends_with("loadavg") || most.contains(left);
                    assert!(pids.is_some_and(|left| is_short(&left)), "{file}: {bad:?}");
                    assert!(pids.is_some_and(|left| left > 0), "{file}: {bad:?}");
                }
            }
        }
        tree.put(&file, &text);
    }
}

/// readers: read, read_memory_signals, read_memory_bounds -> one_bad_line_leaves_all_else_guarded
#[test]
fn one_bad_line_leaves_all_else_guarded() {
    let (tree, settings) = v1();
    try_each(&tree, &settings, "cg/memory");
    let (tree, settings) = v2();
    try_each(&tree, &settings, "cg");
}

/// A pod of two processes that hold 40,960,000 bytes together, and its files.
struct PodFiles {
    tree: Tree,
    reader: PodReader,
    files: [(&'static str, String); 4],
}

/// Memory by the cgroup and by the processes, swap, and how many processes there are.
type Known = (Option<u64>, Option<u64>, Option<u64>, Option<u64>);

impl PodFiles {
    fn new(version: Version) -> Self {
        let (usage, swap, prefix) = match version {
            Version::V1 => (
                "memory.usage_in_bytes",
                "memory.memsw.usage_in_bytes",
                "total_",
            ),
            Version::V2 => ("memory.current", "memory.swap.current", ""),
        };
        let stat = format!("{prefix}rss 1\nanon 2\n{prefix}inactive_file 10485760\nslab 3\n");
        let files = [
            (usage, "104857600\n".to_owned()),
            ("memory.stat", stat),
            (swap, "104861696\n".to_owned()),
            ("pids.current", "7\n".to_owned()),
        ];
        let tree = Tree::new();
        for (name, text) in &files {
            tree.put(&format!("cg/pod/{name}"), text);
        }
        tree.put("cg/pod/cgroup.procs", "11\n12\n");
        for pid in ["11", "12"] {
            tree.put(&format!("proc/{pid}/statm"), "9000 5000 1 1 0 1 0\n");
        }
        let hierarchy = Some(Hierarchy {
            version,
            mount_point: tree.path("cg"),
        });
        let hierarchies = Hierarchies {
            memory: hierarchy.clone(),
            pids: hierarchy,
            ..Hierarchies::default()
        };
        let reader = PodReader::with_proc(&hierarchies, &tree.path("proc"), 4096);
        Self {
            tree,
            reader,
            files,
        }
    }

    fn read(&mut self) -> Known {
        let sample = self.reader.read(Path::new("pod"), None).unwrap();
        let memory = sample.memory.map(|memory| memory.working_set_bytes());
        let (swap, processes) = (sample.swap_bytes, sample.process_count);
        (memory, sample.resident_bytes, swap, processes)
    }
}

/// A text whose line at that place has another value.
fn with_value(text: &str, place: usize, value: &str) -> String {
    let lines = text.lines().enumerate().map(|(at, line)| {
        let key = line.find(' ').map_or("", |at| line.split_at(at + 1).0);
        let line = if at == place {
            format!("{key}{value}")
        } else {
            line.to_owned()
        };
        line + "\n"
    });
    lines.collect()
}

/// Of a pod: memory is what the cgroup says or what its processes hold, and never nothing.
/// readers: read_usage_bytes, read_working_set_bytes, read_file_pages, read_resident_bytes -> one_bad_line_leaves_all_else_of_a_pod_known
#[test]
fn one_bad_line_leaves_all_else_of_a_pod_known() {
    for version in [Version::V1, Version::V2] {
        let mut pod = PodFiles::new(version);
        let good = pod.read();
        assert_eq!((good.0, good.3), (Some(94_371_840), Some(7)));
        for (file, text) in pod.files.clone() {
            let path = format!("cg/pod/{file}");
            for (place, poison) in
                (0..text.lines().count()).flat_map(|at| POISONS.iter().map(move |p| (at, p)))
            {
                let bad = with_value(&text, place, poison);
                pod.tree.put(&path, &bad);
                let (memory, resident, swap, processes) = pod.read();
                let is_by_processes = memory.is_none() && resident == Some(40_960_000);
                assert!(memory == good.0 || is_by_processes, "{path}: {bad:?}");
                let counted = if file == "pids.current" {
                    Some(2)
                } else {
                    good.3
                };
                assert!(
                    processes == counted || processes == good.3,
                    "{path}: {bad:?}"
                );
                assert!(
                    swap == good.2 || swap.is_none(),
                    "{path}: {bad:?}: {swap:?}"
                );
            }
            pod.tree.put(&path, &text);
            assert_eq!(pod.read(), good);
        }
    }
}
