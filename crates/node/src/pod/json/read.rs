use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use evictd_quantity::Quantity;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::{JsonError, Result};

/// What a JSON value may be read as.
pub(super) trait FromJson: Sized {
    fn from_json(value: &Value) -> Result<Self>;
}

/// An object, to be read field by field.
pub(super) struct Object<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Object<'a> {
    pub(super) fn of(value: &'a Value) -> Result<Self> {
        let object = value.as_object().map(Self);
        object.ok_or_else(|| JsonError::wrong_type(value, "an object"))
    }

    /// The field `name`; the default where it is absent or `null`.
    pub(super) fn get<T: FromJson + Default>(&self, name: &str) -> Result<T> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(T::default()),
            Some(value) => T::from_json(value).map_err(|error| error.below(&format!(".{name}"))),
        }
    }
}

/// Implements [`FromJson`] for a struct: each field, and its name in Kubernetes.
macro_rules! read_fields {
    ($type:ident { $($field:ident: $name:literal,)+ }) => {
        impl FromJson for $type {
            fn from_json(value: &Value) -> Result<Self> {
                let object = Object::of(value)?;
                Ok(Self { $($field: object.get($name)?),+ })
            }
        }
    };
}
pub(super) use read_fields;

/// Reads what serde knows, as serde does and in its words.
fn by_serde<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T> {
    T::deserialize(value).map_err(|error| JsonError::new("", error.to_string()))
}

impl FromJson for String {
    fn from_json(value: &Value) -> Result<Self> {
        by_serde(value)
    }
}

impl FromJson for i64 {
    fn from_json(value: &Value) -> Result<Self> {
        by_serde(value)
    }
}

impl FromJson for i32 {
    fn from_json(value: &Value) -> Result<Self> {
        by_serde(value)
    }
}

/// Written as a string or as a number; a whole number may have a point.
impl FromJson for Quantity {
    fn from_json(value: &Value) -> Result<Self> {
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
        Self::parse(text.trim())
            .map_err(|error| JsonError::new("", format!("{text:?} is no quantity: {error}")))
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: &Value) -> Result<Self> {
        T::from_json(value).map(Some)
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(value: &Value) -> Result<Self> {
        T::from_json(value).map(Self::new)
    }
}

/// A list, with the default for each `null` in it.
impl<T: FromJson + Default> FromJson for Vec<T> {
    fn from_json(value: &Value) -> Result<Self> {
        let Some(values) = value.as_array() else {
            return Err(JsonError::wrong_type(value, "a list"));
        };
        let element = |(index, value): (usize, &Value)| {
            if value.is_null() {
                return Ok(T::default());
            }
            T::from_json(value).map_err(|error| error.below(&format!("[{index}]")))
        };
        values.iter().enumerate().map(element).collect()
    }
}

impl<T: FromJson + Default> FromJson for Box<[T]> {
    fn from_json(value: &Value) -> Result<Self> {
        Vec::from_json(value).map(Vec::into_boxed_slice)
    }
}

/// Texts by key; `null` is the empty text.
impl FromJson for BTreeMap<String, String> {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        let keys = object.0.keys();
        keys.map(|key| Ok((key.clone(), object.get(key)?)))
            .collect()
    }
}
