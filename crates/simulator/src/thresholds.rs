//! The settings of a world's evictd: thresholds that can be met there.

use core::time::Duration;

use evictd_engine::Settings;
use evictd_threshold::{Lists, parse};

use crate::feature::Feature;
use crate::plan::Plan;
use crate::random::Random;
use crate::world::{clock, wall_clock};

/// The flags of these settings, as an operator would type them.
pub(crate) fn flags(plan: &Plan) -> Vec<String> {
    let lists = lists(plan, &mut Random::new(plan.seed, 100));
    let names = ["hard", "soft", "soft-grace-period", "minimum-reclaim"];
    let lists = names.iter().zip(lists).filter(|(_, list)| !list.is_empty());
    let mut flags: Vec<String> = lists
        .map(|(name, list)| format!("--eviction-{name}={list}"))
        .collect();
    let evict = settings(plan, 0).evict;
    let transition = evict.transition_period.as_secs();
    flags.push(format!(
        "--eviction-pressure-transition-period={transition}s"
    ));
    let grace = evict.max_pod_grace_seconds;
    flags.push(format!("--eviction-max-pod-grace-period={grace}"));
    flags
}

/// Hard and soft thresholds, graces and minimum reclaims.
fn lists(plan: &Plan, r: &mut Random) -> [String; 4] {
    let has = |feature| plan.features.has(feature);
    let mut hard = vec![format!("memory.available<{}%", r.within(2, 15))];
    let (mut soft, mut grace) = (Vec::new(), Vec::new());
    let mut reclaim = Vec::new();
    if has(Feature::Soft) {
        soft.push(format!("memory.available<{}%", r.within(10, 30)));
        grace.push(format!("memory.available={}s", r.within(1, 20)));
        if has(Feature::Disks) && r.one_in(2) {
            soft.push(format!("nodefs.available<{}%", r.within(10, 30)));
            grace.push(format!("nodefs.available={}s", r.within(1, 20)));
        }
    }
    if has(Feature::Swap) && r.one_in(2) {
        hard.push(format!("swap.available<{}%", r.within(2, 20)));
    }
    if has(Feature::Disks) {
        hard.push(format!("nodefs.available<{}%", r.within(3, 15)));
        if r.one_in(2) {
            hard.push(format!("imagefs.available<{}%", r.within(3, 15)));
        }
    }
    if has(Feature::Inodes) {
        hard.push(format!("nodefs.inodesFree<{}%", r.within(3, 15)));
    }
    if has(Feature::Pids) {
        hard.push(format!("pid.available<{}%", r.within(5, 20)));
    }
    if has(Feature::MinReclaim) {
        reclaim.push(format!("memory.available={}%", r.within(1, 10)));
        if has(Feature::Disks) {
            reclaim.push(format!("nodefs.available={}%", r.within(1, 10)));
        }
    }
    [hard, soft, grace, reclaim].map(|list| list.join(","))
}

/// Whether memory relief is on; a reload may switch it off, or on again.
pub(crate) fn relieves(plan: &Plan, reload: u64) -> bool {
    let mut random = Random::new(plan.seed, 300 + reload);
    plan.features.has(Feature::Relief) && (reload == 0 || !random.one_in(3))
}

/// The settings that the seed has; `reload` counts how often they were changed.
pub(crate) fn settings(plan: &Plan, reload: u64) -> Settings {
    let mut random = Random::new(plan.seed, 100 + reload);
    let r = &mut random;
    let lists = lists(plan, r);
    let [hard, soft, soft_grace_period, minimum_reclaim] = &lists;
    let lists = Lists {
        hard,
        soft,
        soft_grace_period,
        minimum_reclaim,
        enforce_pods: false,
        own_signals: true,
    };
    let mut settings = Settings {
        interval: Duration::from_secs(r.pick(&[1, 10, 10, 30]).unwrap_or(10)),
        images_until_clear: r.one_in(2),
        processors: r.within(1, 8),
        clock,
        wall_clock,
        ..Settings::default()
    };
    settings.evict.thresholds = parse(&lists).unwrap_or_default();
    settings.evict.transition_period = Duration::from_secs(r.pick(&[0, 5, 30]).unwrap_or(5));
    settings.evict.max_pod_grace_seconds = r.pick(&[-1, 0, 2, 10]).unwrap_or(0);
    settings
}
