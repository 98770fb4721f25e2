use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use serde_json::{Value, json};

use super::*;

fn parse(text: &str) -> Result<Vec<Value>, String> {
    parse_documents(text.as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn scalars_are_those_of_yaml_1_1() {
    for (text, value) in [
        ("~", json!(null)),
        ("Null", json!(null)),
        ("nULL", json!("nULL")),
        ("yes", json!(true)),
        ("On", json!(true)),
        ("y", json!(true)),
        ("FALSE", json!(false)),
        ("off", json!(false)),
        ("n", json!(false)),
        ("'no'", json!("no")),
        ("\"1\"", json!("1")),
        ("|\n  1\n", json!("1\n")),
        ("0", json!(0)),
        ("-0", json!(0)),
        ("+5", json!(5)),
        ("-5", json!(-5)),
        ("1_000", json!(1000)),
        ("_1", json!("_1")),
        ("010", json!(8)),
        ("0o10", json!(8)),
        ("-0x1F", json!(-31)),
        ("0b101", json!(5)),
        ("08", json!(8)),
        ("0x", json!("0x")),
        ("0x-1", json!("0x-1")),
        ("--1", json!("--1")),
        ("9223372036854775807", json!(i64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("18446744073709551615", json!(u64::MAX)),
        ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
        ("1.5", json!(1.5)),
        ("1.", json!(1)),
        (".5", json!(0.5)),
        (".5_0", json!(".5_0")),
        ("1.0", json!(1)),
        ("1e3", json!(1000)),
        ("1e400", json!("1e400")),
        ("1k", json!("1k")),
        ("100Mi", json!("100Mi")),
        ("1:30", json!("1:30")),
        ("2024-01-02", json!("2024-01-02")),
        ("+inf", json!("+inf")),
        ("infinity", json!("infinity")),
        ("!!str 5", json!("5")),
        ("!!int '5'", json!(5)),
        ("!!float 5", json!(5)),
        ("!mine 5", json!("5")),
    ] {
        assert_eq!(parse(text), Ok(vec![value]), "{text}");
    }
}

#[test]
fn decimals_may_lack_digits_on_one_side() {
    for (text, value) in [
        ("+1.5E+3", json!(1500)),
        ("-0.0", json!(0)),
        ("007.50", json!(7.5)),
        ("1e-400", json!(0)),
        ("1.5e-7", json!(1.5e-7)),
        ("-.5", json!(-0.5)),
        (".", json!(".")),
        ("+", json!("+")),
        ("+e5", json!("+e5")),
        ("+-1.5", json!("+-1.5")),
        ("1.5.5", json!("1.5.5")),
        ("1e5.5", json!("1e5.5")),
        ("1e5-5", json!("1e5-5")),
        ("1e5e5", json!("1e5e5")),
        ("1e", json!("1e")),
        ("1.5 2", json!("1.5 2")),
        ("1.5e5 2", json!("1.5e5 2")),
    ] {
        assert_eq!(parse(text), Ok(vec![value]), "{text}");
    }
}

#[test]
fn structure_becomes_json() {
    for (name, text, documents) in [
        ("nothing", "", vec![]),
        ("comment", "# x\n", vec![]),
        ("mark", "\u{feff}a: 1\n", vec![json!({"a": 1})]),
        (
            "windows lines",
            "a: 1\r\nb: c\r\n",
            vec![json!({"a": 1, "b": "c"})],
        ),
        (
            "block",
            "a:\n- b\n- c: d\n",
            vec![json!({"a": ["b", {"c": "d"}]})],
        ),
        ("flow", "{a: [b, c]}", vec![json!({"a": ["b", "c"]})]),
        ("no value", "a:\n", vec![json!({"a": null})]),
        (
            "keys",
            "1: a\nyes: b\n1.5: c\n",
            vec![json!({"1": "a", "true": "b", "1.5": "c"})],
        ),
        (
            "documents",
            "a: 1\n---\n---\nb\n...\n",
            vec![json!({"a": 1}), json!(null), json!("b")],
        ),
        (
            "alias",
            "a: &x [1]\nb: *x\n",
            vec![json!({"a": [1], "b": [1]})],
        ),
        (
            "anchor set again",
            "- &x 1\n- *x\n- &x 2\n- *x\n",
            vec![json!([1, 1, 2, 2])],
        ),
        (
            "merge",
            "a: &a {x: 1, z: 2}\nb:\n  <<: *a\n  x: 3\n",
            vec![json!({"a": {"x": 1, "z": 2}, "b": {"x": 3, "z": 2}})],
        ),
        (
            "merge several, the first wins",
            "<<: [{x: 1}, {x: 2, z: 2}]\n",
            vec![json!({"x": 1, "z": 2})],
        ),
        ("quoted merge", "'<<': 1\n", vec![json!({"<<": 1})]),
    ] {
        assert_eq!(parse(text), Ok(documents), "{name}");
    }
}

#[test]
fn json_is_read_as_json() {
    for (name, text, documents) in [
        (
            "surrogates",
            r#"{"a":"\ud83d\ude00"}"#,
            vec![json!({"a": "😀"})],
        ),
        ("tabs", "\t{\n\t\"a\":\t1\n}", vec![json!({"a": 1})]),
        (
            "a stream",
            "{}\n{}[1]",
            vec![json!({}), json!({}), json!([1])],
        ),
        (
            "numbers",
            "[1.0, 1e2, 1.5, -1]",
            vec![json!([1, 100, 1.5, -1])],
        ),
        (
            "texts stay texts",
            r#"["no", "1"]"#,
            vec![json!(["no", "1"])],
        ),
        (
            "then yaml",
            "{\"a\": 1}\n---\nb: 1\n",
            vec![json!({"a": 1}), json!({"b": 1})],
        ),
    ] {
        assert_eq!(parse(text), Ok(documents), "{name}");
    }
}

/// The scanner took it for the end of the text.
#[test]
fn a_nul_character_hides_nothing_behind_it() {
    for text in ["a: 1\nb\0: 2\n---\nc: 3", "{\"a\":\n7\0}", "[1]\n \0"] {
        let error = parse_documents(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "line 2, column 2: a NUL character", "{text:?}");
    }
}

#[test]
fn errors_say_where() {
    for (text, message) in [
        (
            "a: 1\nb: [1\n",
            "line 3, column 1: while parsing a flow sequence, expected ',' or ']'",
        ),
        (
            "a: 1\n a: 2\n",
            "line 2, column 3: mapping values are not allowed in this context",
        ),
        (
            "a: 1\n\"a\": 2\n",
            "line 2, column 1: the key \"a\" is there twice",
        ),
        (
            "{\"a\": 1,\n \"a\": 2}",
            "line 2, column 4: the key \"a\" is there twice",
        ),
        (
            "a: .inf\n",
            "line 1, column 4: .inf is no number that JSON can say",
        ),
        (
            "~: 1\n",
            "line 1, column 1: a key must be a text, a number or a boolean",
        ),
        (
            "? [a]\n: b\n",
            "line 1, column 3: a key must be a text, a number or a boolean",
        ),
        ("a: !!int x\n", "line 1, column 10: \"x\" is no !!int"),
        (
            "a: !!binary aGk=\n",
            "line 1, column 13: \"aGk=\" is no !!binary",
        ),
        (
            "a: &x [*x]\n",
            "line 1, column 8: an alias inside what it stands for",
        ),
        (
            "a: *x\n",
            "line 1, column 4: while parsing node, found unknown anchor",
        ),
        (
            "<<: 1\n",
            "line 1, column 5: << needs a mapping or a list of mappings",
        ),
    ] {
        assert_eq!(parse(text), Err(message.to_string()), "{text}");
    }
    let error = parse_documents(b"a: 1\nb\xff").unwrap_err();
    assert_eq!(error.to_string(), "line 2, column 2: not UTF-8");
    assert_eq!(
        (&error.kind, error.line, error.column),
        (&ErrorKind::NotUtf8, 2, 2)
    );
}

#[test]
fn hostile_input_is_refused() {
    let nest = |open: &str, close: &str, count: usize| {
        format!("{}1{}", open.repeat(count), close.repeat(count))
    };
    let laughs: String = (0..30)
        .map(|level| match level {
            0 => "a0: &a0 [x, x]\n".to_string(),
            _ => format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1),
        })
        .collect();
    let ladder: String = (0..400)
        .map(|level| match level {
            0 => "- &a0 [x]\n".to_string(),
            _ => format!("- &a{level} [*a{}]\n", level - 1),
        })
        .collect();
    let long = format!(
        "a: &a {}\nb: [{}]\n",
        "x".repeat(64 << 10),
        "*a, ".repeat(8)
    );
    for (name, text, message) in [
        ("bytes", "a".repeat(MAX_BYTES + 1), "more than 262144 bytes"),
        ("nodes", "- 1\n".repeat(MAX_NODES), "more than 20000 values"),
        (
            "json nodes",
            format!("[{}1]", "1,".repeat(MAX_NODES)),
            "more than 20000 values",
        ),
        (
            "depth",
            nest("- ", "", MAX_DEPTH + 1),
            "nested more than 64 deep",
        ),
        (
            "json depth",
            nest("[", "]", MAX_DEPTH + 1),
            "nested more than 64 deep",
        ),
        ("laughs", laughs, "more than 20000 values"),
        ("depth by aliases", ladder, "nested more than 64 deep"),
        ("text by aliases", long, "more than 262144 bytes"),
    ] {
        let error = parse_documents(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind.to_string(), message, "{name}");
    }
    assert!(parse(&nest("- ", "", MAX_DEPTH)).is_ok());
    assert!(parse(&nest("[", "]", MAX_DEPTH)).is_ok());
    assert!(parse(&"- 1\n".repeat(MAX_NODES - 1)).is_ok());
}
