//! What each switch of the policy changes in the answers.

use std::path::Path;

use evictd_node::Policy;

use crate::files::{FileResult, run};
use crate::rules::Rules;

/// A switch by its name, and how it is taken over from another policy.
type Switch = (&'static str, fn(&mut Policy, &Policy));

macro_rules! switches {
    ($($name:ident,)+) => {
        const SWITCHES: &[Switch] = &[$((stringify!($name), |to, from| to.$name = from.$name)),+];

        /// Fails to compile where a switch is missing above.
        const fn knows_all(policy: Policy) {
            let Policy { $($name: _),+ } = policy;
        }
    };
}

switches! {
    ranking,
    hard_grace_seconds,
    negative_max_grace_is_literal,
    reclaim_must_clear_every_signal,
    reclaim_makes_every_call,
    relief_ends_with_images,
    kill_comes_before_file_pages,
    failed_kill_ends_round,
    inodes_minus_storage_request,
    missing_stats_rank_first,
    missing_usage_is_zero,
    open_files_are_not_seen,
    mounts_are_not_seen,
    zero_transition_hides_condition,
    dedicated_nodefs_reclaims_nothing,
    derived_thresholds_lag_a_round,
    evicts_without_evidence,
    returning_pods_are_admitted,
    message_omits_volumes,
    stats_may_predate_last_eviction,
    grace_outlasts_hard_threshold,
    clean_up_holds_back_all,
    image_gc_counts_listed_sizes,
    image_gc_ignores_inodes,
    never_used_image_is_oldest,
    max_image_age_waits_for_uptime,
    failed_image_removal_ends_gc,
    dead_container_age_from_creation,
    sidecars_do_not_add_up,
    pod_resources_are_ignored,
    pod_resources_hide_storage_requests,
    empty_pod_resources_decide_qos,
    sidecar_storage_limits_are_not_enforced,
    image_volumes_are_not_in_use,
    image_gc_error_tells_amounts_only,
    manifest_pods_are_static,
}

/// Prints for each switch in which evictd differs from that kubelet how many answers are
/// others where it alone stands as evictd has it, and last where all do.
///
/// # Errors
/// Where the vectors cannot be read, and where an answer is another with no switch changed.
pub(crate) fn print(dir: &Path, rules: Rules) -> Result<(), String> {
    let ours = Policy::default();
    knows_all(ours);
    let preset = rules.policy();
    if run(dir, rules)?
        .iter()
        .any(|file| !file.failures.is_empty())
    {
        return Err(format!(
            "{}: not all is as the kubelet answers: see without --switches",
            dir.display()
        ));
    }
    let name = rules.version.name();
    for (switch, take) in SWITCHES {
        let changed = rules.changed(|policy| take(policy, &ours));
        if changed.policy() != preset {
            println!("{name} {switch}: {}", summary(&run(dir, changed)?));
        }
    }
    let all = rules.changed(|policy| *policy = ours);
    println!("{name} all of them: {}", summary(&run(dir, all)?));
    Ok(())
}

/// `3 in rank.jsonl, 1 in qos.jsonl`
fn summary(results: &[FileResult]) -> String {
    let files = results.iter().filter(|file| !file.failures.is_empty());
    let files: Vec<String> = files
        .map(|file| format!("{} in {}", file.failures.len(), file.file))
        .collect();
    match files.is_empty() {
        true => "no answer".to_owned(),
        false => files.join(", "),
    }
}
