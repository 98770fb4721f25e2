//! Values of a KubeletConfiguration, each of the type that its field has.

use serde_json::{Map, Value};

use super::wrong::wrong_type;
use crate::ConfigError;
use crate::source::Source;
use crate::values::Parsed;

/// What Go calls the type, and what stands there in an example.
pub(super) type Wanted<'a> = (&'a str, &'a str);

pub(super) fn mistyped(
    path: &[&str],
    value: &Value,
    wanted: Wanted<'_>,
    source: &Source,
) -> Box<ConfigError> {
    let (wanted, example) = wanted;
    let hint = match wanted {
        "string" => format!("write it in quotes, as in {example:?}"),
        "bool" => "write true or false, without quotes".to_owned(),
        "[]string" => format!("write a list of texts: [{example:?}]"),
        "int32" => "write a whole number, without quotes or a unit".to_owned(),
        _ => format!("write a mapping, as in {example}"),
    };
    let field = format!("KubeletConfiguration.{}", path.join("."));
    wrong_type((path, value), (&field, wanted), &hint, source)
}

pub(super) fn object<'a>(
    name: &str,
    value: &'a Value,
    wanted: Wanted<'_>,
    source: &Source,
) -> Parsed<&'a Map<String, Value>> {
    let entries = value.as_object();
    entries.ok_or_else(|| mistyped(&[name], value, wanted, source))
}

pub(super) fn string<'a>(
    path: &[&str],
    value: &'a Value,
    example: &str,
    source: &Source,
) -> Parsed<&'a str> {
    let text = value.as_str();
    text.ok_or_else(|| mistyped(path, value, ("string", example), source))
}

pub(super) fn boolean(path: &[&str], value: &Value, source: &Source) -> Parsed<bool> {
    let truth = value.as_bool();
    truth.ok_or_else(|| mistyped(path, value, ("bool", ""), source))
}

pub(super) fn integer(path: &[&str], value: &Value, source: &Source) -> Parsed<i32> {
    let number = value.as_i64().and_then(|number| i32::try_from(number).ok());
    number.ok_or_else(|| mistyped(path, value, ("int32", ""), source))
}
