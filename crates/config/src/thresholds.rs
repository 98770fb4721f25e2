//! The four threshold lists, with the kubelet's defaults.

use core::iter::repeat_n;

use evictd_node::{Filesystem, Signal, Unit};
use evictd_quantity::{GoDuration, Quantity};
use evictd_threshold::{List, Lists, Operator, Pair, Pairs, Threshold, ThresholdValue};

use crate::texts::{explain, is_off, joined};
use crate::values::{self, INT32, Parsed};
use crate::warning::soft_not_above_hard;
use crate::{Compat, Origin, Typed, Warning};

const DEFAULT_HARD: [(Signal, &str); 6] = [
    (Signal::MemoryAvailable, "100Mi"),
    (Signal::NodefsAvailable, "10%"),
    (Signal::NodefsInodesFree, "5%"),
    (Signal::ImagefsAvailable, "15%"),
    (Signal::ImagefsInodesFree, "5%"),
    (Signal::MemoryStall, "40%"),
];

/// The hard thresholds where none are given: the kubelet's (decision D22), and where evictd is
/// not to behave as a kubelet one of lost time (D48).
pub(crate) fn default_hard(compat: Compat) -> Vec<(Signal, &'static str)> {
    let is_known =
        |(signal, _): &(Signal, _)| compat == Compat::Evictd || signal.is_known_to_kubelet();
    DEFAULT_HARD.into_iter().filter(is_known).collect()
}

const LOW_DISK: &str = "low-diskspace-threshold-mb";

/// The thresholds that the flags ask for, and where each came from.
pub(crate) fn resolve(
    typed: &Typed,
    merge_defaults: bool,
    compat: Compat,
    enforce_pods: bool,
    warnings: &mut Vec<Warning>,
) -> Parsed<(Vec<Threshold>, Vec<Origin>)> {
    let fail = |error| explain(typed, &error);
    let (hard_text, hard_origins) = hard_list(typed, (merge_defaults, compat), warnings)?;
    let lists = Lists {
        hard: &hard_text,
        soft: &joined(typed, List::Soft),
        soft_grace_period: &joined(typed, List::SoftGracePeriod),
        minimum_reclaim: &joined(typed, List::MinimumReclaim),
        enforce_pods,
        own_signals: compat == Compat::Evictd,
    };
    let thresholds = evictd_threshold::parse(&lists).map_err(fail)?;

    let is_copied = |t: &&Threshold| t.signal == Signal::MemoryAvailable && t.is_hard();
    let copies = thresholds.iter().filter(is_copied).count();
    let copies = if enforce_pods { copies } else { 0 };
    let soft = Pairs::parse(List::Soft, lists.soft).map_err(fail)?;
    let soft = soft.iter().filter(|pair| !is_off(pair)).count();
    let hard = thresholds.len().saturating_sub(copies).saturating_sub(soft);
    let (hard, rest) = thresholds.split_at_checked(hard).unwrap_or_default();
    let (soft, copies) = rest.split_at_checked(soft).unwrap_or_default();
    let of_hard = |threshold: &Threshold| {
        let found = hard_origins.iter().find(|(of, _)| *of == threshold.signal);
        found.map_or(typed.origin(List::Hard.flag()), |(_, origin)| *origin)
    };
    let of_soft = repeat_n(typed.origin(List::Soft.flag()), soft.len());
    let of_copies = repeat_n(Origin::Derived, copies.len());
    let origins = hard.iter().map(of_hard).chain(of_soft).chain(of_copies);
    let origins = origins.collect();
    warn(hard, soft, &lists, warnings);
    Ok((thresholds, origins))
}

type Origins = Vec<(Signal, Origin)>;

/// The hard list, with the defaults where it is not given or where they are to
/// be merged, and with the old disk flag; and where what was added came from.
fn hard_list(
    typed: &Typed,
    (merge_defaults, compat): (bool, Compat),
    warnings: &mut Vec<Warning>,
) -> Parsed<(String, Origins)> {
    let mut list = joined(typed, List::Hard);
    let pairs = Pairs::parse(List::Hard, &list).map_err(|error| explain(typed, &error))?;
    let mut origins = Vec::new();
    let mut left_out = default_hard(compat);
    left_out.retain(|(signal, _)| pairs.get(signal.name()).is_none());
    let is_empty = list.is_empty();
    // Where nothing newer says when disk is low (decision D12).
    if let Some(text) = typed.get(LOW_DISK).last() {
        let signal = Signal::NodefsAvailable;
        let megabytes = values::integer(LOW_DISK, text, (1, INT32.1))?;
        let pair = format!("{signal}<{megabytes}Mi");
        if pairs.get(signal.name()).is_none() {
            list = format!("{list},{pair}");
            origins.push((signal, typed.origin(LOW_DISK)));
            left_out.retain(|(of, _)| *of != signal);
        }
    }
    let left_out_pairs: Vec<String> = left_out
        .iter()
        .map(|(signal, value)| format!("{signal}{}{value}", Operator::of(*signal).sign()))
        .collect();
    if typed.get(List::Hard.flag()).is_empty() || merge_defaults {
        list = format!("{list},{}", left_out_pairs.join(","));
        origins.extend(left_out.iter().map(|(of, _)| (*of, Origin::Default)));
    } else if !left_out.is_empty() && !is_empty {
        // As in the kubelet (decision D23).
        warnings.push(Warning(format!(
            "{} replaces all defaults; no longer watched: {} (list them too, or add \
             --merge-default-eviction-settings)",
            typed.name_of(List::Hard.flag()),
            left_out_pairs.join(", ")
        )));
    }
    Ok((list, origins))
}

/// What is odd about thresholds, as far as it shows without the machine.
fn warn(hard: &[Threshold], soft: &[Threshold], lists: &Lists<'_>, warnings: &mut Vec<Warning>) {
    if hard.is_empty() && soft.is_empty() {
        let text = "no eviction threshold is set: nothing is ever evicted for one";
        warnings.push(Warning(text.to_owned()));
    }
    for (list, text) in [
        (List::Hard, lists.hard),
        (List::Soft, lists.soft),
        (List::MinimumReclaim, lists.minimum_reclaim),
    ] {
        let pairs = Pairs::parse(list, text).unwrap_or_default();
        warnings.extend(pairs.iter().filter_map(|pair| byte_suffix(list, pair)));
    }
    for threshold in hard.iter().chain(soft) {
        if matches!(threshold.value, ThresholdValue::Percentage(f) if f.is_nan()) {
            let signal = threshold.signal;
            warnings.push(Warning(format!(
                "the threshold of {signal} is not a number (NaN) and never met"
            )));
        } else if threshold.signal.filesystem() == Some(Filesystem::Containerfs) {
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
    let quantity = Quantity::parse(&pair.value).ok()?;
    let (flag, unit, written) = (list.flag(), signal.unit(), &pair.value);
    Some(Warning(format!(
        "--{flag}: {signal} counts {unit}, and {written} is {} of them; write a plain number or a \
         percentage",
        quantity.value()
    )))
}
