use evictd_node::{Layout, MemorySource, Mono, Reading, Signal};

use super::tree::{LONG, Tree};
use crate::{Hierarchies, Hierarchy, NodeReader, NodeSettings, Version};

const MIB: u64 = 1 << 20;

/// A machine of 1000 MiB: 100 free, 400 available by the kernel's guess.
const MEMINFO: &str = "\
MemTotal:        1024000 kB
MemFree:          102400 kB
MemAvailable:     409600 kB
Cached:           409600 kB
SwapTotal:         51200 kB
SwapFree:          40960 kB
AnonPages:        307200 kB
HugePages_Total:       0
Hugepagesize:       2048 kB
Hugetlb:               0 kB
";

/// 300 MiB anonymous, 400 of page cache, of which 150 inactive.
const V1_STAT: &str = "\
cache 1
inactive_file 1
total_cache 419430400
total_rss 314572800
total_inactive_file 157286400
";
const V2_STAT: &str = "anon 314572800\nfile 419430400\nslab 1\ninactive_file 157286400\n";

fn proc_files(tree: &Tree) {
    tree.put("proc/meminfo", MEMINFO)
        .put("proc/loadavg", "0.10 0.20 0.30 4/960 5196\n")
        .put("proc/sys/kernel/pid_max", "32768\n")
        .put("proc/sys/kernel/threads-max", "15000\n");
}

fn hierarchy(tree: &Tree, version: Version, name: &str) -> Option<Hierarchy> {
    Some(Hierarchy {
        version,
        mount_point: tree.path(name),
    })
}

fn settings(tree: &Tree, hierarchies: Hierarchies) -> NodeSettings {
    NodeSettings::new(&tree.path("proc"), hierarchies, tree.root())
}

pub(super) fn v1() -> (Tree, NodeSettings) {
    let tree = Tree::new();
    proc_files(&tree);
    tree.put("cg/memory/memory.usage_in_bytes", "734003200\n")
        .put("cg/memory/memory.stat", V1_STAT);
    let hierarchies = Hierarchies {
        memory: hierarchy(&tree, Version::V1, "cg/memory"),
        pids: hierarchy(&tree, Version::V1, "cg/pids"),
        freezer: None,
        // Hybrid: without controllers, so nothing is looked for there.
        unified: hierarchy(&tree, Version::V2, "cg/unified"),
        services: None,
    };
    let settings = settings(&tree, hierarchies);
    (tree, settings)
}

pub(super) fn v2() -> (Tree, NodeSettings) {
    let tree = Tree::new();
    proc_files(&tree);
    tree.put("cg/memory.stat", V2_STAT);
    let unified = hierarchy(&tree, Version::V2, "cg");
    let hierarchies = Hierarchies {
        memory: unified.clone(),
        pids: unified.clone(),
        freezer: unified.clone(),
        unified,
        services: None,
    };
    let settings = settings(&tree, hierarchies);
    (tree, settings)
}

fn memory_off() -> (Tree, NodeSettings) {
    let (tree, mut settings) = v1();
    settings.hierarchies.memory = None;
    (tree, settings)
}

pub(super) fn at(seconds: u64) -> Mono {
    Mono::from_millis(seconds * 1000)
}

/// Available and capacity of a memory signal, in MiB.
fn memory_in_mib(settings: NodeSettings, signal: Signal) -> Option<(i64, i64)> {
    memory_and_faults(settings, signal, 0)
}

/// So, where that many numbers cannot be.
fn memory_and_faults(settings: NodeSettings, signal: Signal, faults: usize) -> Option<(i64, i64)> {
    let mut reader = NodeReader::open(settings).unwrap();
    let reading = reader.read(at(1), LONG).readings().get(signal);
    assert_eq!(reader.errors().len(), faults, "{:?}", reader.errors());
    reading.map(|found| (found.available >> 20, found.capacity >> 20))
}

#[test]
fn node_memory_by_the_kubelets_formula() {
    // 1000 MiB less a working set of 700 - 150.
    for (name, (_tree, settings)) in [("v1", v1()), ("v2", v2())] {
        let mut reader = NodeReader::open(settings).unwrap();
        let memory = reader.read(at(1), LONG).memory.unwrap();
        assert_eq!(reader.errors(), [], "{name}");
        assert_eq!(memory.total_bytes, 1000 * MIB, "{name}");
        assert_eq!(memory.working_set_bytes, 550 * MIB, "{name}");
        assert_eq!(memory.available_bytes, 450 * MIB, "{name}");
        assert_eq!(memory.unaccounted_bytes, Some(200 * MIB), "{name}");
        assert_eq!(memory.swap_free_bytes, Some(40 * MIB), "{name}");
        let usage = memory.cgroup.unwrap();
        assert_eq!(usage.usage_bytes, 700 * MIB, "{name}");
        assert_eq!(usage.inactive_file_bytes, 150 * MIB, "{name}");
        assert_eq!(memory.sampled, at(1), "{name}");
    }
}

/// Decision D17. A machine without swap has no such signal.
#[test]
fn swap_is_a_signal_where_there_is_some() {
    for (replaced, by, faults, expected) in [
        ("", "", 0, Some((40, 50))),
        (
            ":         51200 kB\nSwapFree:          40960",
            ": 0 kB\nSwapFree: 0",
            0,
            None,
        ),
        ("40960 kB\nAnon", "51201 kB\nAnon", 1, None),
        ("SwapFree", "SwapFeel", 0, None),
    ] {
        let (tree, settings) = v2();
        tree.put("proc/meminfo", &MEMINFO.replace(replaced, by));
        let found = memory_and_faults(settings, Signal::SwapAvailable, faults);
        assert_eq!(found, expected, "{by}");
    }
}

#[test]
fn each_source_and_what_it_gives() {
    use MemorySource::{Kubelet, Meminfo, Min};
    for (source, cgroup, expected) in [
        (Kubelet, true, (450, 1000)),
        (Meminfo, true, (400, 1000)),
        (Min, true, (400, 1000)),
        (Kubelet, false, (400, 1000)),
        (Meminfo, false, (400, 1000)),
        (Min, false, (400, 1000)),
    ] {
        let (_tree, mut settings) = if cgroup { v1() } else { memory_off() };
        settings.memory_source = source;
        let found = memory_in_mib(settings, Signal::MemoryAvailable);
        assert_eq!(found, Some(expected), "{source:?} {cgroup}");
    }
    let (tree, mut settings) = v2();
    settings.memory_source = Min;
    let more = MEMINFO.replace("MemAvailable:     409600", "MemAvailable:     512000");
    tree.put("proc/meminfo", &more);
    let found = memory_in_mib(settings, Signal::MemoryAvailable);
    assert_eq!(found, Some((450, 1000)));
}

/// Acceptance row 261.
#[test]
fn the_kernels_killer_is_near_where_less_than_its_reserve_is_left_above_it() {
    let memory_of = |meminfo: &str| {
        let (tree, settings) = v2();
        tree.put("proc/meminfo", meminfo);
        let mut reader = NodeReader::open(settings).unwrap();
        reader.read(at(1), LONG).memory.unwrap()
    };
    // 400 MiB, and 40 of swap.
    let memory = memory_of(MEMINFO);
    assert!(!memory.is_near_oom(440 * MIB));
    assert!(memory.is_near_oom(440 * MIB + 1));
    let memory = memory_of(&MEMINFO.replace("SwapFree", "SwapFull"));
    assert!(!memory.is_near_oom(400 * MIB));
    assert!(memory.is_near_oom(400 * MIB + 1));
    let memory = memory_of(&MEMINFO.replace("MemAvailable", "MemGone"));
    assert!(!memory.is_near_oom(1000 * MIB), "unknown is not 0");
}

#[test]
fn without_counters_of_the_machine_meminfo_is_all_there_is() {
    // The second as on v2 before Linux 5.8.
    for (tree, settings) in [memory_off(), v2()] {
        let _ = std::fs::remove_file(tree.path("cg/memory.stat"));
        let mut reader = NodeReader::open(settings).unwrap();
        let memory = reader.read(at(1), LONG).memory.unwrap();
        assert_eq!(reader.errors(), []);
        assert_eq!(memory.cgroup, None);
        assert_eq!(memory.working_set_bytes, 600 * MIB);
        assert_eq!(memory.unaccounted_bytes, Some(200 * MIB));
    }
}

#[test]
fn huge_pages_are_not_available() {
    let pool = MEMINFO
        .replace("HugePages_Total:       0", "HugePages_Total:      50")
        .replace("Hugetlb:               0", "Hugetlb:          102400");
    for (aware, expected) in [(true, (350, 900)), (false, (450, 1000))] {
        let (tree, mut settings) = v2();
        tree.put("proc/meminfo", &pool);
        settings.hugepage_aware = aware;
        let found = memory_in_mib(settings, Signal::MemoryAvailable);
        assert_eq!(found, Some(expected), "{aware}");
    }
}

#[test]
fn nothing_underflows() {
    let (tree, settings) = v1();
    // More used than there is, as numbers read one after the other can show.
    tree.put("cg/memory/memory.usage_in_bytes", "1258291200\n");
    let found = memory_in_mib(settings, Signal::MemoryAvailable);
    assert_eq!(found, Some((0, 1050)));
    let (tree, settings) = v1();
    // More inactive than used.
    tree.put("cg/memory/memory.usage_in_bytes", "100\n");
    let found = memory_in_mib(settings, Signal::MemoryAvailable);
    assert_eq!(found, Some((1000, 1000)));
    let (tree, settings) = v1();
    let pool = MEMINFO.replace("Hugetlb:               0", "Hugetlb:         1024000");
    tree.put("proc/meminfo", &pool);
    let found = memory_in_mib(settings, Signal::MemoryAvailable);
    assert_eq!(found, Some((0, 550)));
}

#[test]
fn the_machines_size_is_read_each_time() {
    let (tree, settings) = v2();
    let mut reader = NodeReader::open(settings).unwrap();
    reader.read(at(1), LONG);
    let grown = MEMINFO.replace("MemTotal:        1024000", "MemTotal:        2048000");
    tree.put("proc/meminfo", &grown);
    let memory = reader.read(at(2), LONG).memory.unwrap();
    assert_eq!(memory.total_bytes, 2000 * MIB);
    assert_eq!(memory.available_bytes, 1450 * MIB);
}

#[test]
fn a_stat_file_larger_than_the_buffer_is_read_whole() {
    for lines in [1, 500, 512, 5000] {
        let (tree, settings) = v2();
        let before = "some_new_key 00\n".repeat(lines);
        tree.put("cg/memory.stat", &format!("{before}{V2_STAT}"));
        let found = memory_in_mib(settings, Signal::MemoryAvailable);
        assert_eq!(found, Some((450, 1000)), "{lines}");
    }
}

/// A counter that is wrong for a moment does not change the source; one that stays so does.
#[test]
fn an_impossible_counter_leaves_the_former_sample_for_some_seconds() {
    let huge = "18446744073709551000\n";
    for (file, text) in [
        ("cg/memory/memory.usage_in_bytes", huge.to_owned()),
        (
            "cg/memory/memory.usage_in_bytes",
            "4611686018427387903\n".to_owned(),
        ),
        ("cg/memory/memory.usage_in_bytes", String::new()),
        (
            "cg/memory/memory.stat",
            format!("total_inactive_file {huge}"),
        ),
        (
            "cg/memory/memory.stat",
            "total_inactive_file -1\n".to_owned(),
        ),
    ] {
        let (tree, settings) = v1();
        let mut reader = NodeReader::open(settings).unwrap();
        let good = reader.read(at(2), LONG).memory;
        assert_eq!(good.unwrap().sampled, at(2));
        tree.put(file, &text);
        assert_eq!(reader.read(at(3), LONG).memory, good, "{file}: {text}");
        assert_eq!(reader.errors().len(), 1, "{file}: {text}");
        let by_meminfo = reader.read(at(12), LONG).memory.unwrap();
        assert_eq!(by_meminfo.sampled, at(12), "{file}: {text}");
        assert_eq!(by_meminfo.available_bytes, 400 * MIB, "{file}: {text}");
        let (tree, settings) = v1();
        tree.put(file, &text);
        let mut reader = NodeReader::open(settings).unwrap();
        let first = reader.read(at(1), LONG).memory.unwrap();
        assert_eq!(first.available_bytes, 400 * MIB, "{file}: {text}");
        assert_eq!(reader.errors().len(), 1, "{file}: {text}");
    }
}

/// What the machine has is what it had before, or what the kernel says elsewhere.
#[test]
fn without_a_true_size_of_the_machine_memory_is_guarded() {
    for bad in [
        "0 kB",
        "x kB",
        "9007199254740988 kB",
        "18446744073709551615 kB",
    ] {
        let (tree, settings) = v1();
        let mut reader = NodeReader::open(settings.clone()).unwrap();
        reader.read(at(1), LONG);
        tree.put("proc/meminfo", &MEMINFO.replace("1024000 kB", bad));
        let memory = reader.read(at(2), LONG).memory.unwrap();
        let read = (memory.total_bytes, memory.available_bytes, memory.sampled);
        assert_eq!(read, (1000 * MIB, 450 * MIB, at(2)), "{bad}");
        assert_eq!(reader.errors().len(), 1, "{bad}");
        let mut reader = NodeReader::open(settings).unwrap();
        let memory = reader.read(at(1), LONG).memory.unwrap();
        let told = rustix::system::sysinfo();
        let told = u128::from(told.totalram) * u128::from(told.mem_unit);
        assert_eq!(u128::from(memory.total_bytes), told, "{bad}");
    }
}

/// As a container's lxcfs wrote it (lxc/lxcfs#115).
#[test]
fn absurd_swap_costs_swap_alone() {
    let meminfo = "MemTotal:       20971520 kB\nMemFree:         8615216 kB\n\
        MemAvailable:    8615216 kB\nBuffers:               0 kB\n\
        Cached:          9258920 kB\nSwapTotal:             0 kB\n\
        SwapFree:       18446744073709551488 kB\nHugePages_Total:       0\n\
        Hugepagesize:       2048 kB\n";
    let (tree, settings) = memory_off();
    tree.put("proc/meminfo", meminfo);
    let mut reader = NodeReader::open(settings).unwrap();
    let sample = reader.read(at(1), LONG);
    let memory = sample.memory.unwrap();
    assert_eq!(memory.available_bytes, 8_615_216 << 10);
    assert_eq!(memory.swap_free_bytes, None);
    assert_eq!(sample.readings().get(Signal::SwapAvailable), None);
    let path = tree.path("proc/meminfo");
    let [error] = reader.errors() else {
        panic!("{:?}", reader.errors());
    };
    let expected = format!("{}: SwapFree has no valid value", path.display());
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_missing_root_file_is_an_error_and_meminfo_counts() {
    let (tree, mut settings) = v1();
    tree.remove("cg/memory/memory.stat");
    let mut reader = NodeReader::open(settings.clone()).unwrap();
    let memory = reader.read(at(1), LONG).memory.unwrap();
    assert_eq!(memory.available_bytes, 400 * MIB);
    assert!(reader.errors()[0].cause.is_gone());
    // Without that there is nothing.
    tree.put("proc/meminfo", "MemTotal: 1024000 kB\n");
    let mut reader = NodeReader::open(settings.clone()).unwrap();
    assert_eq!(reader.read(at(1), LONG).memory, None);
    tree.put("cg/memory/memory.stat", V1_STAT);
    settings.memory_source = MemorySource::Meminfo;
    let mut reader = NodeReader::open(settings).unwrap();
    let memory = reader.read(at(1), LONG).memory.unwrap();
    assert_eq!(memory.available_bytes, 450 * MIB);
}

#[test]
fn no_meminfo_is_an_error_at_start() {
    let (tree, settings) = v1();
    tree.remove("proc/meminfo");
    let error = NodeReader::open(settings).unwrap_err();
    assert!(error.cause.is_gone());
    assert_eq!(error.path, tree.path("proc/meminfo"));
}

#[test]
fn process_ids_are_the_smaller_maximum_less_all_tasks() {
    for (pid_max, threads_max, loadavg, expected) in [
        ("32768\n", "15000\n", "0 0 0 4/960 1\n", (14_040, 15_000)),
        ("300\n", "15000\n", "0 0 0 4/960 1\n", (-660, 300)),
        ("32768\n", "", "0 0 0 1/1 1\n", (32_767, 32_768)),
    ] {
        let (tree, settings) = v1();
        tree.put("proc/sys/kernel/pid_max", pid_max)
            .put("proc/loadavg", loadavg);
        if threads_max.is_empty() {
            tree.remove("proc/sys/kernel/threads-max");
        }
        let mut reader = NodeReader::open(settings).unwrap();
        let reading = reader
            .read(at(7), LONG)
            .readings()
            .get(Signal::PidAvailable);
        let (available, capacity) = expected;
        let expected = Reading {
            available,
            capacity,
            sampled: Some(at(7)),
        };
        assert_eq!(reading, Some(expected), "{loadavg}");
        assert_eq!(reader.errors(), []);
    }
}

#[test]
fn without_loadavg_the_kernels_short_count_must_do() {
    let (tree, settings) = v1();
    tree.put("proc/loadavg", "0.10 0.20\n");
    let mut reader = NodeReader::open(settings).unwrap();
    let pids = reader.read(at(1), LONG).pids.unwrap();
    assert!(pids.node.running > 0);
    assert_eq!(reader.errors().len(), 1);
}

#[test]
fn filesystems_default_to_nodefs() {
    let (tree, mut settings) = v1();
    for named in [false, true] {
        if named {
            settings.imagefs = Some(tree.path("proc"));
            settings.containerfs = Some(tree.path("cg"));
        }
        let mut reader = NodeReader::open(settings.clone()).unwrap();
        let sample = reader.read(at(1), LONG);
        assert_eq!(sample.layout(), Some(Layout::OneFilesystem));
        let readings = sample.readings();
        let nodefs = readings.get(Signal::NodefsAvailable).unwrap();
        for signal in [Signal::ImagefsAvailable, Signal::ContainerfsAvailable] {
            let other = readings.get(signal).unwrap();
            // Asked by itself, it may have filled up meanwhile.
            assert!(named || other == nodefs);
            assert_eq!(other.capacity, nodefs.capacity);
        }
    }
}

#[test]
fn a_missing_directory_costs_its_filesystem() {
    let (tree, mut settings) = v1();
    settings.imagefs = Some(tree.path("images"));
    let mut reader = NodeReader::open(settings).unwrap();
    let sample = reader.read(at(1), LONG);
    assert!(sample.nodefs.is_some());
    assert_eq!((sample.imagefs, sample.containerfs), (None, None));
    assert_eq!(sample.layout(), None);
    assert_eq!(reader.errors()[0].path, tree.path("images"));
}
