use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use evictd_quantity::Quantity;
use serde_json::{Map, Number, Value};

use super::error::{JsonError, Result};

/// Reads a value into what holds the default until then.
pub(super) type Read<T> = fn(&Value, &mut T) -> Result;

/// An object, to be read field by field.
pub(super) struct Object<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Object<'a> {
    pub(super) fn of(value: &'a Value) -> Result<Self> {
        let object = value.as_object().map(Self);
        object.ok_or_else(|| JsonError::wrong_type(value, "an object"))
    }

    /// The field `name`; `None` where it is absent or `null`.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Reads the field `name`, where it is there.
    pub(super) fn read<T>(&self, name: &str, field: &mut T, read: Read<T>) -> Result {
        let Some(value) = self.get(name) else {
            return Ok(());
        };
        read(value, field).map_err(|error| error.below(format_args!(".{name}")))
    }

    /// Reads the field `name`; `None` where it is not there.
    pub(super) fn read_option<T: Default>(
        &self,
        name: &str,
        field: &mut Option<T>,
        read: Read<T>,
    ) -> Result {
        if self.get(name).is_some() {
            self.read(name, field.insert(T::default()), read)?;
        }
        Ok(())
    }

    /// Reads the list in the field `name`, with the default for each `null` in it.
    pub(super) fn read_list<T: Default>(
        &self,
        name: &str,
        list: &mut Vec<T>,
        read: Read<T>,
    ) -> Result {
        for (index, value) in self.elements(name)?.iter().enumerate() {
            let mut element = T::default();
            if !value.is_null() {
                read(value, &mut element)
                    .map_err(|error| error.below(format_args!(".{name}[{index}]")))?;
            }
            list.push(element);
        }
        Ok(())
    }

    fn elements(&self, name: &str) -> Result<&'a [Value]> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(values)) => Ok(values),
            Some(other) => {
                let error = JsonError::wrong_type(other, "a list");
                Err(error.below(format_args!(".{name}")))
            }
        }
    }
}

pub(super) fn read_text(value: &Value, field: &mut String) -> Result {
    let text = value.as_str();
    field.push_str(text.ok_or_else(|| JsonError::wrong_type(value, "a string"))?);
    Ok(())
}

pub(super) fn read_bool(value: &Value, field: &mut bool) -> Result {
    let boolean = value.as_bool();
    *field = boolean.ok_or_else(|| JsonError::wrong_type(value, "a boolean"))?;
    Ok(())
}

pub(super) fn read_i64(value: &Value, field: &mut i64) -> Result {
    let number = value.as_i64();
    *field = number.ok_or_else(|| JsonError::no_integer(value, "i64"))?;
    Ok(())
}

pub(super) fn read_i32(value: &Value, field: &mut i32) -> Result {
    let number = value.as_i64().and_then(|number| number.try_into().ok());
    *field = number.ok_or_else(|| JsonError::no_integer(value, "i32"))?;
    Ok(())
}

/// A quantity, written as a string or as a number.
pub(super) fn read_quantity(value: &Value, field: &mut Option<Quantity>) -> Result {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => &plain(number),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            return Err(JsonError::wrong_type(value, "a quantity"));
        }
    };
    let quantity = Quantity::parse(text.trim().as_bytes())
        .map_err(|error| JsonError::new(format_args!("{text:?} is no quantity: {error}")))?;
    *field = Some(quantity);
    Ok(())
}

/// The same, apart.
pub(super) fn read_boxed(value: &Value, field: &mut Option<Box<Quantity>>) -> Result {
    let mut quantity = None;
    read_quantity(value, &mut quantity)?;
    *field = quantity.map(Box::new);
    Ok(())
}

/// A number as text; a whole one without the point that it may have had.
fn plain(number: &Number) -> String {
    let text = number.to_string();
    String::from(text.strip_suffix(".0").unwrap_or(&text))
}
