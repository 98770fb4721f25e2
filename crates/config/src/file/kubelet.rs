//! A KubeletConfiguration. Types are as strict as the kubelet's.

use evictd_node::Signal;
use evictd_quantity::GoDuration;
use evictd_threshold::Operator;
use serde_json::{Map, Value};

use super::typed::{Wanted, boolean, integer, mistyped, object, string};
use super::wrong::first_example;
use super::{fields, newer};
use crate::flags::Form;
use crate::source::Source;
use crate::values::{Parsed, did_you_mean};
use crate::{Flag, Typed};

pub(super) fn add(typed: &mut Typed, document: &Map<String, Value>, source: &Source) -> Parsed<()> {
    for (name, value) in document {
        if value.is_null() || name == "apiVersion" || name == "kind" {
            continue; // null is as good as not there.
        }
        if newer::is_too_new(typed, name) {
            typed.unknown_fields.push(name.clone());
            continue;
        }
        let stands_for = |flag: &&Flag| flag.field.is_some_and(|(field, _)| field == name);
        if let Some(flag) = Flag::known().find(stands_for)
            && let Some((field, form)) = flag.field
        {
            let own_signals = !typed.is_kubelets();
            for text in texts((flag, field, form), own_signals, value, source)? {
                typed.add_field(flag.name, field, text);
            }
        } else if fields::CHECKED.contains(&name.as_str()) {
            check(typed, (name, value), document, source)?;
        } else if fields::names().any(|known| known == name) {
            typed.passed_over.push(name.clone());
        } else {
            unknown(typed, name, source)?;
        }
    }
    Ok(())
}

/// A field that is like none of the kubelet's may be one of a newer kubelet's: those too
/// pass over, with a warning, what they do not know (K: `DecodeKubeletConfiguration`). One
/// that is like one of them is a typing error, and what it was to set would not be set.
fn unknown(typed: &mut Typed, name: &str, source: &Source) -> Parsed<()> {
    let meant = did_you_mean(name, fields::names());
    if meant.is_empty() || typed.is_kubelets() {
        typed.unknown_fields.push(name.to_owned());
        return Ok(());
    }
    let hint =
        format!("{meant}fields are those of KubeletConfiguration, upper and lower case as there");
    Err(source.error(&[name], "", format!("unknown field {name:?}"), hint))
}

/// The texts that the flag would have.
fn texts(
    (flag, name, form): (&Flag, &str, Form),
    own_signals: bool,
    value: &Value,
    source: &Source,
) -> Parsed<Vec<String>> {
    let path = &[name][..];
    let example = first_example(flag);
    let text = match form {
        Form::Pairs(separator) => pairs((name, example), (separator, own_signals), value, source)?,
        Form::List => return list((name, example), value, source),
        Form::Boolean => boolean(path, value, source)?.to_string(),
        Form::Integer => integer(path, value, source)?.to_string(),
        Form::Text => match string(path, value, example, source)? {
            "" => return Ok(Vec::new()),
            text => text.to_owned(),
        },
        Form::Duration => match duration(path, value, example, source)? {
            text if GoDuration::parse(text) == Ok(GoDuration::ZERO) => return Ok(Vec::new()),
            "" => return Ok(Vec::new()),
            text => text.to_owned(),
        },
    };
    Ok(vec![text])
}

/// A duration; a list of one is taken too, as old documents have it (decision D14).
fn duration<'a>(
    path: &[&str],
    value: &'a Value,
    example: &str,
    source: &Source,
) -> Parsed<&'a str> {
    match value.as_array().map(Vec::as_slice) {
        Some([only]) => string(path, only, example, source),
        _ => string(path, value, example, source),
    }
}

/// The entries of a mapping, as a flag has them. What a flag's list would read
/// otherwise than a mapping is refused: no signal, resource, amount or duration
/// has such letters.
fn pairs(
    (name, example): (&str, &str),
    (separator, own_signals): (char, bool),
    value: &Value,
    source: &Source,
) -> Parsed<String> {
    let (key, amount) = example.split_once(separator).unwrap_or((example, ""));
    let wanted = ("map[string]string", format!("{key}: {amount:?}"));
    let entries = object(name, value, (wanted.0, &wanted.1), source)?;
    let mut joined = String::new();
    for (key, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
        let path = [name, key.as_str()];
        let text = string(&path, value, amount, source)?;
        let odd = |c: char| c == ',' || c.is_whitespace();
        if key.contains(odd) || key.contains(separator) || text.contains(odd) {
            let message = "a blank, a comma or a sign that cannot be part of it".to_owned();
            let hint = format!("write one entry a line: {}", wanted.1);
            let offending = format!("{key}: {text}");
            return Err(source.error(&path, &offending, message, hint));
        }
        if !joined.is_empty() {
            joined.push(',');
        }
        joined.push_str(key);
        joined.push(if own_signals {
            sign(key, separator)
        } else {
            separator
        });
        joined.push_str(text);
    }
    Ok(joined)
}

/// What the flag's list has between them: a mapping has no sign of its own, and a signal
/// takes but one.
fn sign(key: &str, separator: char) -> char {
    let signal = Signal::from_name(key).filter(|_| separator == Operator::LessThan.sign());
    signal.map_or(separator, |signal| Operator::of(signal).sign())
}

/// The items; one empty text for an empty list.
fn list((name, example): (&str, &str), value: &Value, source: &Source) -> Parsed<Vec<String>> {
    let Some(items) = value.as_array() else {
        return Err(mistyped(&[name], value, ("[]string", example), source));
    };
    let mut texts = Vec::new();
    for item in items {
        let text = string(&[name], item, example, source)?;
        if text.is_empty() || text.contains(',') {
            let message = "an item that is empty or holds a comma".to_owned();
            return Err(source.error(&[name], text, message, "write one option an item"));
        }
        texts.push(text.to_owned());
    }
    if texts.is_empty() {
        texts.push(String::new());
    }
    Ok(texts)
}

/// A field that has no flag.
fn check(
    typed: &mut Typed,
    (name, value): (&str, &Value),
    document: &Map<String, Value>,
    source: &Source,
) -> Parsed<()> {
    let path = &[name][..];
    match name {
        "cgroupsPerQOS" => typed.facts.no_qos_cgroups = !boolean(path, value, source)?,
        "systemReservedCgroup" => {
            typed.facts.system_cgroup = !string(path, value, "/system.slice", source)?.is_empty();
        }
        "kubeReservedCgroup" => {
            typed.facts.kube_cgroup = !string(path, value, "/kube.slice", source)?.is_empty();
        }
        "containerLogMaxFiles" => newer::check_log_files(typed, (name, value), source)?,
        "featureGates" => feature_gates(typed, value, source)?,
        "logging" => logging(typed, value, source)?,
        "memoryReservationPolicy" => {
            newer::check_reservation(typed, (name, value), document, source)?;
        }
        "oomScoreAdj" => in_range(
            ("oomScoreAdj (--oom-score-adj)", name, value),
            (-1000, 1000, "be between -1000 and 1000, inclusive"),
            source,
        )?,
        _ => in_range(
            (
                "nodeStatusMaxImages (--node-status-max-images)",
                name,
                value,
            ),
            (-1, i32::MAX, "be -1 or greater"),
            source,
        )?,
    }
    Ok(())
}

/// K: `validation.go`, where evictd has no use for the field but knows its range.
fn in_range(
    (shown, name, value): (&str, &str, &Value),
    (least, most, must): (i32, i32, &str),
    source: &Source,
) -> Parsed<()> {
    let number = integer(&[name], value, source)?;
    if (least..=most).contains(&number) {
        return Ok(());
    }
    let message = format!("{shown} {number} must {must}");
    let hint = "leave it out: evictd does not use it";
    Err(source.error(&[name], &number.to_string(), message, hint))
}

/// The gates that change what evictd does; all others are let pass.
fn feature_gates(typed: &mut Typed, value: &Value, source: &Source) -> Parsed<()> {
    const FIELD: &str = "featureGates";
    const GATES: Wanted<'_> = ("map[string]bool", "HugepageAwareEviction: false");
    let gates = object(FIELD, value, GATES, source)?;
    newer::gates(typed, gates, source)?;
    for (gate, value) in gates.iter().filter(|(_, value)| !value.is_null()) {
        let on = boolean(&[FIELD, gate], value, source)?;
        match gate.as_str() {
            "ImageMaximumGCAge" => typed.facts.no_image_max_age = !on,
            "PodLevelResources" => typed.facts.no_pod_resources = !on,
            "ImageVolume" => typed.facts.image_volumes = Some(on),
            "HugepageAwareEviction" => typed.facts.hugepage_aware = Some(on),
            _ => {}
        }
    }
    Ok(())
}

fn logging(typed: &mut Typed, value: &Value, source: &Source) -> Parsed<()> {
    const LOGGING: Wanted<'_> = ("LoggingConfiguration", "verbosity: 2");
    let logging = object("logging", value, LOGGING, source)?;
    if let Some(value) = logging.get("verbosity").filter(|value| !value.is_null()) {
        let level = integer(&["logging", "verbosity"], value, source)?;
        typed.add_field("v", "logging.verbosity", level.to_string());
    }
    if let Some(value) = logging.get("format").filter(|value| !value.is_null()) {
        // An empty text is the default there.
        match string(&["logging", "format"], value, "json", source)? {
            "" => {}
            format => typed.add_field("logging-format", "logging.format", format.to_owned()),
        }
    }
    Ok(())
}
