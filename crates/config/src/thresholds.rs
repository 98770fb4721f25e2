//! The four threshold lists, with the kubelet's defaults.

use evictd_node::{Signal, Unit};
use evictd_quantity::GoDuration;
use evictd_threshold::{Error, List, Pair, Pairs, Settings, Threshold, ThresholdValue};

use crate::texts::Texts;
use crate::values::{self, Parsed};
use crate::warning::soft_not_above_hard;
use crate::{Compat, Origin, Typed, Warning};

/// The kubelet's hard thresholds where none are given (decision D22).
pub(crate) const DEFAULT_HARD: [(Signal, &str); 5] = [
    (Signal::MemoryAvailable, "100Mi"),
    (Signal::NodefsAvailable, "10%"),
    (Signal::NodefsInodesFree, "5%"),
    (Signal::ImagefsAvailable, "15%"),
    (Signal::ImagefsInodesFree, "5%"),
];

const LOW_DISK: &str = "low-diskspace-threshold-mb";

/// The thresholds that the flags ask for, and where each came from.
pub(crate) struct Thresholds {
    pub(crate) thresholds: Vec<Threshold>,
    pub(crate) origins: Vec<Origin>,
}

pub(crate) fn resolve(
    typed: &Typed,
    merge_defaults: bool,
    compat: Compat,
    enforce_pods: bool,
    warnings: &mut Vec<Warning>,
) -> Parsed<Thresholds> {
    let texts = Texts::of(typed);
    let (hard, hard_origins) = hard_pairs(typed, &texts, merge_defaults, warnings)?;
    let parse = |list, text: &str| {
        Pairs::parse(list, text).map_err(|error| texts.error(&error, &Pairs::default()))
    };
    let settings = Settings {
        hard,
        soft: parse(List::Soft, &texts.soft)?,
        soft_grace_period: parse(List::SoftGracePeriod, &texts.grace)?,
        minimum_reclaim: parse(List::MinimumReclaim, &texts.reclaim)?,
        enforce_pods,
        own_signals: compat == Compat::Evictd,
    };
    let fail = |error: Error| texts.error(&error, &settings.soft_grace_period);
    let only_hard = Settings {
        hard: settings.hard.clone(),
        own_signals: settings.own_signals,
        ..Settings::default()
    };
    let hard = only_hard.thresholds().map_err(fail)?.len();
    let thresholds = settings.thresholds().map_err(fail)?;
    let copies = if enforce_pods { copied(&thresholds) } else { 0 };
    let soft = thresholds.len().saturating_sub(hard).saturating_sub(copies);
    let origins = thresholds.iter().enumerate().map(|(place, threshold)| {
        if place < hard {
            let found = hard_origins.iter().find(|(of, _)| *of == threshold.signal);
            found.map_or(typed.origin(List::Hard.flag()), |(_, origin)| *origin)
        } else if place < hard.saturating_add(soft) {
            typed.origin(List::Soft.flag())
        } else {
            Origin::Derived
        }
    });
    let origins = origins.collect();
    let (given, _) = thresholds
        .split_at_checked(hard.saturating_add(soft))
        .unwrap_or_default();
    let (hard, soft) = given.split_at_checked(hard).unwrap_or_default();
    warn(hard, soft, &settings, warnings);
    Ok(Thresholds {
        thresholds,
        origins,
    })
}

/// How many hard memory thresholds there are, each of which gets a copy for the
/// cgroup of all pods.
fn copied(thresholds: &[Threshold]) -> usize {
    let copied = |t: &&Threshold| t.signal == Signal::MemoryAvailable && t.is_hard();
    thresholds.iter().filter(copied).count()
}

type Origins = Vec<(Signal, Origin)>;

/// The hard list, with the defaults where it is not given or where they are to
/// be merged, and with the old disk flag.
fn hard_pairs(
    typed: &Typed,
    texts: &Texts,
    merge_defaults: bool,
    warnings: &mut Vec<Warning>,
) -> Parsed<(Pairs, Origins)> {
    let given = !typed.get(List::Hard.flag()).is_empty();
    let mut pairs = Pairs::parse(List::Hard, &texts.hard)
        .map_err(|error| texts.error(&error, &Pairs::default()))?;
    let mut origins = Vec::new();
    low_disk(typed, &mut pairs, &mut origins, warnings)?;
    let left_out = DEFAULT_HARD
        .iter()
        .filter(|(signal, _)| pairs.get(signal.name()).is_none());
    let left_out: Vec<(Signal, &'static str)> = left_out.copied().collect();
    if !given || merge_defaults {
        for (signal, value) in left_out {
            pairs.put(signal.name(), value, 0);
            origins.push((signal, Origin::Default));
        }
    } else if !left_out.is_empty() && !texts.hard.is_empty() {
        let name = typed.name_of(List::Hard.flag());
        let dropped = left_out
            .iter()
            .map(|(signal, value)| format!("{signal}<{value}"));
        let dropped: Vec<String> = dropped.collect();
        // As in the kubelet (decision D23).
        warnings.push(Warning(format!(
            "{name} replaces all defaults; no longer watched: {} (list them too, or add \
             --merge-default-eviction-settings)",
            dropped.join(", ")
        )));
    }
    Ok((pairs, origins))
}

/// `--low-diskspace-threshold-mb` where nothing newer says when disk is low
/// (decision D12).
fn low_disk(
    typed: &Typed,
    pairs: &mut Pairs,
    origins: &mut Origins,
    warnings: &mut Vec<Warning>,
) -> Parsed<()> {
    let Some(text) = typed.get(LOW_DISK).last() else {
        return Ok(());
    };
    let signal = Signal::NodefsAvailable;
    let megabytes = values::integer(LOW_DISK, text, 1..=i64::from(i32::MAX))?;
    let value = format!("{megabytes}Mi");
    let replaced = pairs.get(signal.name()).is_some();
    if !replaced {
        pairs.put(signal.name(), &value, 0);
        origins.push((signal, typed.origin(LOW_DISK)));
    }
    let instead = format!("--eviction-hard={signal}<{value}");
    warnings.push(Warning::deprecated(LOW_DISK, &instead, replaced));
    Ok(())
}

/// What is odd about thresholds, as far as it shows without the machine.
fn warn(hard: &[Threshold], soft: &[Threshold], settings: &Settings, warnings: &mut Vec<Warning>) {
    if hard.is_empty() && soft.is_empty() {
        let text = "no eviction threshold is set: nothing is ever evicted for one";
        warnings.push(Warning(text.to_owned()));
    }
    for (list, pairs) in [
        (List::Hard, &settings.hard),
        (List::Soft, &settings.soft),
        (List::MinimumReclaim, &settings.minimum_reclaim),
    ] {
        warnings.extend(pairs.iter().filter_map(|pair| byte_suffix(list, pair)));
    }
    for threshold in hard.iter().chain(soft) {
        if matches!(threshold.value, ThresholdValue::Percentage(f) if f.is_nan()) {
            let signal = threshold.signal;
            warnings.push(Warning(format!(
                "the threshold of {signal} is not a number (NaN) and never met"
            )));
        } else if evictd_threshold::names_containerfs(core::slice::from_ref(threshold)) {
            // They are derived (decision D24).
            warnings.push(Warning(format!(
                "threshold {threshold} is ignored: containerfs follows nodefs or imagefs"
            )));
        }
    }
    for soft in soft {
        if soft.grace == GoDuration::ZERO {
            // Decision D60.
            warnings.push(Warning(format!(
                "soft threshold {soft} has grace period 0s and acts as a hard one"
            )));
        } else {
            warnings.extend(soft_not_above_hard(soft, hard, None));
        }
    }
}

/// `nodefs.inodesFree<100Mi` is 104857600 inodes, which nobody means
/// (decision D5).
fn byte_suffix(list: List, pair: &Pair) -> Option<Warning> {
    let signal = Signal::from_name(&pair.key)?;
    if signal.unit() == Unit::Bytes || !pair.value.ends_with('i') {
        return None;
    }
    let quantity = evictd_quantity::Quantity::parse(&pair.value).ok()?;
    let (flag, unit, written) = (list.flag(), signal.unit(), &pair.value);
    Some(Warning(format!(
        "--{flag}: {signal} counts {unit}, and {written} is {} of them; write a plain number or a \
         percentage",
        quantity.value()
    )))
}
