//! The JSON writer: whatever is put into it, one line comes out, which another
//! parser reads as what was put in.
#![no_main]

use evictd_jsontext::Json;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

const DEPTH: u8 = 8;

/// Adds a member and says what it is.
fn member(json: &mut Json, key: &str, input: &mut Unstructured<'_>, depth: u8) -> Result<Value> {
    Ok(match input.arbitrary::<u8>()? % 11 {
        0 => {
            let value: char = input.arbitrary()?;
            json.show(key, &value);
            value.to_string().into()
        }
        1 => {
            let value: i64 = input.arbitrary()?;
            json.int(key, value);
            value.into()
        }
        2 => {
            let value: u64 = input.arbitrary()?;
            json.uint(key, value);
            value.into()
        }
        3 => {
            let value: bool = input.arbitrary()?;
            json.bool(key, value);
            value.into()
        }
        4 => {
            let value: Option<i64> = input.arbitrary()?;
            json.opt_int(key, value);
            value.into()
        }
        5 => {
            let value: Option<u64> = input.arbitrary()?;
            json.opt_uint(key, value);
            value.into()
        }
        6 => {
            let value: Option<&str> = input.arbitrary()?;
            json.opt_text(key, value);
            value.into()
        }
        7 if depth > 0 => {
            json.object(key);
            let value = members(json, input, depth - 1);
            json.end_object();
            value
        }
        8 if depth > 0 => {
            json.array(key);
            let value = items(json, input, depth - 1);
            json.end_array();
            value
        }
        9 => {
            json.null(key);
            Value::Null
        }
        _ => {
            let value: &str = input.arbitrary()?;
            json.text(key, value);
            value.into()
        }
    })
}

/// The text of one more; of no bytes, `arbitrary` would make values for ever.
fn next<'a>(input: &mut Unstructured<'a>) -> Option<&'a str> {
    let more = !input.is_empty() && input.ratio(7, 8).ok()?;
    more.then(|| input.arbitrary().ok()).flatten()
}

/// Members until the input ends or says so.
fn members(json: &mut Json, input: &mut Unstructured<'_>, depth: u8) -> Value {
    let mut members = Map::new();
    while let Some(text) = next(input) {
        // The number keeps the keys apart.
        let key = format!("{}:{text}", members.len());
        match member(json, &key, input, depth) {
            Ok(value) => members.insert(key, value),
            Err(_) => break,
        };
    }
    Value::Object(members)
}

fn items(json: &mut Json, input: &mut Unstructured<'_>, depth: u8) -> Value {
    let mut items = Vec::new();
    while let Some(text) = next(input) {
        items.push(if text.is_empty() {
            json.item_object();
            let value = members(json, input, depth);
            json.end_object();
            value
        } else {
            json.item(&text);
            text.into()
        });
    }
    Value::Array(items)
}

fuzz_target!(|bytes: &[u8]| {
    let mut json = Json::new();
    let expected = members(&mut json, &mut Unstructured::new(bytes), DEPTH);
    let line = json.into_line();
    let text = line.strip_suffix('\n').expect("a line");
    assert!(!text.contains(|c: char| c < ' '));
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), expected);
});
