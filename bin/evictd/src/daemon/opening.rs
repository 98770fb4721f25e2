//! What the log begins with.

use std::path::Path;

use evictd_config::{PodSources, Resolved, lint};
use evictd_machine::engine::Engine;
use evictd_machine::setup::Setup;
use evictd_machine::{facts, kernel, roots};
use evictd_node::{Amount, Signal};
use evictd_stats::PROC;
use evictd_stats::read_memory_switched_off;
use evictd_threshold::Threshold;

/// What pods may use together: told apart, where that is less than the machine has.
const OF_PODS: Signal = Signal::AllocatableMemoryAvailable;

/// The first lines: what is watched, and where the pods come from.
pub(super) fn announce(settings: &Resolved, setup: &Setup) {
    let version = env!("CARGO_PKG_VERSION");
    let in_text = |thresholds: &[&Threshold]| {
        let list: Vec<String> = thresholds.iter().map(ToString::to_string).collect();
        list.join(",")
    };
    let all: Vec<&Threshold> = settings.evict.thresholds.iter().collect();
    let others = all.iter().copied().filter(|of| of.signal != OF_PODS);
    let others: Vec<&Threshold> = others.collect();
    let pods = pods_from(&settings.pods, setup);
    let dry = if settings.dry_run {
        "; dry run: nothing will be killed"
    } else {
        ""
    };
    let metrics = settings
        .output
        .metrics_listen
        .map_or_else(String::new, |at| {
            format!("; metrics are served at http://{at}/metrics")
        });
    log::info!(
        event = "start", version = version, thresholds = in_text(&all).as_str(),
        podsFrom = pods.as_str(), dryRun = settings.dry_run;
        "evictd {version} watches {}; pods are {pods}{metrics}{dry}", in_text(&others)
    );
    for warning in &settings.warnings {
        log::warn!(event = "warning"; "{warning}");
    }
    if setup.cgroup.hierarchies.memory.is_none() {
        let switched_off = read_memory_switched_off(Path::new(PROC)).unwrap_or(false);
        let why = facts::why_no_memory_controller(&setup.cgroup.hierarchies);
        log::warn!(
            event = "no_memory_controller", switchedOff = switched_off;
            "no memory controller: {why}; memory.available comes from /proc/meminfo, and what \
             pods use from /proc/PID of their processes"
        );
    }
}

/// `containers, the kubepods tree, the services of systemd`
fn pods_from(pods: &PodSources, setup: &Setup) -> String {
    let mut from = vec![
        String::from("containers"),
        String::from("the kubepods tree"),
    ];
    let roots = setup.cgroup.pod_cgroup_roots.iter();
    from.extend(roots.map(|root| format!("the children of the cgroup /{}", root.display())));
    from.extend(pods.of_services.map(|of| format!("the services of {of}")));
    if pods.of_sessions {
        from.push("login sessions and what users' managers run".into());
    }
    from.join(", ")
}

/// What is odd about this machine, and about the settings on it; and what pods may have
/// together, where that is less than it has.
pub(super) fn warn(settings: &Resolved, engine: &Engine) {
    let of_pods = engine.node().sample.pods_memory;
    let thresholds = &settings.evict.thresholds;
    let threshold = thresholds.iter().find(|of| of.signal == OF_PODS);
    if let (Some(limit), Some(threshold)) = (of_pods.and_then(|of| of.limit.value()), threshold) {
        let amount = Amount::bytes(limit);
        log::info!(
            event = "pods_memory", limit = limit;
            "pods together may use {amount} of memory: {threshold} is judged by that (docs/thresholds.md)"
        );
    }
    let about_machine = lint(settings, &facts::read(&engine.node().sample));
    let about_pods = roots::warnings(&settings.pods, engine.pods());
    let about_kernel = kernel::warning(&settings.evict.thresholds, engine.pods().hierarchies());
    for warning in about_kernel
        .into_iter()
        .chain(about_machine)
        .chain(about_pods)
    {
        log::warn!(event = "warning"; "{warning}");
    }
}
