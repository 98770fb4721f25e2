//! JSON objects in less code than `json!` makes of them.

use serde_json::{Map, Value};

/// The object with these fields.
pub(crate) fn object(fields: Vec<(&'static str, Value)>) -> Value {
    let mut map = Map::new();
    for (key, value) in fields {
        map.insert(key.to_owned(), value);
    }
    Value::Object(map)
}
