//! When images and dead containers are collected.

use core::time::Duration;

use evictd_gc::{ContainerPolicy, ImagePolicy, KeepPattern, Reclaim};
use evictd_node::Signal;
use evictd_quantity::GoDuration;
use evictd_threshold::{Threshold, ThresholdValue};

use crate::book::Book;
use crate::values::{Parsed, std_duration};
use crate::{ConfigError, ImageGc, Origin, Warning};

const HIGH: &str = "image-gc-high-threshold";
const LOW: &str = "image-gc-low-threshold";
const MIN_AGE: &str = "minimum-image-ttl-duration";
const MAX_AGE: &str = "maximum-image-gc-age";
const KEEP: &str = "keep-image";

const TWO_MINUTES: GoDuration = GoDuration::from_nanos(120_000_000_000);
const INT32: (i64, i64) = (-2_147_483_648, 2_147_483_647);

/// The image flags, checked as the kubelet does (K: `validation.go`).
pub(crate) fn images(book: &mut Book<'_>) -> ImageGc {
    let high = book.integer(HIGH, (85, Origin::Default), INT32);
    let low = book.integer(LOW, (80, Origin::Default), INT32);
    let least = GoDuration::from_nanos(i64::MIN);
    let min_age = book.duration(MIN_AGE, (TWO_MINUTES, Origin::Default), least);
    let max_age = book.duration(MAX_AGE, (GoDuration::ZERO, Origin::Default), least);
    let percents = book.settle(percents(high, low, book), (85, 80));
    book.settle(ages(min_age, max_age, book), ());
    negative_is_none(MIN_AGE, min_age, book);
    let words = [("all", Reclaim::All), ("until-clear", Reclaim::UntilClear)];
    let otherwise = (Reclaim::All, Origin::Default);
    ImageGc {
        policy: ImagePolicy {
            high_percent: percents.0,
            low_percent: percents.1,
            min_age: std_duration(min_age),
            max_age: (max_age > GoDuration::ZERO).then(|| std_duration(max_age)),
            reclaim: book.word("eviction-image-reclaim", otherwise, &words),
        },
        keep: keep(book),
        keep_local: book.switch("keep-local-images"),
    }
}

fn percents(high: i64, low: i64, book: &Book<'_>) -> Parsed<(i64, i64)> {
    let high_name = format!("imageGCHighThresholdPercent (--{HIGH}) {high}");
    let low_name = format!("imageGCLowThresholdPercent (--{LOW}) {low}");
    let fail = |flag, message, hint: &str| {
        let place = (book.last(flag).unwrap_or_default(), 0);
        Err(ConfigError::new(flag, place, message, hint))
    };
    let is_percent = |value| (0..=100).contains(&value);
    let range = |name| format!("{name} must be between 0 and 100, inclusive");
    const FORM: &str = "a percentage of the filesystem without a sign: 85";
    if !is_percent(high) {
        fail(HIGH, range(&high_name), FORM)
    } else if !is_percent(low) {
        fail(LOW, range(&low_name), FORM)
    } else if low < high {
        Ok((high, low))
    } else {
        // The error names one that was given: the other may be the default.
        let is_given = !book.texts(LOW).is_empty();
        let given = if is_given { LOW } else { HIGH };
        let message = format!("{low_name} must be less than {high_name}");
        let hint = "images are deleted from the high one down to the low one: give both";
        fail(given, message, hint)
    }
}

fn ages(least: GoDuration, most: GoDuration, book: &Book<'_>) -> Parsed<()> {
    let fail = |problem: String, hint: &str| {
        let place = (book.last(MAX_AGE).unwrap_or_default(), 0);
        let message = format!("imageMaximumGCAge {most} {problem}");
        Err(ConfigError::new(MAX_AGE, place, message, hint))
    };
    if most != GoDuration::ZERO && book.facts().no_image_max_age {
        let place = (book.last(MAX_AGE).unwrap_or_default(), 0);
        let message = "ImageMaximumGCAge feature gate is required for Kubelet configuration option \
                       imageMaximumGCAge";
        let hint = "leave featureGates[ImageMaximumGCAge] out, or write true there";
        return Err(ConfigError::new(MAX_AGE, place, message.to_owned(), hint));
    }
    if most < GoDuration::ZERO {
        return fail(
            "must not be negative".to_owned(),
            "write 0s to switch it off",
        );
    }
    if most > GoDuration::ZERO && most <= least {
        let problem = format!("must be greater than imageMinimumGCAge {least}");
        let hint = format!("write more than {least}, or 0s to switch it off");
        return fail(problem, &hint);
    }
    Ok(())
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
fn keep(book: &mut Book<'_>) -> Vec<KeepPattern> {
    let parse = |text: &String| {
        KeepPattern::parse(text.as_bytes()).map_err(|error| {
            let hint = "a name as the runtime lists it, with * for any part: docker.io/library/*";
            ConfigError::new(KEEP, (text, error.at), error.to_string(), hint)
        })
    };
    let texts = book.texts(KEEP);
    let patterns = book.settle(texts.iter().map(parse).collect(), Vec::new());
    let origin = book.origin(KEEP);
    book.note(KEEP, &texts.join(" "), origin);
    patterns
}

/// The container flags, which the kubelet calls deprecated and obeys (decision D11).
pub(crate) fn containers(book: &mut Book<'_>) -> ContainerPolicy {
    const TOTAL: &str = "maximum-dead-containers";
    const EACH: &str = "maximum-dead-containers-per-container";
    const TTL: &str = "minimum-container-ttl-duration";
    for flag in [TOTAL, EACH, TTL] {
        if !book.texts(flag).is_empty() {
            book.warnings.push(Warning(format!(
                "Flag --{flag} has been deprecated, use --eviction-hard or --eviction-soft \
                 instead (evictd obeys it nevertheless)"
            )));
        }
    }
    // Below zero there is no limit.
    let limit = |value: i64| u32::try_from(value).ok();
    ContainerPolicy {
        max_containers: limit(book.integer(TOTAL, (-1, Origin::Default), INT32)),
        max_per_pod_container: limit(book.integer(EACH, (1, Origin::Default), INT32)),
        min_age: min_container_age(TTL, book),
    }
}

/// K: `NewContainerGC` refuses a negative age.
fn min_container_age(flag: &'static str, book: &mut Book<'_>) -> Duration {
    let least = GoDuration::from_nanos(i64::MIN);
    let age = book.duration(flag, (GoDuration::ZERO, Origin::Default), least);
    if age < GoDuration::ZERO {
        let message = format!("invalid minimum garbage collection age: {age}");
        let place = (book.last(flag).unwrap_or_default(), 0);
        let error = ConfigError::new(flag, place, message, "write 0s or more");
        book.settle(Err(error), ());
    }
    std_duration(age)
}
