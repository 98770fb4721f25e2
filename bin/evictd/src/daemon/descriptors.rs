//! How many descriptors the daemon may have open at once. With fewer it could not list pods,
//! read what they use and end one, when it has to.

use evictd_cgroup::own::allow_descriptors;
use evictd_config::Resolved;
use evictd_pods::runtimes::USUAL;
use evictd_stats::DiskScanner;

/// The loop: standard streams and the log (6), what wakes it (10), the node's numbers (14),
/// the processes above it (8), its socket and who asks there (8), the state (6), what is held
/// for a kill (8), and what is open for a moment (8).
const LOOP: usize = 68;

/// Deleted files that processes hold open, what processes share, and what is read once.
const OTHER_HELPERS: usize = 8;

/// It lists, ends pods, says when containers start, and each of these connects anew.
const A_RUNTIME: usize = 6;

const MANIFESTS: usize = 3;
const LEFTOVERS: usize = 24;
const A_HOOK: usize = 2;
const METRICS_FILE: usize = 2;
const EXPORTER: usize = 1;

/// Has the kernel allow as many as these settings need.
///
/// # Errors
/// When the hard limit is lower.
pub(crate) fn allow(settings: &Resolved) -> Result<(), String> {
    let needed = u64::try_from(needed(settings)).unwrap_or(u64::MAX);
    allow_descriptors(needed).map_err(|allowed| too_few(allowed, needed))
}

fn too_few(allowed: u64, needed: u64) -> String {
    format!(
        "RLIMIT_NOFILE (ulimit -n) allows {allowed} open files, and these settings need {needed}: \
         with fewer evictd could not list pods, read what they use and end one; raise the hard \
         limit (systemd: LimitNOFILE=, OpenRC: rc_ulimit)"
    )
}

/// The sum of what its parts may have open, each at its worst.
fn needed(settings: &Resolved) -> usize {
    let named = settings.runtimes.endpoints.as_ref();
    let runtimes = named.map_or(USUAL.len(), Vec::len);
    let deletes = settings.paths.root_dir.given || settings.paths.pod_logs_dir.given;
    let optional = [
        (runtimes > 0, DiskScanner::DESCRIPTORS), // of what containers mount
        (settings.pods.manifest_path.is_some(), MANIFESTS),
        (deletes, LEFTOVERS),
        (settings.hooks.on_event.is_some(), A_HOOK),
        (settings.hooks.before_kill.is_some(), A_HOOK),
        (settings.output.metrics_file.is_some(), METRICS_FILE),
        (settings.output.metrics_listen.is_some(), EXPORTER),
    ];
    let optional = optional.into_iter().filter(|(is_used, _)| *is_used);
    let optional: usize = optional.map(|(_, count)| count).sum();
    LOOP + DiskScanner::DESCRIPTORS + OTHER_HELPERS + optional + runtimes.saturating_mul(A_RUNTIME)
}

#[cfg(test)]
mod tests {
    use evictd_config::{Typed, resolve};

    use super::*;

    /// Acceptance row 277.
    #[test]
    fn what_is_needed_follows_from_the_settings() {
        let of = |flag: &str, value: &str| {
            let mut typed = Typed::default();
            assert!(typed.add(flag, value));
            needed(&resolve(&typed).unwrap())
        };
        let usual = of("eviction-hard", "");
        let always = LOOP + DiskScanner::DESCRIPTORS + OTHER_HELPERS;
        assert_eq!(usual, always + DiskScanner::DESCRIPTORS + 7 * A_RUNTIME);
        assert_eq!(of("container-runtime-endpoint", ""), always);
        assert_eq!(of("pod-manifest-path", "/m"), usual + MANIFESTS);
        assert_eq!(of("metrics-file", "/m.prom"), usual + METRICS_FILE);
        assert_eq!(of("root-dir", "/r"), usual + LEFTOVERS);
    }

    /// Acceptance row 277.
    #[test]
    fn too_few_are_named_with_the_limit_and_the_need() {
        let told = too_few(27, 164);
        for part in ["RLIMIT_NOFILE", "ulimit -n", " 27 ", " 164:"] {
            assert!(told.contains(part), "{told}");
        }
    }
}
