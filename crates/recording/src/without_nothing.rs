use alloc::vec::Vec;

use serde_json::Value;

/// The value without the fields that say nothing: that are null, false or an empty list.
pub(crate) fn without_nothing(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter();
            let fields = fields.map(|(name, value)| (name, without_nothing(value)));
            fields.filter(|(_, value)| !is_nothing(value)).collect()
        }
        Value::Array(list) => list.into_iter().map(without_nothing).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn is_nothing(value: &Value) -> bool {
    let is_empty = value.as_array().is_some_and(Vec::is_empty);
    is_empty || *value == Value::Null || *value == Value::Bool(false)
}
