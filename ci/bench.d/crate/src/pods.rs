use core::hint::black_box;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use evictd_cgroup::{CgroupConfig, CgroupRuntime, FoundPod, KillLimits, Listing, Recheck};
use evictd_stats::{Dir, Hierarchies, PodReader};

/// CPU nanoseconds of a round over the pods below the cgroup `root`: reading each
/// through its open directories, all that there is and the plain counters alone; then
/// all that the daemon does when a threshold is met, likewise: list them, open each,
/// read it; last the same where the list from before still holds, of which is compared
/// what the daemon compares at that depth. Empty where there are none.
pub(crate) fn figures(root: &str, rounds: usize) -> Vec<u64> {
    let Some((hierarchies, mut runtime)) = open(root) else {
        return Vec::new();
    };
    let pids = |cgroup: &Path| Dir::open(&hierarchies.pids.as_ref()?.below(cgroup)).ok();
    let mut kept = Vec::new();
    runtime.visit_pods(&[], &[], Listing::default(), &mut |found, memory| {
        let memory = memory.map(|memory| Dir::new(memory, found.cgroup.clone()));
        kept.push((memory, pids(&found.cgroup)));
        true
    });
    if kept.is_empty() {
        return Vec::new();
    }
    let mut reader = PodReader::new(&hierarchies);
    let whole = cpu_nanos_of(rounds, || {
        for (memory, pids) in &kept {
            black_box(reader.read(memory.as_ref(), pids.as_ref()));
        }
    });
    let counters = cpu_nanos_of(rounds, || {
        for (memory, pids) in &kept {
            black_box(memory.as_ref().map(|dir| reader.read_usage_bytes(dir)));
            black_box(reader.read(None, pids.as_ref()));
        }
    });
    drop(kept);
    let listed = cpu_nanos_of(rounds, || {
        runtime.visit_pods(&[], &[], Listing::default(), &mut |found, memory| {
            let memory = memory.map(|memory| Dir::new(memory, found.cgroup.clone()));
            black_box(reader.read(memory.as_ref(), pids(&found.cgroup).as_ref()));
            true
        });
    });
    let bounds = cpu_nanos_of(rounds, || {
        runtime.visit_pods(&[], &[], Listing::default(), &mut |_, memory| {
            black_box(memory.map(|dir| reader.read_usage_bytes(dir)));
            true
        });
    });
    let mut list = runtime.visit_pods(&[], &[], Listing::default(), &mut |_, _| true);
    let mut again = |recheck, read: &mut dyn FnMut(&FoundPod, Option<OwnedFd>) -> bool| {
        cpu_nanos_of(rounds, || {
            let holds = runtime.revisit_pods(&mut list, recheck, &|_| None, read);
            assert!(holds, "the pods have changed");
        })
    };
    let listed_again = again(Recheck::All, &mut |found, memory| {
        let memory = memory.map(|memory| Dir::new(memory, found.cgroup.clone()));
        black_box(reader.read(memory.as_ref(), pids(&found.cgroup).as_ref()));
        true
    });
    let bounds_again = again(Recheck::Running, &mut |_, memory| {
        black_box(memory.map(|dir| reader.read_usage_bytes(dir)));
        true
    });
    vec![whole, counters, listed, bounds, listed_again, bounds_again]
}

fn open(root: &str) -> Option<(Hierarchies, CgroupRuntime)> {
    let hierarchies = Hierarchies::read(Path::new("/proc")).ok()?;
    let runtime = CgroupRuntime::new(CgroupConfig {
        hierarchies: hierarchies.clone(),
        proc: PathBuf::from("/proc"),
        pod_cgroup_roots: vec![PathBuf::from(root)],
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
