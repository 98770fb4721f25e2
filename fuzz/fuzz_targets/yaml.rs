//! YAML and JSON: no panic, the same answer twice, and what was read can be
//! written as JSON and read again, as JSON and as YAML.
#![no_main]
// options: -max_len=262144
// parses: crates/manifest/src/yaml/reader/build.rs
// parses: crates/manifest/src/yaml/reader/scalar.rs
// parses: crates/manifest/src/yaml/json/mod.rs
// parses: crates/manifest/src/yaml/limits.rs
// parses: crates/manifest/src/yaml/parse.rs
// parses: crates/manifest/src/yaml/reader/mod.rs

use evictd_fuzz::in_bounded_memory;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let result = in_bounded_memory(|| evictd_manifest::yaml::parse_documents(input));
    assert_eq!(result, evictd_manifest::yaml::parse_documents(input));
    let documents = match result {
        Ok(documents) => documents,
        Err(error) => {
            assert!(error.line > 0 && error.column > 0);
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for document in documents.iter().filter(|d| d.is_object() || d.is_array()) {
        let json = document.to_string();
        if json.len() + 4 > evictd_manifest::yaml::MAX_BYTES {
            continue;
        }
        let again =
            evictd_manifest::yaml::parse_documents(json.as_bytes()).expect("JSON of what was read");
        assert_eq!(again.len(), 1);
        assert!(
            agree(document, &again[0]),
            "{document} as JSON is {}",
            again[0]
        );
        // The parser refuses some control characters and long keys.
        if let Ok(yaml) = evictd_manifest::yaml::parse_documents(format!("---\n{json}").as_bytes())
        {
            assert_eq!(yaml.len(), 1);
            assert!(
                agree(document, &yaml[0]),
                "{document} as YAML is {}",
                yaml[0]
            );
        }
    }
});

/// Whether both are the same, but for the last bits of fractions: serde_json
/// reads them fast, not exactly.
fn agree(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| agree(a, b)))
        }
        (Value::Number(x), Value::Number(y)) if x != y => match (x.as_f64(), y.as_f64()) {
            (Some(x), Some(y)) => (x - y).abs() <= x.abs() * 1e-14,
            _ => false,
        },
        (a, b) => a == b,
    }
}
