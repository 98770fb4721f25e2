use alloc::format;
use alloc::vec::Vec;

use evictd_node::{Signal, Unit};
use evictd_quantity::{Format, GoDuration, Quantity};

use crate::error::MOST_VALUE_BYTES;
use crate::{Error, ErrorKind, List, Operator, Pair, Pairs, Threshold, ThresholdValue, percent};

/// The four lists as flags write them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lists<'a> {
    /// `signal<value` pairs that act at once.
    pub hard: &'a str,
    /// `signal<value` pairs that act after their grace period.
    pub soft: &'a str,
    /// `signal=duration` pairs, one for each soft signal.
    pub soft_grace_period: &'a str,
    /// `signal=value` pairs.
    pub minimum_reclaim: &'a str,
    /// Whether `enforce-node-allocatable` contains `pods`, which copies each hard
    /// memory threshold to the cgroup of all pods.
    pub enforce_pods: bool,
    /// Whether the signals that evictd adds to the kubelet's are known.
    pub own_signals: bool,
}

impl<'a> Lists<'a> {
    /// Hard thresholds alone.
    #[must_use]
    pub fn of_hard(hard: &'a str) -> Self {
        Self {
            hard,
            ..Self::default()
        }
    }
}

/// The thresholds that the lists ask for: hard ones first, then soft ones, then
/// the copies for the cgroup of all pods (K: `ParseThresholdConfig`).
///
/// # Errors
/// The first thing that is wrong, in the kubelet's wording. Grace periods and minimum
/// reclaims are checked too where no threshold uses them.
pub fn parse(lists: &Lists<'_>) -> Result<Vec<Threshold>, Error> {
    // All lists are taken apart before a value is read.
    let hard = Pairs::parse(List::Hard, lists.hard)?;
    let soft = Pairs::parse(List::Soft, lists.soft)?;
    let graces = Pairs::parse(List::SoftGracePeriod, lists.soft_grace_period)?;
    let reclaims = Pairs::parse(List::MinimumReclaim, lists.minimum_reclaim)?;
    let own = lists.own_signals;
    let hard_values = read(List::Hard, &hard, own, parse_amount)?;
    let soft_values = read(List::Soft, &soft, own, parse_amount)?;
    let graces = read(List::SoftGracePeriod, &graces, own, parse_grace)?;
    let reclaims = read(List::MinimumReclaim, &reclaims, own, parse_reclaim)?;

    let threshold = |signal, value, grace| Threshold {
        signal,
        operator: Some(Operator::of(signal)),
        value,
        grace,
        min_reclaim: of(&reclaims, signal).cloned(),
    };
    let mut thresholds = Vec::new();
    for (signal, _, value) in hard_values {
        thresholds.extend(value.map(|value| threshold(signal, value, GoDuration::ZERO)));
    }
    for (signal, pair, value) in soft_values {
        let Some(value) = value else { continue };
        let missing = || Error::of(List::Soft, ErrorKind::MissingGrace(signal), pair);
        let grace = of(&graces, signal).ok_or_else(missing)?;
        thresholds.push(threshold(signal, value, *grace));
    }
    if lists.enforce_pods {
        copy_to_allocatable(&mut thresholds);
    }
    Ok(thresholds)
}

/// The values of a list, each with its signal and its pair.
fn read<'a, T>(
    list: List,
    pairs: &'a Pairs,
    own_signals: bool,
    parse: fn(Signal, &str) -> Result<T, ErrorKind>,
) -> Result<Vec<(Signal, &'a Pair, T)>, Error> {
    let parse = |pair: &'a Pair| {
        let signal = signal_of(list, pair, own_signals)?;
        let length = pair.value.len();
        let value = match length {
            0..=MOST_VALUE_BYTES => parse(signal, &pair.value),
            _ => Err(ErrorKind::TooLong(length)),
        };
        let value = value.map_err(|kind| Error::of(list, kind, pair))?;
        Ok((signal, pair, value))
    };
    pairs.iter().map(parse).collect()
}

fn signal_of(list: List, pair: &Pair, own_signals: bool) -> Result<Signal, Error> {
    if pair.separator == Operator::GreaterThan.sign() && !own_signals {
        let piece = format!("{}>{}", pair.key, pair.value);
        return Err(Error::malformed(list, &piece, pair.at));
    }
    let signal = Signal::from_name(&pair.key)
        .filter(|signal| own_signals || signal.is_known_to_kubelet())
        .ok_or_else(|| Error::of(list, ErrorKind::UnsupportedSignal, pair))?;
    if signal.grows_with_trouble() && pair.separator == Operator::LessThan.sign() {
        return Err(Error::of(list, ErrorKind::LessThan, pair));
    }
    Ok(signal)
}

fn of<'a, T>(values: &'a [(Signal, &Pair, T)], signal: Signal) -> Option<&'a T> {
    let found = values.iter().find(|(of, ..)| *of == signal);
    found.map(|(.., value)| value)
}

/// The amount of a threshold; `None` for `0%` and `100%`, spelled exactly so, which
/// switch the signal off (decision D27).
fn parse_amount(signal: Signal, text: &str) -> Result<Option<ThresholdValue>, ErrorKind> {
    if text == "0%" || text == "100%" {
        return Ok(None);
    }
    if signal.unit() == Unit::Percent {
        return parse_percent(text).map(Some);
    }
    let value = parse_value(text)?;
    match &value {
        ThresholdValue::Percentage(share) if *share < 0.0 => Err(ErrorKind::PercentageBelowZero),
        ThresholdValue::Percentage(share) if *share > 1.0 => Err(ErrorKind::PercentageAboveHundred),
        ThresholdValue::Quantity(amount) if amount.signum() <= 0 => Err(ErrorKind::NotPositive),
        ThresholdValue::Percentage(_) | ThresholdValue::Quantity(_) => Ok(Some(value)),
    }
}

/// `40%` as 40, of a signal that counts percent.
fn parse_percent(text: &str) -> Result<ThresholdValue, ErrorKind> {
    let number = text
        .strip_suffix('%')
        .and_then(|number| number.parse().ok());
    let percent: u8 = number.ok_or(ErrorKind::NotWholePercent)?;
    if percent > 100 {
        return Err(ErrorKind::PercentageAboveHundred);
    }
    let percent = Quantity::from_int(i64::from(percent), Format::DecimalSi);
    Ok(ThresholdValue::Quantity(percent))
}

fn parse_grace(_: Signal, text: &str) -> Result<GoDuration, ErrorKind> {
    let grace = GoDuration::parse(text).map_err(ErrorKind::Duration)?;
    if grace < GoDuration::ZERO {
        return Err(ErrorKind::NegativeGrace);
    }
    Ok(grace)
}

fn parse_reclaim(signal: Signal, text: &str) -> Result<ThresholdValue, ErrorKind> {
    if signal.unit() == Unit::Percent {
        return Err(ErrorKind::NothingToReclaim);
    }
    let value = parse_value(text)?;
    match &value {
        ThresholdValue::Percentage(share) if *share <= 0.0 => {
            Err(ErrorKind::ReclaimPercentageNotPositive)
        }
        ThresholdValue::Quantity(amount) if amount.signum() < 0 => Err(ErrorKind::NegativeReclaim),
        ThresholdValue::Percentage(_) | ThresholdValue::Quantity(_) => Ok(value),
    }
}

fn parse_value(text: &str) -> Result<ThresholdValue, ErrorKind> {
    if text.ends_with('%') {
        return percent::parse(text).map(ThresholdValue::Percentage);
    }
    let quantity = Quantity::parse(text).map_err(ErrorKind::Quantity)?;
    Ok(ThresholdValue::Quantity(quantity))
}

fn copy_to_allocatable(thresholds: &mut Vec<Threshold>) {
    let copies: Vec<Threshold> = thresholds
        .iter()
        .filter(|t| t.signal == Signal::MemoryAvailable && t.is_hard())
        .map(|t| Threshold {
            signal: Signal::AllocatableMemoryAvailable,
            ..t.clone()
        })
        .collect();
    thresholds.extend(copies);
}
