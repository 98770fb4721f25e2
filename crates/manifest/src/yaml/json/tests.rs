//! Without the feature `yaml`.

use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::json;

use crate::yaml::parse_documents;

#[test]
fn json_is_read_as_with_yaml() {
    for (text, expected) in [
        ("", Ok(Vec::new())),
        (" \n", Ok(Vec::new())),
        (
            "{\"a\": [1.0, 2e3, null]} {}",
            Ok([json!({"a": [1, 2000, null]}), json!({})].into()),
        ),
        (
            "a: 1\n",
            Err("line 1, column 1: not JSON, and YAML is not built in"),
        ),
        (
            "{\"a\": 1,\n b: 2}",
            Err("line 2, column 2: not JSON, and YAML is not built in"),
        ),
        (
            "{\"a\": 1, \"a\": 2}",
            Err("line 1, column 12: the key \"a\" is there twice"),
        ),
    ] {
        let read = parse_documents(text.as_bytes()).map_err(|error| error.to_string());
        assert_eq!(read, expected.map_err(ToString::to_string), "{text:?}");
    }
}
