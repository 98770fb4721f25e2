use evictd_node::{Amount, Condition, MemorySource, Signal};
use evictd_quantity::GoDuration;
use evictd_threshold::{Threshold, ThresholdValue};

use crate::allocatable::{Share, below_thresholds, shares};
use crate::warning::soft_not_above_hard;
use crate::{Machine, Origin, Resolved, Setting, Warning};

/// A threshold as it is in force on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EffectiveThreshold {
    /// What it watches.
    pub signal: Signal,
    /// The node condition that it raises.
    pub condition: Condition,
    /// The amount as configured: `100Mi`, `10%`.
    pub written: String,
    /// The exact amount; `None` for a percentage of an unknown capacity.
    pub amount: Option<i64>,
    /// What the percentage is of, if it is known.
    pub capacity: Option<i64>,
    /// What the amounts count: bytes, inodes or process ids.
    pub unit: &'static str,
    /// The grace period of a soft threshold; `None` for a hard one.
    pub grace: Option<GoDuration>,
    /// The minimum reclaim as configured.
    pub min_reclaim: Option<String>,
    /// The exact amount that must be available before it counts as left again,
    /// once it was met: amount plus minimum reclaim.
    pub clear_at: Option<i64>,
    /// Where it came from.
    pub origin: Origin,
}

/// Settings as they are in force on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effective<'a> {
    /// The thresholds, in the order of conditions, signals, and hard before soft.
    pub thresholds: Vec<EffectiveThreshold>,
    /// Everything else, in the order of the help.
    pub settings: &'a [Setting],
    /// Of each resource that is known how much there is, and how much of it pods may have.
    pub allocatable: Vec<Share>,
    /// What is odd, with what only the machine shows.
    pub warnings: Vec<Warning>,
}

/// What the settings come to on that machine: percentages become the kubelet's
/// exact amounts.
#[must_use]
pub fn effective<'a>(resolved: &'a Resolved, machine: &Machine) -> Effective<'a> {
    let mut thresholds: Vec<EffectiveThreshold> = pairs(resolved)
        .map(|(threshold, origin)| in_force(threshold, origin, machine))
        .collect();
    thresholds.sort_unstable_by_key(|t| (t.condition, t.signal, t.grace));
    let mut warnings = resolved.warnings.clone();
    warnings.extend(lint(resolved, machine));
    Effective {
        thresholds,
        settings: &resolved.settings,
        allocatable: shares(resolved, machine),
        warnings,
    }
}

/// What is odd about the settings on that machine, apart from
/// [`Resolved::warnings`].
#[must_use]
pub fn lint(resolved: &Resolved, machine: &Machine) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (threshold, origin) in pairs(resolved) {
        if origin == Origin::Derived {
            continue; // Its source has the same oddities.
        }
        if let Some(capacity) = machine.capacity(threshold.signal) {
            warnings.extend(beyond_capacity(threshold, capacity));
            warnings.extend(beyond_reach(threshold, capacity, machine));
            if !threshold.is_hard() {
                warnings.extend(mixed_soft(threshold, &resolved.evict.thresholds, capacity));
            }
        }
        warnings.extend(within_reserve(threshold, machine));
        warnings.extend(unreachable(threshold, resolved.memory.source, machine));
        if origin == Origin::Default {
            warnings.extend(above_a_tenth(threshold, machine));
        }
        warnings.extend(within_reserved_pids(threshold, machine));
    }
    warnings.extend(below_thresholds(resolved, machine));
    let mut signals = resolved.evict.thresholds.iter().map(|t| t.signal);
    let is_watched = signals.any(|signal| signal == Signal::SwapAvailable);
    // Without such a threshold nothing watches swap (decision D17).
    let swap = machine.swap_bytes.filter(|bytes| *bytes > 0 && !is_watched);
    warnings.extend(swap.map(|bytes| {
        Warning(format!(
            "{bytes} bytes of swap are on: a node can thrash there long before \
             memory.available is low"
        ))
    }));
    warnings
}

fn pairs(resolved: &Resolved) -> impl Iterator<Item = (&Threshold, Origin)> {
    let origins = resolved.threshold_origins.iter().copied();
    resolved.evict.thresholds.iter().zip(origins)
}

fn in_force(threshold: &Threshold, origin: Origin, machine: &Machine) -> EffectiveThreshold {
    let capacity = machine.capacity(threshold.signal);
    // An absolute amount needs no capacity.
    let against = |value: &ThresholdValue| match value {
        ThresholdValue::Quantity(quantity) => Some(quantity.clone()),
        ThresholdValue::Percentage(_) => capacity.map(|capacity| value.against(capacity)),
    };
    let amount = against(&threshold.value);
    let clear_at = match &threshold.min_reclaim {
        None => amount.clone(),
        Some(more) => amount
            .as_ref()
            .and_then(|amount| Some(amount + &against(more)?)),
    };
    EffectiveThreshold {
        signal: threshold.signal,
        condition: threshold.signal.condition(),
        written: threshold.written(),
        amount: amount.map(|amount| amount.value()),
        capacity,
        unit: threshold.signal.unit().name(),
        grace: (!threshold.is_hard()).then_some(threshold.grace),
        min_reclaim: threshold.min_reclaim.as_ref().map(ToString::to_string),
        clear_at: clear_at.map(|amount| amount.value()),
        origin,
    }
}

fn beyond_capacity(threshold: &Threshold, capacity: i64) -> Option<Warning> {
    if threshold.level(capacity) > capacity {
        return Some(Warning(format!(
            "threshold {threshold} asks for more than the {} that there are: it is always met",
            Amount::of(threshold.signal, capacity)
        )));
    }
    let unit = threshold.signal.unit();
    let clear_at = threshold.clear_at(capacity).value();
    (clear_at > capacity).then(|| {
        Warning(format!(
            "threshold {threshold} with its minimum reclaim asks for {clear_at} {unit} of \
             {capacity}: once met it is never left"
        ))
    })
}

/// A minimum reclaim for which more would have to be left than is now, when the threshold
/// is not even met: to reach it, pods have to end that run now.
fn beyond_reach(threshold: &Threshold, capacity: i64, machine: &Machine) -> Option<Warning> {
    let left = machine.left(threshold.signal)?;
    let amount = threshold.level(capacity);
    let clear_at = threshold.clear_at(capacity).value();
    (amount <= left && left < clear_at && clear_at <= capacity).then(|| {
        let unit = threshold.signal.unit();
        Warning(format!(
            "threshold {threshold} with its minimum reclaim asks for {clear_at} {unit}, and \
             {left} are left now: once met it may never be left"
        ))
    })
}

/// A soft threshold not above a hard one, where only the capacity tells:
/// one is a percentage, the other is not.
fn mixed_soft(soft: &Threshold, all: &[Threshold], capacity: i64) -> Option<Warning> {
    let is_share = |t: &Threshold| matches!(t.value, ThresholdValue::Percentage(_));
    let hard = all
        .iter()
        .filter(|t| t.is_hard() && is_share(t) != is_share(soft));
    let hard: Vec<Threshold> = hard.cloned().collect();
    soft_not_above_hard(soft, &hard, Some(capacity))
}

/// Whether the kernel runs out of memory before the threshold is met (failure F34).
fn within_reserve(threshold: &Threshold, machine: &Machine) -> Option<Warning> {
    let (reserve, capacity) = (machine.min_free_bytes?, machine.capacity(threshold.signal)?);
    let amount = threshold.level(capacity);
    let within = threshold.signal == Signal::MemoryAvailable && amount <= reserve;
    within.then(|| {
        Warning(format!(
            "threshold {threshold} ({}) is not above what the kernel keeps for itself \
             (vm.min_free_kbytes, {}): its OOM killer comes first",
            mib(amount),
            mib(reserve)
        ))
    })
}

/// Rounded to what people read: `26Mi`.
fn mib(bytes: i64) -> String {
    format!("{}Mi", bytes >> 20)
}

/// Whether so much of the memory is in no cgroup that the threshold is never met.
fn unreachable(threshold: &Threshold, source: MemorySource, machine: &Machine) -> Option<Warning> {
    let (never, capacity) = (
        machine.unaccounted_bytes?,
        machine.capacity(threshold.signal)?,
    );
    let amount = threshold.level(capacity);
    // On a large machine most of it is the kernel's caches, which shrink under pressure.
    let is_much = never > capacity / 10;
    let is_below = threshold.signal == Signal::MemoryAvailable && amount <= never && is_much;
    (is_below && source == MemorySource::Kubelet).then(|| {
        Warning(format!(
            "threshold {threshold} may never be met: {} of memory are neither free nor in a \
             cgroup, and count as available; --memory-available-source=min counts them as used",
            mib(never)
        ))
    })
}

/// A default that was made for larger machines.
fn above_a_tenth(threshold: &Threshold, machine: &Machine) -> Option<Warning> {
    let ThresholdValue::Quantity(amount) = &threshold.value else {
        return None;
    };
    let (amount, capacity) = (amount.value(), machine.capacity(threshold.signal)?);
    (amount > capacity / 10).then(|| {
        Warning(format!(
            "the default threshold {threshold} is more than a tenth of this machine's {}; \
             --eviction-hard sets another",
            mib(capacity)
        ))
    })
}

/// `RESERVED_PIDS` of the kernel's `pid.c`: ids below are given to the first processes
/// after the boot and never again once the ids have wrapped around, and yet count as
/// available.
const RESERVED_PIDS: i64 = 300;

/// Whether the kernel runs out of process ids before the threshold is met.
fn within_reserved_pids(threshold: &Threshold, machine: &Machine) -> Option<Warning> {
    if threshold.signal != Signal::PidAvailable {
        return None;
    }
    let capacity = machine.capacity(threshold.signal)?;
    let amount = threshold.level(capacity);
    (amount < RESERVED_PIDS).then(|| {
        Warning(format!(
            "threshold {threshold} ({amount} process ids) may never be met: once the ids have \
             wrapped around, the kernel hands out none below {RESERVED_PIDS}, so forks fail while \
             nearly {RESERVED_PIDS} seem available; ask for {RESERVED_PIDS} or more"
        ))
    })
}
