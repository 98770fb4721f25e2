use std::path::{Path, PathBuf};

use evictd_runtime::{CgroupConfig, CgroupRuntime, KillLimits, PodSource};
use evictd_stats::{Dir, Hierarchies, Hierarchy, PodReader};

/// CPU nanoseconds of a round over the pods below the cgroup `root`: reading each
/// through its open directories, and all that the daemon does when a threshold is met:
/// list them, open each, read it. Empty where there are none.
pub(crate) fn figures(root: &str, rounds: usize) -> Vec<u64> {
    let Ok(hierarchies) = Hierarchies::read(Path::new("/proc")) else {
        return Vec::new();
    };
    let Ok(mut runtime) = CgroupRuntime::new(CgroupConfig {
        hierarchies: hierarchies.clone(),
        proc: PathBuf::from("/proc"),
        pod_cgroup_roots: vec![PathBuf::from(root)],
        limits: KillLimits::default(),
        releaser: None,
    }) else {
        return Vec::new();
    };
    let open = |hierarchy: &Option<Hierarchy>, cgroup: &Path| {
        Dir::open(&hierarchy.as_ref()?.below(cgroup)).ok()
    };
    let mut list = || -> Vec<(Option<Dir>, Option<Dir>)> {
        let listed = runtime.list_pods(&[], &[]);
        let opened = |cgroup: &PathBuf| {
            let memory = open(&hierarchies.memory, cgroup);
            (memory, open(&hierarchies.pids, cgroup))
        };
        listed
            .pods
            .iter()
            .flat_map(|pod| pod.cgroups().map(opened).collect::<Vec<_>>())
            .collect()
    };
    let kept = list();
    if kept.is_empty() {
        return Vec::new();
    }
    let mut reader = PodReader::new(&hierarchies);
    let mut read = |pods: &[(Option<Dir>, Option<Dir>)]| {
        for (memory, pids) in pods {
            core::hint::black_box(reader.read(memory.as_ref(), pids.as_ref()));
        }
    };
    let reading = cpu_nanos_of(rounds, || read(&kept));
    let all = cpu_nanos_of(rounds, || read(&list()));
    vec![reading, all]
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
