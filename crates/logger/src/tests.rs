use log::kv::Value;
use log::{Level, Record};
use serde_json::Value as Json;

use crate::{Format, stream, write_line};

/// The line of a record with these fields.
fn line(format: Format, text: &str, fields: &[(&str, Value<'_>)]) -> String {
    let mut line = Vec::new();
    let mut record = Record::builder();
    record.level(Level::Warn).key_values(&fields);
    let written = write_line(
        &mut line,
        format,
        &record.args(format_args!("{text}")).build(),
    );
    written.unwrap();
    String::from_utf8(line).unwrap()
}

#[test]
fn text_is_time_level_and_sentence() {
    let line = line(Format::Text, "a sentence", &[("event", "met".into())]);
    let (time, rest) = line.split_once(' ').unwrap();
    assert_eq!(rest, "WARN  a sentence\n");
    assert_eq!((time.len(), time.ends_with('Z')), (20, true), "{time}");
}

#[test]
fn json_has_its_fields_in_one_order() {
    let fields = [
        ("pod", "hog".into()),
        ("event", "killed".into()),
        ("millis", 7.into()),
        ("dryRun", true.into()),
    ];
    let line = line(Format::Json, "gone", &fields);
    let (before, rest) = line.split_once(r#","time":"#).unwrap();
    assert!(before.starts_with(r#"{"schema":1,"sequence":"#), "{before}");
    let (time, rest) = rest.split_at(r#""2026-11-20T13:05:06Z","#.len());
    assert!(time.starts_with("\"2") && time.ends_with("Z\","), "{time}");
    assert_eq!(
        rest,
        concat!(
            r#""level":"warn","event":"killed","message":"gone","#,
            r#""pod":"hog","millis":7,"dryRun":true}"#,
            "\n"
        )
    );
}

#[test]
fn a_line_of_no_event_is_called_log_and_is_no_record() {
    let line: Json = serde_json::from_str(&line(Format::Json, "ended", &[])).unwrap();
    assert_eq!(line["event"], "log");
    assert_eq!(line.get("sequence"), None);
}

/// The one test that opens the stream, which all of the process share.
#[test]
fn records_are_kept_whole_and_in_order_as_far_as_there_is_room() {
    stream::open("edge-7".to_owned(), "1-2-3".to_owned());
    let long = "x".repeat(1000);
    for number in 0..30 {
        line(
            Format::Text,
            &long,
            &[("event", "kept".into()), ("number", number.into())],
        );
    }
    let text = stream::take().unwrap();
    assert!(text.len() <= 16 << 10, "{}", text.len());
    let records = text
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap());
    let kept: Vec<Json> = records.filter(|record| record["event"] == "kept").collect();
    let numbers = kept.iter().map(|record| record["number"].as_i64().unwrap());
    let numbers: Vec<i64> = numbers.collect();
    assert!(numbers.len() > 10 && numbers.len() < 30, "{numbers:?}");
    assert!(numbers.is_sorted(), "{numbers:?}");
    let sequences = kept
        .iter()
        .map(|record| record["sequence"].as_u64().unwrap());
    assert!(sequences.is_sorted());
    assert!(
        kept.iter()
            .all(|of| of["node"] == "edge-7" && of["bootId"] == "1-2-3")
    );
    // What was lost left its room.
    line(Format::Text, "after", &[("event", "later".into())]);
    assert!(stream::take().unwrap().contains("\"event\":\"later\""));
}

/// What comes from outside cannot end the line, make a field or move a cursor (acceptance
/// row 198).
#[test]
fn a_line_escapes_what_comes_from_outside() {
    let name = "a\"},\n{\"event\":\"killed\u{0}\u{7f}\u{202e}\\";
    let shown = "a\"},\\u{a}{\"event\":\"killed\\u{0}\\u{7f}\\u{202e}\\";
    let text = line(Format::Text, name, &[]);
    assert!(text.ends_with(&format!(" WARN  {shown}\n")), "{text:?}");
    let line = line(Format::Json, name, &[("pod", name.into())]);
    assert_eq!(line.matches('\n').count(), 1);
    let line: Json = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&line["pod"], &line["message"]),
        (&shown.into(), &shown.into())
    );
    assert_eq!(line["event"], "log");
}

/// Acceptance row 284: no line goes on in the next one.
#[test]
fn a_record_is_one_line_however_long_it_is() {
    for text in [
        "word ".repeat(100),
        "x".repeat(1000),
        "\u{e4} \u{f6}".repeat(200),
    ] {
        let written = line(Format::Text, &text, &[]);
        assert!(written.ends_with(&format!(" WARN  {text}\n")), "{written}");
        assert_eq!(written.lines().count(), 1);
    }
}
