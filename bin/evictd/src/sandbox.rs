//! Least privilege: what the daemon gives up before it reads the first byte that is not
//! its operator's.

use std::path::Path;

use evictd_config::{Daemon, Resolved};
use evictd_stats::PROC;
use evictd_sys::{allow_known_syscalls, keep_capabilities, landlock_version, write_nowhere};
use rustix::thread::CapabilitySet;

/// Gives up what the daemon will not need. To be called while there is one thread. Where
/// the kernel lacks a means, that is said once, and the others hold.
pub(crate) fn enter(settings: &Resolved) {
    if !settings.daemon.sandbox {
        log::info!(event = "problem", about = "sandbox"; "--debug=no-sandbox: evictd keeps all its privileges");
        return;
    }
    let steps = [
        ("capabilities", keep_capabilities(needed(settings))),
        ("system calls (seccomp)", allow_known_syscalls()),
        (
            "where it may write (Landlock)",
            landlock_version().map(drop),
        ),
    ];
    for (what, done) in steps {
        if let Err(error) = done {
            log::info!(
                event = "problem", about = "sandbox";
                "the sandbox cannot limit {what} ({error}): evictd runs without that"
            );
        }
    }
}

/// Enters the sandbox of a process that only looks, and talks to whoever reaches it: it opens no file
/// for writing either, and changes none.
pub(crate) fn enter_to_look(daemon: &Daemon) {
    if daemon.sandbox {
        // Where the kernel lacks a means, the daemon has said so.
        let _ = keep_capabilities(READING);
        let _ = allow_known_syscalls();
        let _ = write_nowhere();
    }
}

/// Cgroups, volumes and runtimes' sockets may be another user's, and what the processes of
/// pods hold in memory and open is shown to who may trace them.
const READING: CapabilitySet = CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::SYS_PTRACE);

/// The capabilities that these settings need on this machine.
fn needed(settings: &Resolved) -> CapabilitySet {
    let wanted = |is_wanted: bool, these: CapabilitySet| {
        if is_wanted {
            these
        } else {
            CapabilitySet::empty()
        }
    };
    let deletes = settings.paths.root_dir.given
        || settings.paths.pod_logs_dir.given
        || !settings.relief.directories.is_empty();
    // The kernel's notices of pressure need it too, before Linux 6.4.
    let resource = settings.daemon.kernel_notices || settings.oom_score_adj.apply;
    READING
        | CapabilitySet::IPC_LOCK
        | wanted(!settings.dry_run, CapabilitySet::KILL)
        // In a directory with the sticky bit a file is deleted by its owner.
        | wanted(!settings.dry_run && deletes, CapabilitySet::FOWNER)
        | wanted(settings.daemon.realtime, CapabilitySet::SYS_NICE)
        | wanted(resource, CapabilitySet::SYS_RESOURCE)
        | wanted(has_project_quotas(), CapabilitySet::SYS_ADMIN)
}

/// Whether a filesystem counts what projects use: only then there is a quota to ask for.
fn has_project_quotas() -> bool {
    let mounts = std::fs::read_to_string(Path::new(PROC).join("self/mountinfo"));
    mounts.is_ok_and(|mounts| mounts.contains("prjquota") || mounts.contains("pqnoenforce"))
}
