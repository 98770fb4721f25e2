use core::fmt::Write as _;
use std::io::{self, BufReader, Read};

use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// The longest text that is read here.
const MOST: usize = 12;

/// Reads a value of any kind, as one who knows its kind; a text that is too long reads as
/// `null`, a number that is none of 64 bits too.
fn read<R: BufRead>(json: &mut Json<R>) -> Result<Value, ReadError> {
    Ok(match json.bytes.next()? {
        b'{' => {
            let mut map = serde_json::Map::new();
            json.object(|json, key| {
                let value = read(json)?;
                map.entry(key).or_insert(value);
                Ok(())
            })?;
            map.into()
        }
        b'[' => {
            let mut list = Vec::new();
            json.array(|json| {
                list.push(read(json)?);
                Ok(())
            })?;
            list.into()
        }
        b'"' => json.text(MOST)?.into(),
        b't' | b'f' => json.boolean()?.into(),
        b'n' => {
            json.skip()?;
            Value::Null
        }
        _ => json.number::<i64>()?.into(),
    })
}

/// The value of a document, or the error in words.
fn document(text: &[u8], piece: usize) -> Result<Value, String> {
    let mut json = Json::new(BufReader::with_capacity(piece, text));
    let value = read(&mut json);
    let ended = value.and_then(|value| json.end().map(|()| value));
    ended.map_err(|error| error.to_string())
}

/// What is left of a document by these bounds.
fn bounded(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > MOST => Value::Null,
        Value::Number(number) => number.as_i64().into(),
        Value::Array(list) => list.into_iter().map(bounded).collect(),
        Value::Object(map) => {
            let fields = map.into_iter();
            fields.map(|(key, value)| (key, bounded(value))).collect()
        }
        other @ (Value::Null | Value::Bool(_) | Value::String(_)) => other,
    }
}

/// Whether a value is of a kind.
type Ask = fn(&mut Json<BufReader<&[u8]>>) -> Result<bool, ReadError>;

fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        ".{0,16}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..8)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    /// The oracle reads it whole.
    #[test]
    fn what_serde_writes_is_read_as_it_is(value in documents(), piece in 1_usize..40) {
        for text in [serde_json::to_string(&value), serde_json::to_string_pretty(&value)] {
            let read = document(text.unwrap().as_bytes(), piece).unwrap();
            prop_assert_eq!(&read, &bounded(value.clone()));
        }
    }

    /// Whatever it skips, what follows is read.
    #[test]
    fn what_is_skipped_ends_where_it_ends(value in documents(), piece in 1_usize..40) {
        let text = format!("[{value}, {value} ,7]");
        let mut json = Json::new(BufReader::with_capacity(piece, text.as_bytes()));
        let (mut count, mut last) = (0, None);
        json.array(|json| {
            count += 1;
            match count {
                1 => json.skip(),
                2 => Ok(()),
                _ => {
                    last = json.number::<u8>()?;
                    Ok(())
                }
            }
        }).unwrap();
        json.end().unwrap();
        prop_assert_eq!((count, last), (3, Some(7)));
    }

    /// Each kind of value is a fault where another is asked for, and nothing else.
    #[test]
    fn another_kind_costs_the_field_alone(value in documents(), piece in 1_usize..40) {
        let text = format!(r#"{{"a":{value},"b":"x","a":"y"}}"#);
        let ask: [Ask; 5] = [
            |json| Ok(json.text(MOST)?.is_some()),
            |json| Ok(json.number::<i64>()?.is_some()),
            |json| Ok(json.boolean()?.is_some()),
            |json| json.object(|json, _| json.skip()),
            |json| json.array(Json::skip),
        ];
        for ask in ask {
            let mut json = Json::new(BufReader::with_capacity(piece, text.as_bytes()));
            let (mut is_read, mut other, mut again) = (false, None, None);
            json.object(|json, key| {
                match key {
                    "a" if !is_read && other.is_none() => is_read = ask(json)?,
                    "a" => first(&mut again, json.text(MOST)?),
                    _ => first(&mut other, json.text(MOST)?),
                }
                Ok(())
            }).unwrap();
            let fault = (!is_read && !value.is_null()).then_some("a");
            let told = json.fault();
            prop_assert_eq!(told.as_deref(), fault);
            prop_assert_eq!((other.as_deref(), again.as_deref()), (Some("x"), Some("y")));
        }
    }

    /// How the stream is cut changes nothing, neither what is read nor what is wrong with it;
    /// and what the oracle reads is read.
    #[test]
    fn bytes_of_any_kind_do_no_harm(
        text in prop_oneof![
            "[\\[\\]{}:,\"\\\\u0-9a-f truenls.eE+-]{0,40}".prop_map(String::into_bytes),
            prop::collection::vec(any::<u8>(), 0..60),
        ],
        piece in 1_usize..9,
    ) {
        let whole = document(&text, 1 << 16);
        prop_assert_eq!(document(&text, piece), whole.clone());
        if let Ok(value) = serde_json::from_slice::<Value>(&text) {
            prop_assert!(whole.is_ok(), "{value}");
        }
    }
}

fn text(inside: &str) -> Option<String> {
    let text = format!("\"{inside}\"");
    let mut json = Json::new(text.as_bytes());
    let read = json.text(MOST).unwrap();
    json.end().unwrap();
    assert_eq!(json.fault().is_some(), read.is_none(), "{inside}");
    read
}

#[test]
fn texts_that_cannot_be_read_cost_themselves_alone() {
    for (inside, expected) in [
        (r"\u00e9\n\/\\\u0000", Some("é\n/\\\0")),
        (r"\ud83d\ude00", Some("😀")),
        (r"\ud83d", None),
        (r"\ude00", None),
        (r"\ud83dx", None),
        (r"\ud83d\n", None),
        (r"\ud83d\ud83d", None),
        (r"\ud83dé", None),
        (r"\x41", None),
        (r"\u00g1", None),
        (r"\u12", None),
        ("0123456789ab", Some("0123456789ab")),
        ("0123456789abc", None),
        ("0123456789aé", None),
        ("a\tb", Some("a\tb")),
    ] {
        assert_eq!(text(inside).as_deref(), expected, "{inside}");
    }
    let mut json = Json::new(&b"[\"a\xff\",\"b\"]"[..]);
    let mut read = Vec::new();
    let all = json.array(|json| {
        read.push(json.text(MOST)?);
        Ok(())
    });
    assert_eq!((all.unwrap(), read), (true, vec![None, Some("b".into())]));
}

#[test]
fn numbers_that_do_not_fit_cost_themselves_alone() {
    let number = |text: &str| {
        let mut json = Json::new(text.as_bytes());
        (json.number::<u32>().unwrap(), json.fault().is_some())
    };
    assert_eq!(number("4294967295"), (Some(u32::MAX), false));
    for odd in [
        "4294967296",
        "-1",
        "1.5",
        "1e3",
        "9223372036854775808",
        &"9".repeat(1000),
        "true",
        "\"7\"",
        "{\"a\":[1]}",
    ] {
        assert_eq!(number(odd), (None, true), "{odd}");
    }
    assert_eq!(number("null"), (None, false));
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    let long = "1".repeat(30) + "x";
    for (text, what) in [
        ("", "JSON that ends at byte 0"),
        ("[", "JSON that ends at byte 1"),
        ("{\"a\"", "JSON that ends at byte 4"),
        ("[1 2]", "no JSON at byte 3"),
        ("[1,]", "no JSON at byte 3"),
        ("{1:2}", "no JSON at byte 1"),
        ("{\"a\":}", "no JSON at byte 5"),
        ("nul", "no JSON at byte 3"),
        ("+1", "no JSON at byte 2"),
        ("\u{feff}1", "no JSON at byte 0"),
        (&long, "no JSON at byte 31"),
        ("1 1", "no JSON at byte 2"),
    ] {
        let failure = document(text.as_bytes(), 7).unwrap_err();
        assert_eq!(failure, what, "{text}");
    }
}

/// Deep or long, what is passed over takes no memory and no stack.
#[test]
fn what_is_passed_over_has_no_bound() {
    const LENGTH: u64 = 2 << 20;
    let deep = io::repeat(b'[')
        .take(LENGTH)
        .chain(io::repeat(b']').take(LENGTH));
    let long = b"\"".chain(io::repeat(b'x').take(LENGTH)).chain(&b"\""[..]);
    let key = b"\""
        .chain(io::repeat(b'k').take(LENGTH))
        .chain(&b"\":0,"[..]);
    let text = b"{\"a\":".chain(deep).chain(&b",\"b\":"[..]).chain(long);
    let text = text.chain(&b","[..]).chain(key).chain(&b"\"c\":1}"[..]);
    let mut json = Json::new(BufReader::new(text));
    let (mut keys, mut number) = (String::new(), None);
    json.object(|json, key| {
        let _ = write!(keys, "{key}.");
        match key {
            "b" => drop(json.text(MOST)?),
            "c" => number = json.number::<u8>()?,
            _ => {}
        }
        Ok(())
    })
    .unwrap();
    json.end().unwrap();
    assert_eq!((&*keys, number), ("a.b..c.", Some(1)));
    assert_eq!(json.fault().as_deref(), Some("b"));
}
