//! When images and dead containers are collected.

use evictd_gc::{ContainerPolicy, ImagePolicy, KeepPattern};
use evictd_node::{KubeletVersion, Signal};
use evictd_quantity::GoDuration;
use evictd_threshold::{Threshold, ThresholdValue};

use crate::behaviour::Behaviour;
use crate::book::Book;
use crate::compat::Difference;
use crate::values::{self, INT32, Parsed, std_duration};
use crate::{ConfigError, ImageGc, Warning};

const HIGH: &str = "image-gc-high-threshold";
const LOW: &str = "image-gc-low-threshold";
const MIN_AGE: &str = "minimum-image-ttl-duration";
const MAX_AGE: &str = "maximum-image-gc-age";
const KEEP: &str = "keep-image";

/// The image flags, checked as the kubelet does (K: `validation.go`).
pub(crate) fn images(behaviour: &Behaviour, book: &mut Book<'_>) -> Parsed<ImageGc> {
    let high_percent = book.integer(HIGH, INT32)?;
    let low_percent = book.integer(LOW, INT32)?;
    let min_age = book.value(MIN_AGE, values::duration)?;
    let max_age = book.value(MAX_AGE, values::duration)?;
    check_percents(high_percent, low_percent, book)?;
    check_ages(min_age, max_age, book)?;
    if behaviour.compat.version() >= KubeletVersion::V1_36 && min_age < GoDuration::ZERO {
        let message = format!("imageMinimumGCAge {min_age} must not be negative");
        return Err(book.error(MIN_AGE, message, "write 0s or more"));
    }
    negative_is_none(MIN_AGE, min_age, book);
    Ok(ImageGc {
        policy: ImagePolicy {
            high_percent,
            low_percent,
            min_age: std_duration(min_age),
            max_age: (max_age > GoDuration::ZERO).then(|| std_duration(max_age)),
        },
        reclaims_all: behaviour.has(Difference::ReclaimAllImages),
        keep: keep(book)?,
        keep_local: !behaviour.has(Difference::CollectLocalImages),
    })
}

fn check_percents(high: i64, low: i64, book: &Book<'_>) -> Parsed<()> {
    let high_name = format!("imageGCHighThresholdPercent (--{HIGH}) {high}");
    let low_name = format!("imageGCLowThresholdPercent (--{LOW}) {low}");
    for (flag, percent, name) in [(HIGH, high, &high_name), (LOW, low, &low_name)] {
        if !(0..=100).contains(&percent) {
            let message = format!("{name} must be between 0 and 100, inclusive");
            let hint = "a percentage of the filesystem without a sign: 85";
            return Err(book.error(flag, message, hint));
        }
    }
    if low < high {
        return Ok(());
    }
    // The error names one that was given: the other may be the default.
    let given = book.last(LOW).map_or(HIGH, |_| LOW);
    let message = format!("{low_name} must be less than {high_name}");
    let hint = "images are deleted from the high one down to the low one: give both";
    Err(book.error(given, message, hint))
}

fn check_ages(least: GoDuration, most: GoDuration, book: &Book<'_>) -> Parsed<()> {
    let off = "0s to switch it off";
    let (message, hint) = if most == GoDuration::ZERO {
        return Ok(());
    } else if book.typed.facts.no_image_max_age {
        let message = "ImageMaximumGCAge feature gate is required for Kubelet configuration option \
                       imageMaximumGCAge";
        let hint = "leave featureGates[ImageMaximumGCAge] out, or write true there";
        (message.to_owned(), hint.to_owned())
    } else if most < GoDuration::ZERO {
        let message = format!("imageMaximumGCAge {most} must not be negative");
        (message, format!("write {off}"))
    } else if most <= least {
        let message =
            format!("imageMaximumGCAge {most} must be greater than imageMinimumGCAge {least}");
        (message, format!("write more than {least}, or {off}"))
    } else {
        return Ok(());
    };
    Err(book.error(MAX_AGE, message, hint))
}

/// The kubelet takes a negative duration here, and it acts as none at all.
pub(crate) fn negative_is_none(flag: &'static str, value: GoDuration, book: &mut Book<'_>) {
    if value < GoDuration::ZERO {
        let text = format!("--{flag}: {value} is negative and counts as 0s");
        book.warnings.push(Warning(text));
    }
}

/// The first threshold that is met before images are collected, so that pods
/// may be evicted for space that images hold (decision D56).
pub(crate) fn pressure_comes_first(thresholds: &[Threshold], images: &ImageGc) -> Option<Warning> {
    let high_percent = images.policy.high_percent;
    // At 100 percent nothing is collected, so nothing comes before it.
    let free = u8::try_from(100 - high_percent)
        .ok()
        .filter(|free| *free > 0)?;
    let first = |t: &&Threshold| match t.value {
        ThresholdValue::Percentage(share) => {
            t.signal == Signal::ImagefsAvailable && share > f32::from(free) / 100.0
        }
        ThresholdValue::Quantity(_) => false,
    };
    let threshold = thresholds.iter().find(first)?;
    Some(Warning(format!(
        "threshold {threshold} is met before {high_percent}% are used, where images are \
         collected: the filesystem is under pressure first (--image-gc-high-threshold)"
    )))
}

/// All that were given, each a pattern that a name can match.
fn keep(book: &mut Book<'_>) -> Parsed<Vec<KeepPattern>> {
    let parse = |text: &String| {
        KeepPattern::parse(text.as_bytes()).map_err(|error| {
            let hint = "a name as docker image ls prints it, with * and ?: redis, quay.io/me/*";
            ConfigError::new(KEEP, (text, error.at), error.to_string(), hint)
        })
    };
    let texts = book.texts(KEEP);
    let patterns = texts.iter().map(parse).collect::<Parsed<_>>()?;
    book.note(KEEP, &texts.join(" "), book.typed.origin(KEEP));
    Ok(patterns)
}

/// The container flags, which the kubelet calls deprecated and obeys (decision D11).
pub(crate) fn containers(book: &mut Book<'_>) -> Parsed<ContainerPolicy> {
    const TOTAL: &str = "maximum-dead-containers";
    const EACH: &str = "maximum-dead-containers-per-container";
    const TTL: &str = "minimum-container-ttl-duration";
    // Below zero there is no limit.
    let max_containers = usize::try_from(book.integer(TOTAL, INT32)?).ok();
    let max_per_pod_container = usize::try_from(book.integer(EACH, INT32)?).ok();
    let min_age = book.value(TTL, values::duration)?;
    // K: `NewContainerGC`.
    if min_age < GoDuration::ZERO {
        let message = format!("invalid minimum garbage collection age: {min_age}");
        return Err(book.error(TTL, message, "write 0s or more"));
    }
    Ok(ContainerPolicy {
        max_containers,
        max_per_pod_container,
        min_age: std_duration(min_age),
    })
}
