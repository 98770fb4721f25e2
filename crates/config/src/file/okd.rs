//! The node configuration of OKD 3: flags by name, each with a list of texts
//! (acceptance rows 137 to 143, decision D53).

use serde_json::{Map, Value};

use super::wrong::{first_example, shown, wrong_type};
use crate::flags::foreign_field;
use crate::source::Source;
use crate::values::{Parsed, did_you_mean};
use crate::{ConfigError, Flag, Typed, foreign_flag};

/// The key under which the flags stand. All other keys are OKD's own.
pub(super) const KEY: &str = "kubeletArguments";

pub(super) fn add(typed: &mut Typed, document: &Map<String, Value>, source: &Source) -> Parsed<()> {
    let value = document.get(KEY).unwrap_or(&Value::Null);
    if value.is_null() {
        return Ok(());
    }
    let arguments = value.as_object().ok_or_else(|| {
        let hint = "write flags without dashes, each with a list: eviction-hard: [..]";
        mistyped((&[], value), "map[string][]string", hint, source)
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
    let example = Flag::find(name).map_or("..", first_example);
    let hint = format!("write a list of texts, quoted or not: - {example}");
    let fail = |value, wanted| Err(mistyped((&[name], value), wanted, &hint, source));
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

fn mistyped(
    (path, value): (&[&str], &Value),
    wanted: &str,
    hint: &str,
    source: &Source,
) -> Box<ConfigError> {
    let field = format!("NodeConfig.{KEY}");
    wrong_type((path, value), (&field, wanted), hint, source)
}

/// An argument that evictd has no flag for: the kubelet may well have. What looks
/// like a flag mistyped is an error, so that no threshold is missing quietly.
fn other(typed: &mut Typed, name: &str, texts: &[String], source: &Source) -> Parsed<()> {
    let last = texts.last().map_or("", String::as_str);
    if foreign_flag(name).is_some() {
        typed.add_foreign(name, last);
        return Ok(());
    }
    let is_field = |flag: &&Flag| flag.field.is_some_and(|(field, _)| field == name);
    let flag = Flag::known().find(is_field).map(|flag| flag.name);
    if let Some(flag) = flag.or_else(|| foreign_field(name)) {
        let message = "a field of KubeletConfiguration, not a flag".to_owned();
        return Err(source.error(&[name], "", message, format!("write {flag}")));
    }
    let meant = did_you_mean(name, Flag::known().map(|flag| flag.name));
    if !meant.is_empty() {
        let hint = format!("{meant}arguments are flags without dashes");
        let message = format!("unknown flag: --{name}");
        return Err(source.error(&[name], "", message, hint));
    }
    typed.unknown_arguments.push(name.to_owned());
    Ok(())
}
