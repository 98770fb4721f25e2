//! The four threshold lists, with the kubelet's defaults.

use evictd_node::{Resource, Signal};
use evictd_quantity::GoDuration;
use evictd_threshold::{Error, ErrorKind, List, Pair, Pairs, Settings, Threshold, ThresholdValue};

use crate::values::{self, DURATION_FORM, Parsed, signals_hint};
use crate::warning::soft_not_above_hard;
use crate::{ConfigError, Origin, Typed, Warning};

/// The kubelet's hard thresholds where none are given (decision D22).
pub(crate) const DEFAULT_HARD: [(Signal, &str); 5] = [
    (Signal::MemoryAvailable, "100Mi"),
    (Signal::NodefsAvailable, "10%"),
    (Signal::NodefsInodesFree, "5%"),
    (Signal::ImagefsAvailable, "15%"),
    (Signal::ImagefsInodesFree, "5%"),
];

pub(crate) const QUANTITY_FORM: &str =
    "an amount is a number, alone or with Ki Mi Gi Ti or k M G T: 100Mi, 1.5Gi";

const LOW_DISK: &str = "low-diskspace-threshold-mb";

/// The thresholds that the flags ask for, and where each came from.
pub(crate) struct Thresholds {
    pub(crate) thresholds: Vec<Threshold>,
    pub(crate) origins: Vec<Origin>,
}

pub(crate) fn resolve(
    typed: &Typed,
    merge_defaults: bool,
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
    };
    let fail = |error: Error| texts.error(&error, &settings.soft_grace_period);
    let only_hard = Settings {
        hard: settings.hard.clone(),
        ..Settings::default()
    };
    let hard = only_hard.thresholds().map_err(fail)?.len();
    let thresholds = settings.thresholds().map_err(fail)?;
    let copies = if enforce_pods { copied(&thresholds) } else { 0 };
    let soft = thresholds.len().saturating_sub(hard).saturating_sub(copies);
    let origins = thresholds.iter().enumerate().map(|(place, threshold)| {
        if place < hard {
            let found = hard_origins.iter().find(|(of, _)| *of == threshold.signal);
            found.map_or(Origin::Flag(List::Hard.flag()), |(_, origin)| *origin)
        } else if place < hard.saturating_add(soft) {
            Origin::Flag(List::Soft.flag())
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

/// The texts of the four lists, repeated flags joined.
struct Texts {
    hard: String,
    soft: String,
    grace: String,
    reclaim: String,
}

impl Texts {
    fn of(typed: &Typed) -> Self {
        Self {
            hard: typed.eviction_hard.join(","),
            soft: typed.eviction_soft.join(","),
            grace: typed.eviction_soft_grace_period.join(","),
            reclaim: typed.eviction_minimum_reclaim.join(","),
        }
    }

    fn get(&self, list: List) -> &str {
        match list {
            List::Hard => &self.hard,
            List::Soft => &self.soft,
            List::SoftGracePeriod => &self.grace,
            List::MinimumReclaim => &self.reclaim,
        }
    }

    fn error(&self, error: &Error, graces: &Pairs) -> ConfigError {
        let list = error.list();
        let position = position(error, self.get(list));
        let (message, hint) = if let ErrorKind::Quantity(inner) = error.kind() {
            (inner.kind().to_string(), hint(error))
        } else if let ErrorKind::MissingGrace(_) = error.kind() {
            (error.to_string(), self.missing_graces(graces))
        } else {
            (error.to_string(), hint(error))
        };
        ConfigError::new(list.flag(), (&error.offending(), position), message, hint)
    }

    /// Which graces to add, for all soft thresholds that lack one.
    fn missing_graces(&self, graces: &Pairs) -> String {
        let soft = Pairs::parse(List::Soft, &self.soft).unwrap_or_default();
        let missing: Vec<String> = soft
            .iter()
            .filter(|pair| graces.get(&pair.key).is_none() && !is_off(pair))
            .map(|pair| format!("{}=1m30s", pair.key))
            .collect();
        let flag = List::SoftGracePeriod.flag();
        format!("add {} (or other durations) to --{flag}", missing.join(","))
    }
}

/// Whether the pair switches its signal off (decision D27).
fn is_off(pair: &Pair) -> bool {
    pair.value == "0%" || pair.value == "100%"
}

/// From the start of the pair to the exact byte, where the error knows it.
fn position(error: &Error, text: &str) -> usize {
    let start = error.position();
    let pair = text.get(start..).unwrap_or("");
    let pair = pair.split(',').next().unwrap_or("");
    let blanks = |text: &str| text.len().saturating_sub(text.trim_start().len());
    let Some((key, value)) = pair.split_once(error.list().separator()) else {
        return start;
    };
    let value_at = key.len().saturating_add(1).saturating_add(blanks(value));
    let inner = if let ErrorKind::Quantity(inner) = error.kind() {
        inner.position()
    } else if let ErrorKind::Duration(inner) = error.kind() {
        inner.position()
    } else {
        0
    };
    let of_key = matches!(
        error.kind(),
        ErrorKind::UnsupportedSignal | ErrorKind::MissingGrace(_)
    );
    let at = if of_key {
        blanks(pair)
    } else {
        value_at.saturating_add(inner)
    };
    start.saturating_add(at)
}

fn hint(error: &Error) -> String {
    match error.kind() {
        ErrorKind::MalformedPair => match error.list() {
            List::Hard | List::Soft => {
                "write signal<amount, as in memory.available<100Mi or nodefs.available<10%; \
                 there is no other operator than <"
            }
            List::SoftGracePeriod => "write signal=duration, as in memory.available=1m30s",
            List::MinimumReclaim => "write signal=amount, as in nodefs.available=500Mi",
        }
        .to_owned(),
        ErrorKind::UnsupportedSignal => {
            let offending = error.offending();
            let name = offending.split(error.list().separator()).next();
            signals_hint(name.unwrap_or_default())
        }
        ErrorKind::Quantity(_) => format!("{QUANTITY_FORM}; or a percentage: 10%"),
        ErrorKind::NotPositive => "write more than 0; to switch the signal off, 0%".to_owned(),
        ErrorKind::Duration(_) => DURATION_FORM.to_owned(),
        ErrorKind::NegativeGrace => "write 0s or more".to_owned(),
        ErrorKind::ReclaimPercentageNotPositive => {
            "write more than 0%, or leave the signal out".to_owned()
        }
        ErrorKind::NegativeReclaim => "write 0 or more".to_owned(),
        ErrorKind::Percentage
        | ErrorKind::PercentageOutOfRange
        | ErrorKind::PercentageBelowZero
        | ErrorKind::PercentageAboveHundred
        | ErrorKind::MissingGrace(_)
        | _ => "a percentage is a number from 0 to 100 with % behind it: 10%; \
              0% switches the signal off"
            .to_owned(),
    }
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
    let given = !typed.eviction_hard.is_empty();
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
        warnings.push(Warning::DroppedDefaults(left_out));
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
    let Some(text) = typed.low_diskspace_threshold_mb.last() else {
        return Ok(());
    };
    let signal = Signal::NodefsAvailable;
    let megabytes = values::integer(LOW_DISK, text, 1..=i64::from(i32::MAX))?;
    let value = format!("{megabytes}Mi");
    let replaced = pairs.get(signal.name()).is_some();
    if !replaced {
        pairs.put(signal.name(), &value, 0);
        origins.push((signal, Origin::Flag(LOW_DISK)));
    }
    warnings.push(Warning::Deprecated {
        flag: LOW_DISK,
        instead: format!("--eviction-hard={signal}<{value}"),
        replaced,
    });
    Ok(())
}

/// What is odd about thresholds, as far as it shows without the machine.
fn warn(hard: &[Threshold], soft: &[Threshold], settings: &Settings, warnings: &mut Vec<Warning>) {
    if hard.is_empty() && soft.is_empty() {
        warnings.push(Warning::NoThresholds);
    }
    for (list, pairs) in [
        (List::Hard, &settings.hard),
        (List::Soft, &settings.soft),
        (List::MinimumReclaim, &settings.minimum_reclaim),
    ] {
        warnings.extend(pairs.iter().filter_map(|pair| byte_suffix(list, pair)));
    }
    for threshold in hard.iter().chain(soft) {
        let text = threshold.to_string();
        if matches!(threshold.value, ThresholdValue::Percentage(f) if f.is_nan()) {
            warnings.push(Warning::NeverMet(threshold.signal));
        } else if evictd_threshold::names_containerfs(core::slice::from_ref(threshold)) {
            warnings.push(Warning::ContainerfsIgnored(text));
        }
    }
    for soft in soft {
        if soft.grace == GoDuration::ZERO {
            warnings.push(Warning::SoftWithoutGrace(soft.to_string()));
        } else {
            warnings.extend(soft_not_above_hard(soft, hard, None));
        }
    }
}

/// `nodefs.inodesFree<100Mi` is 104857600 inodes, which nobody means
/// (decision D5).
fn byte_suffix(list: List, pair: &Pair) -> Option<Warning> {
    let signal = Signal::from_name(&pair.key)?;
    let counts = matches!(signal.resource(), Resource::Inodes | Resource::Pids);
    if !counts || !pair.value.ends_with('i') {
        return None;
    }
    let quantity = evictd_quantity::Quantity::parse(pair.value.as_bytes()).ok()?;
    Some(Warning::ByteSuffix {
        flag: list.flag(),
        signal,
        written: pair.value.clone(),
        count: quantity.value(),
    })
}
