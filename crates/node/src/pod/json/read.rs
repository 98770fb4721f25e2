use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use evictd_quantity::Quantity;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::{JsonError, Result};

/// What a JSON value can be read into, in place of what was there.
pub(super) trait ReadJson {
    fn read(&mut self, value: &Value) -> Result<()>;
}

/// An object, to be read field by field.
pub(super) struct Object<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Object<'a> {
    pub(super) fn of(value: &'a Value) -> Result<Self> {
        let object = value.as_object().map(Self);
        object.ok_or_else(|| JsonError::wrong_type(value, "an object"))
    }

    /// Reads the field `name`; where it is absent or `null`, nothing changes.
    pub(super) fn read(&self, name: &str, into: &mut dyn ReadJson) -> Result<()> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(()),
            Some(value) => below(&format!(".{name}"), into.read(value)),
        }
    }

    /// The text of the field; empty where it is absent or `null`.
    pub(super) fn text(&self, name: &str) -> Result<String> {
        let mut text = String::new();
        self.read(name, &mut text)?;
        Ok(text)
    }
}

/// What was read, seen from the value in which `step` leads to it.
pub(super) fn below(step: &str, read: Result<()>) -> Result<()> {
    read.map_err(|error| error.below(step))
}

/// Implements [`ReadJson`] for a struct: each field, and its name in Kubernetes.
macro_rules! read_fields {
    ($type:ident { $($field:ident: $name:literal,)+ }) => {
        impl ReadJson for $type {
            fn read(&mut self, value: &Value) -> Result<()> {
                let object = Object::of(value)?;
                $(object.read($name, &mut self.$field)?;)+
                Ok(())
            }
        }
    };
}
pub(super) use read_fields;

/// Reads what serde knows, as serde does and in its words.
fn by_serde<'de, T: Deserialize<'de>>(into: &mut T, value: &'de Value) -> Result<()> {
    *into = T::deserialize(value).map_err(|error| JsonError::new("", error.to_string()))?;
    Ok(())
}

impl ReadJson for String {
    fn read(&mut self, value: &Value) -> Result<()> {
        by_serde(self, value)
    }
}

impl ReadJson for Box<str> {
    fn read(&mut self, value: &Value) -> Result<()> {
        let mut text = String::new();
        text.read(value)?;
        *self = text.into_boxed_str();
        Ok(())
    }
}

impl ReadJson for i64 {
    fn read(&mut self, value: &Value) -> Result<()> {
        by_serde(self, value)
    }
}

impl ReadJson for i32 {
    fn read(&mut self, value: &Value) -> Result<()> {
        by_serde(self, value)
    }
}

/// Written as a string or as a number; a whole number may have a point.
impl ReadJson for Quantity {
    fn read(&mut self, value: &Value) -> Result<()> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => {
                let text = number.to_string();
                String::from(text.strip_suffix(".0").unwrap_or(&text))
            }
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                return Err(JsonError::wrong_type(value, "a quantity"));
            }
        };
        *self = Self::parse(text.trim())
            .map_err(|error| JsonError::new("", format!("{text:?} is no quantity: {error}")))?;
        Ok(())
    }
}

impl<T: ReadJson + Default> ReadJson for Option<T> {
    fn read(&mut self, value: &Value) -> Result<()> {
        self.insert(T::default()).read(value)
    }
}

impl<T: ReadJson> ReadJson for Box<T> {
    fn read(&mut self, value: &Value) -> Result<()> {
        self.as_mut().read(value)
    }
}

/// A list, with the default for each `null` in it.
impl<T: ReadJson + Default> ReadJson for Vec<T> {
    fn read(&mut self, value: &Value) -> Result<()> {
        let Some(values) = value.as_array() else {
            return Err(JsonError::wrong_type(value, "a list"));
        };
        self.reserve_exact(values.len());
        for (index, value) in values.iter().enumerate() {
            let mut element = T::default();
            if !value.is_null() {
                below(&format!("[{index}]"), element.read(value))?;
            }
            self.push(element);
        }
        Ok(())
    }
}

impl<T: ReadJson + Default> ReadJson for Box<[T]> {
    fn read(&mut self, value: &Value) -> Result<()> {
        let mut elements = Vec::new();
        elements.read(value)?;
        *self = elements.into_boxed_slice();
        Ok(())
    }
}

/// Texts by key; `null` is the empty text.
impl ReadJson for BTreeMap<String, String> {
    fn read(&mut self, value: &Value) -> Result<()> {
        let object = Object::of(value)?;
        for key in object.0.keys() {
            self.insert(key.clone(), object.text(key)?);
        }
        Ok(())
    }
}
