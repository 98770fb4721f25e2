use alloc::string::{String, ToString};
use alloc::vec::Vec;

use evictd_quantity::Quantity;
use serde_json::{Map, Number, Value};

use super::JsonError;

/// How a value becomes a `T`.
pub(super) type Read<T> = fn(&Value) -> Result<T, JsonError>;

/// An object, to be read field by field.
pub(super) struct Object<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Object<'a> {
    pub(super) fn of(value: &'a Value) -> Result<Self, JsonError> {
        let object = value.as_object().map(Self);
        object.ok_or_else(|| JsonError::wrong_type(value, "an object"))
    }

    /// The field `name`; `None` where it is absent or `null`.
    pub(super) fn get<T>(&self, name: &str, read: Read<T>) -> Result<Option<T>, JsonError> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let field = read(value).map_err(|error| error.below(format_args!(".{name}")))?;
        Ok(Some(field))
    }

    /// The field `name`; the default where it is absent or `null`.
    pub(super) fn or_default<T: Default>(&self, name: &str, read: Read<T>) -> Result<T, JsonError> {
        Ok(self.get(name, read)?.unwrap_or_default())
    }

    /// The list in the field `name`, with the default for each `null` in it;
    /// empty where the field is absent or `null`.
    pub(super) fn list<T: Default>(&self, name: &str, read: Read<T>) -> Result<Vec<T>, JsonError> {
        let mut list = Vec::new();
        for (index, value) in self.elements(name)?.iter().enumerate() {
            list.push(if value.is_null() {
                T::default()
            } else {
                read(value).map_err(|error| error.below(format_args!(".{name}[{index}]")))?
            });
        }
        Ok(list)
    }

    fn elements(&self, name: &str) -> Result<&'a [Value], JsonError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(&[]),
            Some(Value::Array(values)) => Ok(values),
            Some(other) => {
                let error = JsonError::wrong_type(other, "a list");
                Err(error.below(format_args!(".{name}")))
            }
        }
    }
}

pub(super) fn read_text(value: &Value) -> Result<String, JsonError> {
    let text = value.as_str().map(String::from);
    text.ok_or_else(|| JsonError::wrong_type(value, "a string"))
}

pub(super) fn read_bool(value: &Value) -> Result<bool, JsonError> {
    let boolean = value.as_bool();
    boolean.ok_or_else(|| JsonError::wrong_type(value, "a boolean"))
}

pub(super) fn read_i64(value: &Value) -> Result<i64, JsonError> {
    let number = value.as_i64();
    number.ok_or_else(|| JsonError::no_integer(value, "i64"))
}

pub(super) fn read_i32(value: &Value) -> Result<i32, JsonError> {
    let number = value.as_i64().and_then(|number| number.try_into().ok());
    number.ok_or_else(|| JsonError::no_integer(value, "i32"))
}

/// A quantity, written as a string or as a number.
pub(super) fn read_quantity(value: &Value) -> Result<Quantity, JsonError> {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => &plain(number),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            return Err(JsonError::wrong_type(value, "a quantity"));
        }
    };
    Quantity::parse(text.trim().as_bytes())
        .map_err(|error| JsonError::new(format_args!("{text:?} is no quantity: {error}")))
}

/// A number as text; a whole one without the point that it may have had.
fn plain(number: &Number) -> String {
    let text = number.to_string();
    String::from(text.strip_suffix(".0").unwrap_or(&text))
}
