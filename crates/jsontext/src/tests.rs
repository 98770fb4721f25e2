use alloc::string::String;
use serde_json::{Value, json};

use crate::Json;

fn parsed(json: Json) -> Value {
    serde_json::from_str(&json.into_text()).unwrap()
}

#[test]
fn strings_are_escaped() {
    for (name, text, expected) in [
        ("empty", "", r#"{"k":""}"#),
        ("plain", "a/b", r#"{"k":"a/b"}"#),
        ("quote", "\"", r#"{"k":"\""}"#),
        ("backslash", "\\", r#"{"k":"\\"}"#),
        ("quote after backslash", "\\\"", r#"{"k":"\\\""}"#),
        ("short ones", "\n\r\t", r#"{"k":"\n\r\t"}"#),
        ("first control", "\0", r#"{"k":"\u0000"}"#),
        ("last control", "\u{1f} ", r#"{"k":"\u001f "}"#),
        ("beyond ASCII", "ä€😀\u{7f}", "{\"k\":\"ä€😀\u{7f}\"}"),
        ("brackets", "{[:,]}", r#"{"k":"{[:,]}"}"#),
    ] {
        let mut json = Json::new();
        json.text("k", text);
        let written = json.into_text();
        assert_eq!(written, expected, "{name}");
        let value: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(value["k"], text, "{name}");
    }
}

#[test]
fn every_character_is_read_again() {
    let all: String = ('\0'..=char::MAX).collect();
    let mut json = Json::new();
    json.text(&all, &all);
    let read = parsed(json);
    let (key, value) = read.as_object().unwrap().iter().next().unwrap();
    assert!(*key == all && *value == all);
}

#[test]
fn members_of_every_kind() {
    let mut json = Json::new();
    json.int("low", i64::MIN);
    json.opt_int("high", Some(i64::MAX));
    json.opt_int("no int", None);
    json.uint("most", u64::MAX);
    json.opt_uint("zero", Some(0));
    json.opt_uint("no uint", None);
    json.bool("yes", true);
    json.bool("no", false);
    json.null("null");
    json.opt_text("text", Some("{"));
    json.opt_text("no text", None);
    json.show("shown", &format_args!("{}\"{}", 1, 2));
    let expected = json!({
        "low": i64::MIN, "high": i64::MAX, "no int": null,
        "most": u64::MAX, "zero": 0, "no uint": null,
        "yes": true, "no": false, "null": null,
        "text": "{", "no text": null, "shown": "1\"2",
    });
    assert_eq!(parsed(json), expected);
}

#[test]
fn commas_stand_between() {
    assert_eq!(Json::new().into_text(), "{}");
    assert_eq!(Json::default().into_line(), "{}\n");
    let mut json = Json::new();
    json.array("none");
    json.end_array();
    json.object("nothing");
    json.end_object();
    json.array("objects");
    for _ in 0..2 {
        json.item_object();
        json.end_object();
    }
    json.item_object();
    json.array("[");
    json.item(&"[");
    json.item(&'{');
    json.item(&1);
    json.end_array();
    json.object("{");
    json.bool("a", true);
    json.bool("b", true);
    json.end_object();
    json.end_object();
    json.end_array();
    json.null("last");
    let inner = r#"{"[":["[","{","1"],"{":{"a":true,"b":true}}"#;
    let expected = r#"{"none":[],"nothing":{},"objects":[{},{},INNER],"last":null}"#;
    assert_eq!(json.into_text(), expected.replace("INNER", inner));
}
