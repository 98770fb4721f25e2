//! What a scalar means in YAML 1.1, as Kubernetes' go-yaml resolves it.

use alloc::borrow::ToOwned;
use alloc::string::String;

use evictd_quantity::parse_go_integer;
use saphyr_parser::{ScalarStyle, Tag};
use serde_json::Value;

use crate::yaml::ErrorKind;
use crate::yaml::json::from_f64;

/// The value of a scalar of this style and tag.
///
/// Without a tag only a plain scalar can be anything but a text. A tag of one's
/// own makes a text of it.
pub(crate) fn resolve(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<Value, ErrorKind> {
    let Some(tag) = tag else {
        return match style {
            ScalarStyle::Plain => resolve_plain(text),
            ScalarStyle::SingleQuoted
            | ScalarStyle::DoubleQuoted
            | ScalarStyle::Literal
            | ScalarStyle::Folded => Ok(Value::String(text.to_owned())),
        };
    };
    let fits: fn(&Value) -> bool = match tag.suffix.as_str() {
        _ if !tag.is_yaml_core_schema() => return Ok(Value::String(text.to_owned())),
        "null" => Value::is_null,
        "bool" => Value::is_boolean,
        "int" => |value| value.is_i64() || value.is_u64(),
        "float" => Value::is_number,
        "binary" => |_| false,
        _ => return Ok(Value::String(text.to_owned())),
    };
    match resolve_plain(text)? {
        value if fits(&value) => Ok(value),
        _ => Err(ErrorKind::WrongTag(text.to_owned(), tag.suffix.clone())),
    }
}

fn resolve_plain(text: &str) -> Result<Value, ErrorKind> {
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" | "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "false" | "False" | "FALSE" | "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF"
        | "-.inf" | "-.Inf" | "-.INF" => return Err(ErrorKind::NotFinite(text.to_owned())),
        _ => number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    })
}

/// The number that `text` is, if it is one.
fn number(text: &str) -> Option<Value> {
    if !text.starts_with([
        '+', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
    ]) {
        return None;
    }
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    if text.starts_with('.') {
        // go-yaml leaves underscores alone here, and so finds no number.
        return decimal(text);
    }
    integer(&plain).or_else(|| decimal(&plain))
}

/// An integer of 64 bits: decimal, `0x`, `0o`, `0b`, or octal by a leading zero.
fn integer(text: &str) -> Option<Value> {
    let number = parse_go_integer(text)?;
    match i64::try_from(number) {
        Ok(number) => Some(Value::from(number)),
        // Go reads what is beyond 63 bits by its unsigned parser, which has no sign.
        Err(_) if text.starts_with(['+', '-']) => None,
        Err(_) => u64::try_from(number).ok().map(Value::from),
    }
}

/// A decimal with a point or an exponent, or an integer beyond 64 bits. One that `f64`
/// cannot hold is none, and so are the standard library's words for infinity.
fn decimal(text: &str) -> Option<Value> {
    let is_word = text.contains(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E'));
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.filter(|_| !is_word).map(from_f64)
}
