//! Reading JSON by hand, from whole values; of long lists only one element at a
//! time. What was read fills in what holds the default, as in `evictd-pod`: that
//! makes for half the code of one result for each field.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU64;

use serde_json::{Map, Value};

use crate::docker_api::clean;

/// Why an answer is not one of this API's: what is odd, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<str>);

impl Fault {
    pub(crate) fn new(what: &dyn fmt::Display) -> Self {
        Self(clean(&format!("{what}")).into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Fault {}

pub(crate) type Result<T = ()> = core::result::Result<T, Fault>;

/// What reads an object, and fills in what it finds.
type Read<'r> = &'r mut dyn FnMut(Object<'_>) -> Result;

/// Reads an object.
pub(crate) fn parse_object(text: &[u8], read: Read<'_>) -> Result {
    read_object(utf8(text)?, read)
}

fn read_object(text: &str, read: Read<'_>) -> Result {
    match text.parse() {
        Ok(Value::Object(map)) => read(Object(&map)),
        Ok(_) => Err(Fault::new(&"not an object")),
        Err(error) => Err(Fault::new(&error)),
    }
}

fn utf8(text: &[u8]) -> Result<&str> {
    core::str::from_utf8(text).map_err(|error| Fault::new(&error))
}

/// Reads a list of objects; `null` is an empty list.
///
/// The list is cut into its elements here, as each is forgotten before the next is
/// read: a whole list as values takes twenty times its text.
pub(crate) fn parse_objects(text: &[u8], each: Read<'_>) -> Result {
    let text = utf8(text)?.trim_ascii();
    if text == "null" {
        return Ok(());
    }
    let Some(list) = text.strip_prefix('[') else {
        return Err(Fault::new(&"not a list"));
    };
    let Some(mut rest) = list.strip_suffix(']') else {
        return Err(Fault::new(&"a list without an end"));
    };
    if rest.trim_ascii().is_empty() {
        return Ok(());
    }
    let mut number = 0_usize;
    loop {
        let end = element_end(rest.as_bytes());
        let (element, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        number += 1;
        read_object(element, each)
            .map_err(|fault| Fault::new(&format_args!("element {number}: {fault}")))?;
        match after.strip_prefix(',') {
            Some(after) => rest = after,
            None => return Ok(()),
        }
    }
}

/// Where the first element ends: at a comma that stands in no text and between no
/// brackets, else with the list. Whether it is well formed is not looked at.
fn element_end(list: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut escaped = false;
    for (index, byte) in list.iter().enumerate() {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_text = !in_text,
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (false, b',') if depth == 0 => return index,
            (_, _) => {}
        }
    }
    list.len()
}

/// The `message` or `cause` of an error's body; `None` where it has none.
pub(crate) fn parse_message(text: &[u8]) -> Option<String> {
    let mut message = String::new();
    let read = &mut |object: Object<'_>| {
        object.text("message", &mut message)?;
        if message.is_empty() {
            object.text("cause", &mut message)?;
        }
        Ok(())
    };
    parse_object(text, read).ok()?;
    (!message.is_empty()).then_some(message)
}

/// An object. A field that is not there, or `null`, leaves what it would fill in
/// as it is.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a>(&'a Map<String, Value>);

impl<'a> Object<'a> {
    fn get(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn text(self, key: &str, text: &mut String) -> Result {
        match self.get(key) {
            None => Ok(()),
            Some(Value::String(found)) => {
                text.clone_from(found);
                Ok(())
            }
            Some(_) => Err(odd(key, "no text")),
        }
    }

    /// A text without which the object makes no sense.
    pub(crate) fn needed(self, key: &str, text: &mut String) -> Result {
        self.text(key, text)?;
        if text.is_empty() {
            return Err(odd(key, "missing"));
        }
        Ok(())
    }

    /// A whole number; what is beyond 64 bits is the largest there is.
    pub(crate) fn number(self, key: &str, number: &mut i64) -> Result {
        let Some(value) = self.get(key) else {
            return Ok(());
        };
        *number = match value.as_i64() {
            Some(number) => number,
            None if value.is_u64() => i64::MAX,
            None => return Err(odd(key, "no whole number")),
        };
        Ok(())
    }

    /// A number that counts only above zero: what the engines write for "not set"
    /// is zero, and -1 for "no limit".
    pub(crate) fn positive(self, key: &str, number: &mut Option<NonZeroU64>) -> Result {
        let mut found = 0;
        self.number(key, &mut found)?;
        *number = u64::try_from(found).ok().and_then(NonZeroU64::new);
        Ok(())
    }

    /// An object within this one.
    pub(crate) fn object(self, key: &str, read: Read<'_>) -> Result {
        match self.get(key) {
            None => Ok(()),
            Some(Value::Object(map)) => read(Object(map)),
            Some(_) => Err(odd(key, "no object")),
        }
    }

    /// A list of objects.
    pub(crate) fn objects(self, key: &str, read: Read<'_>) -> Result {
        for value in self.list(key)? {
            let Value::Object(map) = value else {
                return Err(odd(key, "no list of objects"));
            };
            read(Object(map))?;
        }
        Ok(())
    }

    /// A list of texts.
    pub(crate) fn texts(self, key: &str, texts: &mut Vec<String>) -> Result {
        for value in self.list(key)? {
            let Value::String(text) = value else {
                return Err(odd(key, "no list of texts"));
            };
            texts.push(text.clone());
        }
        Ok(())
    }

    /// A list of anything; empty where there is none.
    pub(crate) fn list(self, key: &str) -> Result<&'a [Value]> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(odd(key, "no list")),
        }
    }

    /// An object of texts, whatever their names; `null` is the empty text.
    pub(crate) fn map(self, key: &str, texts: &mut BTreeMap<String, String>) -> Result {
        self.object(key, &mut |object| {
            for key in object.0.keys() {
                let mut text = String::new();
                object.text(key, &mut text)?;
                texts.insert(key.clone(), text);
            }
            Ok(())
        })
    }
}

fn odd(key: &str, what: &str) -> Fault {
    Fault::new(&format_args!("{key} is {what}"))
}
