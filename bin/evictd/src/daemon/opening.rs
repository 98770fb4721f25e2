//! What the log begins with.

use std::path::Path;

use evictd_config::{Resolved, lint};
use evictd_machine::PROC;
use evictd_machine::engine::Engine;
use evictd_machine::setup::Setup;
use evictd_machine::{facts, kernel, roots};
use evictd_stats::read_memory_switched_off;

/// The first lines: what is watched, and where the pods come from.
pub(super) fn announce(settings: &Resolved, setup: &Setup) {
    let version = env!("CARGO_PKG_VERSION");
    let thresholds = &settings.evict.thresholds;
    let list: Vec<String> = thresholds.iter().map(ToString::to_string).collect();
    let dry = if settings.dry_run {
        ", dry run: nothing will be killed"
    } else {
        ""
    };
    let list = list.join(",");
    log::info!(
        event = "start", version = version, thresholds = list.as_str(), dryRun = settings.dry_run;
        "evictd {version} watches {list}{dry}"
    );
    for warning in &settings.warnings {
        log::warn!(event = "warning"; "{warning}");
    }
    for root in &setup.cgroup.pod_cgroup_roots {
        log::info!(
            event = "pods_from";
            "pods are the children of the cgroup /{}, and the kubepods tree",
            root.display()
        );
    }
    if let Some(of) = settings.pods_of {
        log::info!(
            event = "pods_from";
            "pods are the services of {of}, but for the system's own and what --never-evict names"
        );
    }
    if settings.pods_of_sessions {
        log::info!(
            event = "pods_from";
            "pods are login sessions, and what users' managers run"
        );
    }
    let named = settings.pods_of.is_some() || settings.pods_of_sessions;
    if !named && setup.cgroup.pod_cgroup_roots.is_empty() {
        log::info!(
            event = "pods_from";
            "pods are what runs in the kubepods tree and what container runtimes list; \
             --pods-of and --pod-cgroup-root name others"
        );
    }
    if setup.cgroup.hierarchies.memory.is_none() {
        let switched_off = read_memory_switched_off(Path::new(PROC)).unwrap_or(false);
        let remedy = if switched_off {
            ": the kernel's command line lacks cgroup_enable=memory (on a Raspberry Pi also \
             cgroup_memory=1)"
        } else {
            ""
        };
        log::warn!(
            event = "no_memory_controller", switchedOff = switched_off;
            "no memory controller{remedy}; memory.available comes from /proc/meminfo, and what \
             pods use from /proc/PID of their processes"
        );
    }
}

/// What is odd about this machine, and about the settings on it.
pub(super) fn warn(settings: &Resolved, engine: &Engine) {
    let about_machine = lint(settings, &facts::read(&engine.node().sample));
    let about_pods = roots::warnings(settings, engine.pods());
    let about_kernel = kernel::warning(engine.pods().hierarchies());
    for warning in about_kernel
        .into_iter()
        .chain(about_machine)
        .chain(about_pods)
    {
        log::warn!(event = "warning"; "{warning}");
    }
}
