use core::hint::black_box;
use std::path::{Path, PathBuf};

use evictd_cgroup::{CgroupConfig, CgroupRuntime, KillLimits, Listing, Services};
use evictd_stats::{Hierarchies, PodReader};

/// CPU nanoseconds of a round over the pods below the cgroup `root`: reading the memory
/// of each through its open directory, exactly and by the plain counter alone; then
/// all that the daemon does when a threshold is met, likewise: list them, open each,
/// read it; last the same into the list from before, of which is taken over what the
/// daemon takes over at that depth. Empty where there are none.
pub(crate) fn figures(root: &str, rounds: usize) -> Vec<u64> {
    let Some((hierarchies, mut runtime)) = open(root) else {
        return Vec::new();
    };
    let mut kept = Vec::new();
    let mut list = Listing::default();
    runtime.list_again(&mut list, &[], &[], &mut |_, memory| {
        kept.extend(memory);
        true
    });
    if kept.is_empty() {
        return Vec::new();
    }
    let mut reader = PodReader::new(&hierarchies);
    let whole = cpu_nanos_of(rounds, || {
        for memory in &kept {
            black_box(reader.read_working_set_bytes(memory));
        }
    });
    let counters = cpu_nanos_of(rounds, || {
        for memory in &kept {
            black_box(reader.read_usage_bytes(memory));
        }
    });
    drop(kept);
    let listed = cpu_nanos_of(rounds, || {
        runtime.forget();
        runtime.list_again(&mut list, &[], &[], &mut |found, memory| {
            black_box(reader.read(&found.cgroup, memory));
            true
        });
    });
    let bounds = cpu_nanos_of(rounds, || {
        runtime.forget();
        runtime.list_again(&mut list, &[], &[], &mut |_, memory| {
            black_box(memory.map(|dir| reader.read_usage_bytes(dir)));
            true
        });
    });
    let listed_again = cpu_nanos_of(rounds, || {
        runtime.list_again(&mut list, &[], &[], &mut |found, memory| {
            black_box(reader.read(&found.cgroup, memory));
            true
        });
    });
    let bounds_again = cpu_nanos_of(rounds, || {
        let is_whole = runtime.list_known(&mut list, &[], &mut |_, memory| {
            black_box(memory.map(|dir| reader.read_usage_bytes(dir)));
            true
        });
        assert!(is_whole, "the pods have changed");
    });
    vec![whole, counters, listed, bounds, listed_again, bounds_again]
}

fn open(root: &str) -> Option<(Hierarchies, CgroupRuntime)> {
    let hierarchies = Hierarchies::read(Path::new("/proc")).ok()?;
    let runtime = CgroupRuntime::new(CgroupConfig {
        hierarchies: hierarchies.clone(),
        proc: PathBuf::from("/proc"),
        pod_cgroup_roots: vec![PathBuf::from(root)],
        services: Services::default(),
        limits: KillLimits::default(),
        releaser: None,
    });
    Some((hierarchies, runtime.ok()?))
}

/// The mean of so many rounds, after one that warms up.
fn cpu_nanos_of(rounds: usize, mut round: impl FnMut()) -> u64 {
    round();
    let begun = cpu_nanos();
    for _ in 0..rounds {
        round();
    }
    let rounds = u64::try_from(rounds.max(1)).unwrap_or(1);
    cpu_nanos().saturating_sub(begun) / rounds
}

/// What this thread has used of the processors, as the scheduler counts: when it
/// chooses anew.
fn cpu_nanos() -> u64 {
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next().unwrap_or_default();
    first.parse().unwrap_or(0)
}
