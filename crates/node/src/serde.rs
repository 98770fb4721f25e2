//! Signals, conditions and QoS classes as their Kubernetes names.

use core::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Condition, QosClass, Signal};

struct Named<Word> {
    find: fn(&str) -> Option<Word>,
    what: &'static str,
}

impl<Word> Visitor<'_> for Named<Word> {
    type Value = Word;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Word, E> {
        let unknown = || E::custom(format_args!("{name:?} is not {}", self.what));
        (self.find)(name).ok_or_else(unknown)
    }
}

/// Implements both ways for a word with a name.
macro_rules! by_name {
    ($word:ty, $what:literal) => {
        impl Serialize for $word {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $word {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let (find, what) = (Self::from_name, $what);
                deserializer.deserialize_str(Named { find, what })
            }
        }
    };
}

by_name!(Signal, "an eviction signal");
by_name!(Condition, "a node condition");
by_name!(QosClass, "a QoS class");

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn words_are_their_names() {
        let signal: Signal = serde_json::from_str(r#""memory.available""#).unwrap();
        assert_eq!(signal, Signal::MemoryAvailable);
        let json = serde_json::to_string(&signal).unwrap();
        assert_eq!(json, r#""memory.available""#);
        let json = serde_json::to_string(&Condition::DiskPressure).unwrap();
        assert_eq!(json, r#""DiskPressure""#);
        let class: QosClass = serde_json::from_str(r#""Burstable""#).unwrap();
        assert_eq!(class, QosClass::Burstable);
        let error = serde_json::from_str::<Signal>(r#""memory""#).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("\"memory\" is not an eviction signal"),
            "{error}"
        );
    }
}
