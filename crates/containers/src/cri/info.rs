//! One value out of a JSON object that may be large: containerd tells a container's
//! whole OCI specification beside its process id.

use core::fmt;

use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::{Deserializer, Value};

/// The value of a key of the object; nothing is built of the rest. `None` where there is
/// no such key, or no object in form.
pub(super) fn find_value(json: &str, key: &str) -> Option<Value> {
    let mut reader = Deserializer::from_str(json);
    let found = reader.deserialize_map(Field { key }).ok()?;
    reader.end().ok()?;
    found
}

struct Field<'k> {
    key: &'k str,
}

impl<'de> Visitor<'de> for Field<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == self.key {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::find_value;

    #[test]
    fn values() {
        for (json, value) in [
            (r#"{"pid":7}"#, Some("7")),
            (r#" { "a" : 1, "pid" : 7 , "b": 2 }"#, Some("7")),
            (r#"{"pid":"x:1","b":2}"#, Some(r#""x:1""#)),
            (r#"{"spec":{"pid":1,"n":[{"pid":2}]},"pid":3}"#, Some("3")),
            (r#"{"a":"\"pid\":1","b":"{[","c":"\\","pid":3}"#, Some("3")),
            (r#"{"a":"pid","b":1}"#, None),
            (r#"{"pid":7"#, None),
            (r#"{"pid":""#, None),
            (r#"{"pid"#, None),
            (r#"[{"pid":7}]"#, None),
            (r#"{"a":}]}]"pid":7}"#, None),
            ("not json", None),
            ("", None),
        ] {
            let found = find_value(json, "pid").map(|value| value.to_string());
            assert_eq!(found.as_deref(), value, "{json}");
        }
    }
}
