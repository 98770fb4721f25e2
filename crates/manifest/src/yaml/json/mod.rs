use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::yaml::limits::{Budget, check_depth};
use crate::yaml::{Error, ErrorKind};

/// Reads one JSON value after the other. A text that is not JSON is
/// [`ErrorKind::NotJson`].
pub(crate) fn parse_values(text: &str) -> Result<Vec<Value>, Error> {
    let mut reader = Reader {
        budget: Budget::new(),
        refused: None,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let mut values = Vec::new();
    loop {
        let node = Node {
            reader: &mut reader,
            depth: 0,
        };
        values.push(node.deserialize(&mut json).map_err(|error| {
            let kind = reader.refused.take().unwrap_or(ErrorKind::NotJson);
            // serde_json counts the bytes it has read of the line: none yet
            // where the line's first byte was the fault.
            Error::new(kind, error.line(), error.column().max(1))
        })?);
        if json.end().is_ok() {
            return Ok(values);
        }
    }
}

struct Reader {
    budget: Budget,
    /// Why a well-formed text was refused.
    refused: Option<ErrorKind>,
}

impl Reader {
    /// Remembers the refusal beside serde's error, which has room for words only.
    fn allow<E: serde::de::Error>(&mut self, verdict: Result<(), ErrorKind>) -> Result<(), E> {
        verdict.map_err(|kind| {
            self.refused = Some(kind);
            E::custom("refused")
        })
    }
}

/// A value that lies below `depth` others.
struct Node<'a> {
    reader: &'a mut Reader,
    depth: usize,
}

impl Node<'_> {
    fn enter<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.depth = self.depth.saturating_add(1);
        self.reader.allow(check_depth(self.depth))
    }

    /// A value within this one.
    fn inner(&mut self) -> Node<'_> {
        Node {
            reader: self.reader,
            depth: self.depth,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let count = self.reader.budget.take();
        self.reader.allow(count)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(from_f64(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Value, A::Error> {
        self.enter()?;
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self.inner())? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Value, A::Error> {
        self.enter()?;
        let mut entries = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if entries.contains_key(&key) {
                self.reader
                    .allow(Err(ErrorKind::DuplicateKey(key.clone())))?;
            }
            let value = map.next_value_seed(self.inner())?;
            entries.insert(key, value);
        }
        Ok(Value::Object(entries))
    }
}

/// A finite number as JSON says it: without a point where it is whole, so that
/// `1.0` and `1e3` are integers as they are for Kubernetes.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "it is within the bounds of i64, and compared with what it was made of"
)]
pub(crate) fn from_f64(number: f64) -> Value {
    const BOUND: f64 = i64::MIN as f64;
    let whole = number as i64;
    if (BOUND..-BOUND).contains(&number) && whole as f64 == number {
        return Value::from(whole);
    }
    Value::from(number)
}

#[cfg(test)]
#[cfg(not(feature = "yaml"))]
mod tests;
