use alloc::vec::Vec;

use evictd_node::Signal;
use evictd_quantity::{GoDuration, Quantity};

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

/// The same lists, already split into pairs.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// See [`Lists::hard`].
    pub hard: Pairs,
    /// See [`Lists::soft`].
    pub soft: Pairs,
    /// See [`Lists::soft_grace_period`].
    pub soft_grace_period: Pairs,
    /// See [`Lists::minimum_reclaim`].
    pub minimum_reclaim: Pairs,
    /// See [`Lists::enforce_pods`].
    pub enforce_pods: bool,
    /// See [`Lists::own_signals`].
    pub own_signals: bool,
}

/// The thresholds that the lists ask for: hard ones first, then soft ones, then
/// the copies for the cgroup of all pods.
///
/// # Errors
/// The first thing that is wrong, in the kubelet's wording.
pub fn parse(lists: &Lists<'_>) -> Result<Vec<Threshold>, Error> {
    Settings {
        hard: Pairs::parse(List::Hard, lists.hard)?,
        soft: Pairs::parse(List::Soft, lists.soft)?,
        soft_grace_period: Pairs::parse(List::SoftGracePeriod, lists.soft_grace_period)?,
        minimum_reclaim: Pairs::parse(List::MinimumReclaim, lists.minimum_reclaim)?,
        enforce_pods: lists.enforce_pods,
        own_signals: lists.own_signals,
    }
    .thresholds()
}

impl Settings {
    /// The thresholds that these settings ask for (K: `ParseThresholdConfig`).
    ///
    /// # Errors
    /// The first value that is wrong. Grace periods and minimum reclaims are
    /// checked too where no threshold uses them.
    pub fn thresholds(&self) -> Result<Vec<Threshold>, Error> {
        let mut thresholds = self.parse_thresholds(List::Hard, &self.hard)?;
        let soft = self.parse_thresholds(List::Soft, &self.soft)?;
        let graces = self.parse_grace_periods()?;
        let reclaims = self.parse_minimum_reclaims()?;
        for mut threshold in soft {
            let grace = of(&graces, threshold.signal);
            threshold.grace = *grace.ok_or_else(|| missing_grace(&self.soft, threshold.signal))?;
            thresholds.push(threshold);
        }
        for threshold in &mut thresholds {
            threshold.min_reclaim = of(&reclaims, threshold.signal).cloned();
        }
        if self.enforce_pods {
            copy_to_allocatable(&mut thresholds);
        }
        Ok(thresholds)
    }

    fn parse_thresholds(&self, list: List, pairs: &Pairs) -> Result<Vec<Threshold>, Error> {
        let thresholds = pairs.iter().filter_map(|pair| {
            let threshold = self
                .signal(list, pair)
                .and_then(|signal| parse_threshold(list, signal, pair));
            threshold.transpose()
        });
        thresholds.collect()
    }

    fn parse_grace_periods(&self) -> Result<Vec<(Signal, GoDuration)>, Error> {
        let list = List::SoftGracePeriod;
        let parse = |pair: &Pair| {
            let signal = self.signal(list, pair)?;
            let grace = GoDuration::parse(&pair.value)
                .map_err(|error| Error::of(list, ErrorKind::Duration(error), pair))?;
            if grace.nanos() < 0 {
                return Err(Error::of(list, ErrorKind::NegativeGrace, pair));
            }
            Ok((signal, grace))
        };
        self.soft_grace_period.iter().map(parse).collect()
    }

    fn parse_minimum_reclaims(&self) -> Result<Vec<(Signal, ThresholdValue)>, Error> {
        let list = List::MinimumReclaim;
        let parse = |pair: &Pair| {
            let signal = self.signal(list, pair)?;
            let fail = |kind| Err(Error::of(list, kind, pair));
            if pair.value.ends_with('%') {
                let fraction = percentage(list, pair)?;
                if fraction <= 0.0 {
                    return fail(ErrorKind::ReclaimPercentageNotPositive);
                }
                return Ok((signal, ThresholdValue::Percentage(fraction)));
            }
            let quantity = quantity(list, pair)?;
            if quantity.signum() < 0 {
                return fail(ErrorKind::NegativeReclaim);
            }
            Ok((signal, ThresholdValue::Quantity(quantity)))
        };
        self.minimum_reclaim.iter().map(parse).collect()
    }

    fn signal(&self, list: List, pair: &Pair) -> Result<Signal, Error> {
        Signal::from_name(&pair.key)
            .filter(|signal| self.own_signals || signal.is_known_to_kubelet())
            .ok_or_else(|| Error::of(list, ErrorKind::UnsupportedSignal, pair))
    }
}

fn missing_grace(soft: &Pairs, signal: Signal) -> Error {
    let kind = ErrorKind::MissingGrace(signal);
    match soft.get(signal.name()) {
        Some(pair) => Error::of(List::Soft, kind, pair),
        None => Error::new(List::Soft, kind, signal.name(), 0),
    }
}

fn of<T>(by_signal: &[(Signal, T)], signal: Signal) -> Option<&T> {
    by_signal
        .iter()
        .find(|(of, _)| *of == signal)
        .map(|(_, value)| value)
}

/// One threshold; `None` for `0%` and `100%`, spelled exactly so, which switch
/// the signal off (decision D27).
fn parse_threshold(list: List, signal: Signal, pair: &Pair) -> Result<Option<Threshold>, Error> {
    let fail = |kind| Err(Error::of(list, kind, pair));
    let value = if pair.value.ends_with('%') {
        if pair.value == "0%" || pair.value == "100%" {
            return Ok(None);
        }
        let fraction = percentage(list, pair)?;
        if fraction < 0.0 {
            return fail(ErrorKind::PercentageBelowZero);
        }
        if fraction > 1.0 {
            return fail(ErrorKind::PercentageAboveHundred);
        }
        ThresholdValue::Percentage(fraction)
    } else {
        let quantity = quantity(list, pair)?;
        if quantity.signum() <= 0 {
            return fail(ErrorKind::NotPositive);
        }
        ThresholdValue::Quantity(quantity)
    };
    Ok(Some(Threshold {
        signal,
        operator: Some(Operator::LessThan),
        value,
        grace: GoDuration::ZERO,
        min_reclaim: None,
    }))
}

fn quantity(list: List, pair: &Pair) -> Result<Quantity, Error> {
    Quantity::parse(&pair.value).map_err(|error| Error::of(list, ErrorKind::Quantity(error), pair))
}

fn percentage(list: List, pair: &Pair) -> Result<f32, Error> {
    percent::parse(&pair.value).map_err(|kind| Error::of(list, kind, pair))
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
