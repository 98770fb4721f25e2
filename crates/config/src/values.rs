//! One value each: Go's grammars, as the kubelet's flag library reads them.

use core::time::Duration;
use std::path::{Component, PathBuf};

use evictd_node::{QosClass, Signal};
use evictd_quantity::{GoDuration, parse_go_integer, underscores_separate_digits};

use crate::{ConfigError, nearest};

pub(crate) type Parsed<T> = Result<T, Box<ConfigError>>;

pub(crate) const DURATION_FORM: &str =
    "a duration is numbers with units h m s ms us ns: 1m30s, 500ms";

/// The bounds of Go's `int32`.
pub(crate) const INT32: (i64, i64) = (-2_147_483_648, 2_147_483_647);

/// A boolean as Go's `strconv.ParseBool` reads it: `true`, `T`, `1` and the like.
///
/// # Errors
/// When it is neither true nor false.
pub fn parse_boolean(flag: &'static str, text: &str) -> Result<bool, Box<ConfigError>> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => {
            let message = format!("{text:?} is neither true nor false");
            let error = ConfigError::new(flag, (text, 0), message, "write true or false");
            let words = format!("strconv.ParseBool: parsing {text:?}: invalid syntax");
            Err(error.kubelet_says(words))
        }
    }
}

/// Go's `strconv.ParseInt` with base 0: decimal, or with `0x`, `0o`, `0`, `0b` in
/// front, underscores between digits.
pub(crate) fn integer(flag: &'static str, text: &str, (least, most): (i64, i64)) -> Parsed<i64> {
    let fail = |problem: &str, in_go_words: &str| {
        let hint = format!("a whole number from {least} to {most}, without a unit");
        let error = ConfigError::new(flag, (text, 0), format!("{text:?} is {problem}"), hint);
        let words = format!("strconv.ParseInt: parsing {text:?}: {in_go_words}");
        Err(error.kubelet_says(words))
    };
    let number = text.replace('_', "");
    let number = parse_go_integer(&number).filter(|_| underscores_separate_digits(text));
    match number.map(i64::try_from) {
        None => fail("not a whole number", "invalid syntax"),
        Some(Ok(value)) if (least..=most).contains(&value) => Ok(value),
        Some(_) => fail("out of range", "value out of range"),
    }
}

/// A duration, negative ones too.
pub(crate) fn duration(flag: &'static str, text: &str) -> Parsed<GoDuration> {
    GoDuration::parse(text).map_err(|error| {
        let words = error.in_go_words(text);
        let place = (text, error.position);
        let error = ConfigError::new(flag, place, plain(&words).to_owned(), DURATION_FORM);
        error.kubelet_says(words)
    })
}

/// What Go says of a duration, without the name of its library.
pub(crate) fn plain(words: &str) -> &str {
    words.strip_prefix("time: ").unwrap_or(words)
}

/// As the standard library counts; nothing for a negative one.
pub(crate) fn std_duration(duration: GoDuration) -> Duration {
    Duration::try_from(duration).unwrap_or(Duration::ZERO)
}

/// What one of a few words means.
pub(crate) fn choice<T: Copy>(flag: &'static str, text: &str, words: &[(&str, T)]) -> Parsed<T> {
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        unknown(flag, text, &words)
    })
}

pub(crate) fn unknown(flag: &'static str, text: &str, words: &[&str]) -> Box<ConfigError> {
    let meant = did_you_mean(text, words.iter().copied());
    let hint = format!("{meant}values are {}", words.join(", "));
    ConfigError::new(flag, (text, 0), format!("unknown value {text:?}"), hint)
}

/// The signal that a flag names.
///
/// # Errors
/// When there is none of that name.
pub fn parse_signal(flag: &'static str, text: &str) -> Result<Signal, Box<ConfigError>> {
    Signal::from_name(text).ok_or_else(|| {
        let message = format!("unsupported eviction signal {text}");
        ConfigError::new(flag, (text, 0), message, signals_hint(text))
    })
}

/// The QoS class that a flag names.
///
/// # Errors
/// When there is none of that name.
pub fn parse_qos_class(flag: &'static str, text: &str) -> Result<QosClass, Box<ConfigError>> {
    let classes = [
        QosClass::BestEffort,
        QosClass::Burstable,
        QosClass::Guaranteed,
    ];
    choice(flag, text, &classes.map(|class| (class.name(), class)))
}

/// A pod's priority.
///
/// # Errors
/// When it is no whole number of 32 bits.
pub fn parse_priority(flag: &'static str, text: &str) -> Result<i32, Box<ConfigError>> {
    let priority = integer(flag, text, INT32)?;
    Ok(i32::try_from(priority).unwrap_or(0))
}

pub(crate) fn signals_hint(text: &str) -> String {
    let is_disk = ["disk", "storage", "fs.", "rootfs"]
        .iter()
        .any(|of| text.starts_with(of));
    let meant = if is_disk {
        "a disk is nodefs (of pods and logs) or imagefs (of images and containers): \
         nodefs.available, imagefs.available; "
            .to_owned()
    } else {
        did_you_mean(text, Signal::ALL.iter().map(|signal| signal.name()))
    };
    let names: Vec<&str> = Signal::ALL
        .into_iter()
        .filter(|signal| signal.is_configured())
        .map(|signal| signal.name())
        .collect();
    format!("{meant}signals are {}", names.join(", "))
}

pub(crate) fn did_you_mean<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    nearest(text, candidates)
        .map(|word| format!("did you mean {word}? "))
        .unwrap_or_default()
}

/// A directory in which something may be deleted: by its whole path, so that it
/// does not depend on where evictd was started.
pub(crate) fn directory(flag: &'static str, text: &str) -> Parsed<PathBuf> {
    let hint = "an absolute path without .. in it, below /";
    let fail = |at, message: &str| Err(ConfigError::new(flag, (text, at), message.into(), hint));
    let path = PathBuf::from(text);
    // As `is_absolute` on Unix, which says no to any path where there are none: in a browser.
    if !path.has_root() {
        return fail(0, "the path is not absolute");
    }
    if let Some(at) = text.find('\0') {
        return fail(at, "a path cannot hold a NUL byte");
    }
    let named = |part| matches!(part, Component::RootDir | Component::Normal(_));
    if !path.components().all(named) {
        return fail(0, "the path leads up");
    }
    if path.parent().is_none() {
        return fail(0, "the root holds the whole machine");
    }
    Ok(path)
}

/// A cgroup by its path from the root of the hierarchies.
pub(crate) fn cgroup(flag: &'static str, text: &str) -> Parsed<PathBuf> {
    let hint = "the cgroup's path from the root of the hierarchies: system.slice, or /pods";
    let fail = |at, message: &str| Err(ConfigError::new(flag, (text, at), message.into(), hint));
    let mut path = PathBuf::new();
    let mut at: usize = 0;
    if text.is_empty() {
        return fail(0, "a cgroup has a name; / stands for the root");
    }
    for part in text.split('/') {
        if part == "." || part == ".." || part.contains('\0') {
            return fail(at, &format!("a cgroup cannot be named {part:?}"));
        }
        if !part.is_empty() {
            path.push(part);
        }
        at = at.saturating_add(part.len()).saturating_add(1);
    }
    Ok(path)
}
