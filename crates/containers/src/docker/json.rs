//! JSON as runtimes write it: whole values of what is small, one element at a time of
//! what is long. What is odd is said in words, with the line and column where known.

use alloc::collections::BTreeMap;
use core::fmt;

use serde::Deserializer as _;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde_json::{Deserializer, Value};

use crate::Failure;

/// What is read of a value, or what is odd about it.
pub(crate) type Result<T = ()> = core::result::Result<T, String>;

/// Reads an object with `read`.
pub(crate) fn parse<T>(
    text: &[u8],
    read: impl FnOnce(&Value) -> Result<T>,
) -> core::result::Result<T, Failure> {
    let value: Value = serde_json::from_slice(text).map_err(Failure::malformed)?;
    if !value.is_object() {
        return Err(Failure::malformed("not an object"));
    }
    read(&value).map_err(Failure::malformed)
}

/// Reads each element of a list with `read`; `null` is an empty list.
///
/// An element is forgotten before the next is read: a whole list as values takes
/// twenty times its text.
pub(crate) fn parse_list<T>(
    text: &[u8],
    read: impl FnMut(&Value) -> Result<T>,
) -> core::result::Result<Vec<T>, Failure> {
    let mut reader = Deserializer::from_slice(text);
    let elements = Elements { read };
    let list = reader
        .deserialize_any(elements)
        .and_then(|list| reader.end().map(|()| list));
    list.map_err(Failure::malformed)
}

struct Elements<F> {
    read: F,
}

impl<'de, T, F: FnMut(&Value) -> Result<T>> Visitor<'de> for Elements<F> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E>(self) -> core::result::Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(
        mut self,
        mut list: A,
    ) -> core::result::Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(element) = list.next_element()? {
            all.push((self.read)(&element).map_err(A::Error::custom)?);
        }
        Ok(all)
    }
}

/// The value at a path of keys (`HostConfig.Memory`); `None` where a part of it is
/// missing or `null`.
fn find<'a>(value: &'a Value, path: &str) -> Result<Option<&'a Value>> {
    let mut found = value;
    let mut before = "it";
    for key in path.split('.') {
        match found {
            Value::Object(map) => match map.get(key) {
                Some(value) => found = value,
                None => return Ok(None),
            },
            Value::Null => return Ok(None),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(format!("{before} is no object"));
            }
        }
        before = key;
    }
    Ok(Some(found).filter(|value| !value.is_null()))
}

/// A text; empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, path: &str) -> Result<&'a str> {
    match find(value, path)? {
        None => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("{path} is no text")),
    }
}

/// A text without which the object makes no sense.
pub(crate) fn needed<'a>(value: &'a Value, path: &str) -> Result<&'a str> {
    match text(value, path)? {
        "" => Err(format!("{path} is missing")),
        text => Ok(text),
    }
}

/// A whole number, 0 where there is none; what is beyond 64 bits is the largest there is.
pub(crate) fn number(value: &Value, path: &str) -> Result<i64> {
    match find(value, path)? {
        None => Ok(0),
        Some(value) if value.is_u64() => Ok(value.as_i64().unwrap_or(i64::MAX)),
        Some(value) => value
            .as_i64()
            .ok_or_else(|| format!("{path} is no whole number")),
    }
}

/// A list; empty where there is none.
pub(crate) fn list<'a>(value: &'a Value, path: &str) -> Result<&'a [Value]> {
    match find(value, path)? {
        None => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(format!("{path} is no list")),
    }
}

/// A list of texts.
pub(crate) fn texts(value: &Value, path: &str) -> Result<Vec<String>> {
    let text = |value: &Value| value.as_str().map(String::from);
    let texts = list(value, path)?.iter().map(text).collect::<Option<_>>();
    texts.ok_or_else(|| format!("{path} is no list of texts"))
}

/// An object of texts; `null` is the empty text.
pub(crate) fn map(value: &Value, path: &str) -> Result<BTreeMap<String, String>> {
    let map = match find(value, path)? {
        None => return Ok(BTreeMap::new()),
        Some(Value::Object(map)) => map,
        Some(_) => return Err(format!("{path} is no object")),
    };
    let text = |(key, value): (&String, &Value)| {
        if value.is_null() {
            return Ok((key.clone(), String::new()));
        }
        let text = value.as_str().ok_or_else(|| format!("{key} is no text"))?;
        Ok((key.clone(), text.into()))
    };
    map.iter().map(text).collect()
}
