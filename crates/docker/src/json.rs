//! Reading JSON by hand: whole values, but only of the fields that are wanted,
//! and of long lists only one element at a time.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use crate::clean;

/// Why an answer is not one of this API's: what is odd, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(String);

impl Fault {
    pub(crate) fn new(what: impl fmt::Display) -> Self {
        Self(clean(&format!("{what}")))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Fault {}

type Result<T> = core::result::Result<T, Fault>;

/// Reads an object, of which only these fields are kept.
pub(crate) fn parse_object(text: &[u8], keys: &[&str]) -> Result<Object> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let object = Kept(keys)
        .deserialize(&mut deserializer)
        .map_err(Fault::new)?;
    deserializer.end().map_err(Fault::new)?;
    Ok(object)
}

/// Reads a list of objects, of which only these fields are kept; `null` is an
/// empty list.
pub(crate) fn parse_objects(
    text: &[u8],
    keys: &[&str],
    each: &mut dyn FnMut(&Object) -> Result<()>,
) -> Result<()> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let list = List { keys, each };
    deserializer.deserialize_any(list).map_err(Fault::new)?;
    deserializer.end().map_err(Fault::new)
}

/// The `message` or `cause` of an error's body.
pub(crate) fn parse_message(text: &[u8]) -> Option<String> {
    let object = parse_object(text, &["message", "cause"]).ok()?;
    let message = object.text("message").ok().filter(|text| !text.is_empty());
    message
        .or_else(|| object.text("cause").ok())
        .map(String::from)
}

/// An object of which some fields were kept.
#[derive(Debug, Default)]
pub(crate) struct Object(Map<String, Value>);

impl Object {
    /// A text; empty where there is none.
    pub(crate) fn text(&self, key: &str) -> Result<&str> {
        text(&self.0, key)
    }

    /// A text without which the object makes no sense.
    pub(crate) fn needed(&self, key: &str) -> Result<&str> {
        match self.text(key)? {
            "" => Err(odd(key, "missing")),
            text => Ok(text),
        }
    }

    pub(crate) fn number(&self, key: &str) -> Result<i64> {
        number(&self.0, key)
    }

    /// An object; `None` where there is none.
    pub(crate) fn object(&self, key: &str) -> Result<Option<&Map<String, Value>>> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(_) => Err(odd(key, "no object")),
        }
    }

    /// The texts of a list; none where there is no list.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<String>> {
        let list = match self.0.get(key) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(odd(key, "no list")),
        };
        let one = |value: &Value| value.as_str().map(String::from);
        list.iter()
            .map(|value| one(value).ok_or_else(|| odd(key, "no list of texts")))
            .collect()
    }

    /// A list of anything; empty where there is none.
    pub(crate) fn list(&self, key: &str) -> Result<&[Value]> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(odd(key, "no list")),
        }
    }
}

/// A text of a map; empty where there is none.
pub(crate) fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Result<&'a str> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(odd(key, "no text")),
    }
}

/// A whole number of a map; 0 where there is none, which is what the engines
/// write for what was not set.
pub(crate) fn number(map: &Map<String, Value>, key: &str) -> Result<i64> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(0),
        Some(value) => match (value.as_i64(), value.is_u64()) {
            (Some(number), _) => Ok(number),
            (None, true) => Ok(i64::MAX),
            (None, false) => Err(odd(key, "no whole number")),
        },
    }
}

pub(crate) fn odd(key: &str, what: &str) -> Fault {
    Fault::new(format_args!("{key} is {what}"))
}

struct Kept<'a>(&'a [&'a str]);

impl<'de> DeserializeSeed<'de> for Kept<'_> {
    type Value = Object;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> core::result::Result<Object, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Kept<'_> {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> core::result::Result<Object, A::Error> {
        let mut kept = Map::new();
        while let Some(Key(key)) = map.next_key()? {
            if self.0.contains(&&*key) {
                kept.insert(key.into_owned(), map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Object(kept))
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> core::result::Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> core::result::Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(key)))
    }

    fn visit_str<E>(self, key: &str) -> core::result::Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(key.into())))
    }
}

struct List<'a> {
    keys: &'a [&'a str],
    each: &'a mut dyn FnMut(&Object) -> Result<()>,
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E>(self) -> core::result::Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> core::result::Result<(), A::Error> {
        use serde::de::Error as _;
        while let Some(object) = list.next_element_seed(Kept(self.keys))? {
            (self.each)(&object).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}
