//! Values of another type than their field's.

use serde_json::Value;

use crate::source::Source;
use crate::{ConfigError, Flag};

/// A value as it stands in a file; lists and mappings by what they are.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Number(number) => number.to_string(),
        Value::Bool(true) => "true".to_owned(),
        Value::Bool(false) => "false".to_owned(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

/// The first item of a flag's example.
pub(super) fn first_example(flag: &Flag) -> &'static str {
    flag.example.split(',').next().unwrap_or_default()
}

/// A value of another type than its field has, which Go calls `wanted`.
pub(super) fn wrong_type(
    (path, value): (&[&str], &Value),
    (field, wanted): (&str, &str),
    hint: &str,
    source: &Source,
) -> Box<ConfigError> {
    let found = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    };
    let right = match wanted {
        "string" => "a text",
        "bool" => "true or false",
        "[]string" => "a list of texts",
        "int32" => "a whole number",
        _ => "a mapping",
    };
    let message = format!("{found} stands where {right} belongs");
    let kind = kind_of(value);
    let words =
        format!("json: cannot unmarshal {kind} into Go struct field {field} of type {wanted}");
    let error = source.error(path, &shown(value), message, hint);
    error.kubelet_says(words)
}

/// What a value is, in the words of Go's JSON reader.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
