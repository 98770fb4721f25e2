//! Quantities and Go durations as texts, as Kubernetes writes them in JSON and YAML.

use alloc::string::ToString;
use core::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{GoDuration, Quantity};

/// As the text that it prints; where Kubernetes prints another number (`1000E` as `1`),
/// with an exponent.
impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.exact_text())
    }
}

/// From a text, or from a number as Kubernetes takes it too: `memory: 1073741824`.
impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity, such as 100Mi")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Quantity, E> {
        let wrong = |error| E::custom(format_args!("{text:?} is no quantity: {error}"));
        Quantity::parse(text).map_err(wrong)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Quantity, E> {
        Ok(number.into())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }
}

/// As the text that it prints, such as `1m30s`.
impl Serialize for GoDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// From a text alone: a number has no unit.
impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(DurationVisitor)
    }
}

struct DurationVisitor;

impl Visitor<'_> for DurationVisitor {
    type Value = GoDuration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration, such as 1m30s")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<GoDuration, E> {
        let wrong = |error| E::custom(format_args!("{text:?} is no duration: {error}"));
        GoDuration::parse(text).map_err(wrong)
    }
}
