//! The node configuration of OKD 3: flags by name, each with a list of texts
//! (acceptance rows 137 to 143, decision D53).

use serde_json::{Map, Value};

use super::{fields, kind_of, shown};
use crate::source::Source;
use crate::values::{Parsed, did_you_mean, parse_boolean};
use crate::{Flag, Typed};

/// The key under which the flags stand. All other keys are OKD's own.
pub(super) const KEY: &str = "kubeletArguments";

pub(super) fn add(typed: &mut Typed, document: &Map<String, Value>, source: &Source) -> Parsed<()> {
    let value = document.get(KEY).unwrap_or(&Value::Null);
    if value.is_null() {
        return Ok(());
    }
    let arguments = value.as_object().ok_or_else(|| {
        let message = mistyped(value, "map[string][]string");
        let hint = "write flags without dashes, each with a list: eviction-hard: [..]";
        source.error(&[], "", message, hint)
    })?;
    for (name, value) in arguments {
        let texts = texts(name, value, source)?;
        match Flag::find(name) {
            Some(flag) if flag.name == "config" => {
                let message = "a file cannot name another".to_owned();
                return Err(source.error(&[name], "", message, "leave it out"));
            }
            Some(flag) => {
                for text in texts {
                    typed.add_field(flag.name, flag.name, text);
                }
            }
            None => other(typed, name, &texts, source)?,
        }
    }
    Ok(())
}

/// The items of a list, numbers and truths as texts.
fn texts(name: &str, value: &Value, source: &Source) -> Parsed<Vec<String>> {
    let hint = "write a list of texts, quoted or not: - memory.available<100Mi";
    let fail = |value: &Value, wanted: &str| {
        Err(source.error(&[name], &shown(value), mistyped(value, wanted), hint))
    };
    let Some(items) = value.as_array() else {
        return fail(value, "[]string");
    };
    let mut texts = Vec::new();
    for item in items {
        texts.push(match item {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => shown(item),
            Value::Null | Value::Array(_) | Value::Object(_) => return fail(item, "string"),
        });
    }
    Ok(texts)
}

fn mistyped(value: &Value, wanted: &str) -> String {
    let kind = kind_of(value);
    format!("json: cannot unmarshal {kind} into Go struct field NodeConfig.{KEY} of type {wanted}")
}

/// An argument that evictd has no flag for: the kubelet may well have. What looks
/// like a flag mistyped is an error, so that no threshold is missing quietly.
fn other(typed: &mut Typed, name: &str, texts: &[String], source: &Source) -> Parsed<()> {
    let last = texts.last().map_or("", String::as_str);
    match name {
        "system-reserved-cgroup" => typed.facts.system_cgroup = !last.is_empty(),
        "kube-reserved-cgroup" => typed.facts.kube_cgroup = !last.is_empty(),
        "cgroups-per-qos" => {
            let parsed = parse_boolean("config", last);
            let hint = "write \"true\" or \"false\"";
            typed.facts.no_qos_cgroups =
                !parsed.map_err(|error| source.error(&[name], last, error.message, hint))?;
        }
        _ if is_field(name) => {}
        _ => {
            let meant = did_you_mean(name, Flag::all().map(|flag| flag.name));
            if !meant.is_empty() {
                let hint = format!("{meant}arguments are flags without dashes");
                let message = format!("unknown flag: --{name}");
                return Err(source.error(&[name], "", message, hint));
            }
            typed.unknown_arguments.push(name.to_owned());
        }
    }
    Ok(())
}

/// Whether a field of KubeletConfiguration has that name: `max-pods` is `maxPods`.
fn is_field(argument: &str) -> bool {
    let joined = argument.replace('-', "");
    fields::names().any(|name| name.eq_ignore_ascii_case(&joined))
}
