//! One member of an answer, or line of a request, is absurd: it costs itself, or the request.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs
)]

use evictd_client::{MOST_BYTES, Parsed, Response, View, find_body, parse_request};
use evictd_node::{Condition, Signal};
use evictd_testkit::poison::{Items, Poison, json_values, lines};
use serde_json::json;

// Each reader of this crate, as ci/deps finds them, and the test that poisons what it reads.
// readers: View::from, find_body -> a_member_of_the_view_costs_itself, an_answer_is_whole
// readers: parse_request -> a_line_of_a_request_costs_that_request

/// The members of the daemon's answer, and where one value stands in each.
const VIEW: [(&str, &str); 7] = [
    ("flags", "[\"--dry-run=true\", HERE]"),
    ("thresholds", "[HERE, \"memory.available<1Gi\"]"),
    ("conditions", "[\"MemoryPressure\", HERE]"),
    (
        "conditionsForSeconds",
        "{\"MemoryPressure\": 7, \"DiskPressure\": HERE}",
    ),
    (
        "readings",
        "{\"memory.available\": {\"available\": 5, \"capacity\": 9}, \"pid.available\": HERE}",
    ),
    (
        "verdicts",
        "{\"memory.available\": {\"whyNone\": \"none\"}, \"pid.available\": {\"whyNone\": HERE}}",
    ),
    ("heldBack", "{\"by\": \"a gate\", \"pod\": HERE}"),
];

fn member((name, value): &(&str, &str), here: &str) -> String {
    format!("\"{name}\":{}", value.replace("HERE", here))
}

/// The daemon's answer with another member in the place of one.
fn view(at: usize, poisoned: &str) -> Option<View> {
    let mut texts: Vec<String> = VIEW.iter().map(|of| member(of, "\"a\"")).collect();
    poisoned.clone_into(&mut texts[at]);
    serde_json::from_str(&format!("{{{}}}", texts.join(","))).ok()
}

fn check(view: &View, but: &str, what: &str) {
    let says = [
        ("flags", view.flags.contains(&"--dry-run=true".to_owned())),
        (
            "thresholds",
            view.thresholds.contains(&"memory.available<1Gi".to_owned()),
        ),
        (
            "conditions",
            view.conditions().has(Condition::MemoryPressure),
        ),
        (
            "conditionsForSeconds",
            view.holds_for_seconds(Condition::MemoryPressure) == Some(7),
        ),
        (
            "readings",
            view.readings().get(Signal::MemoryAvailable).is_some(),
        ),
        (
            "verdicts",
            view.verdict(Signal::MemoryAvailable) == Some(&json!({"whyNone": "none"})),
        ),
        (
            "heldBack",
            view.held_back(Signal::PidAvailable)
                .is_some_and(|of| of.to_string().ends_with("a gate")),
        ),
    ];
    for (name, is_there) in says {
        assert!(is_there || name == but, "{what}: {name}");
    }
}

#[test]
fn a_member_of_the_view_costs_itself() {
    for (at, of) in VIEW.iter().enumerate() {
        let name = of.0;
        for Poison { name: poison, text } in json_values() {
            let Ok(text) = String::from_utf8(text) else {
                continue;
            };
            let what = format!("{name}: {poison}");
            // What is no JSON at all is no answer.
            let is_json = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            let inner = view(at, &member(of, &text));
            assert_eq!(inner.is_some(), is_json, "{what}");
            let outer = view(at, &format!("\"{name}\":{text}"));
            assert_eq!(outer.is_some(), is_json, "{what}");
            inner.iter().for_each(|view| check(view, "", &what));
            outer.iter().for_each(|view| check(view, name, &what));
        }
        check(&view(at, "\"other\":0").unwrap(), name, "missing");
    }
}

#[test]
fn an_answer_is_whole() {
    let answer = Response::of_text("body\n".to_owned()).in_text();
    let items: Vec<String> = answer.split("\r\n").map(str::to_owned).collect();
    let file = Items {
        before: "",
        items: &items,
        between: "\r\n",
        after: "",
    };
    assert_eq!(find_body(&file.whole()), Some("body\n"));
    for at in 0..items.len() {
        for Poison { name, text } in lines() {
            let answer = file.with(at, &text);
            let body = find_body(&answer);
            let is_last = at + 1 == items.len();
            let is_fine = body.is_none_or(|body| body == "body\n" || (is_last && body.len() == 5));
            assert!(is_fine, "{name} in line {at}: {body:?}");
        }
    }
    let answer = file.whole();
    for length in 0..answer.len() {
        assert_eq!(find_body(&answer[..length]), None, "cut at {length}");
    }
}

#[test]
fn a_line_of_a_request_costs_that_request() {
    let items: Vec<String> = (0..40)
        .map(|number| format!("X-{number}: {number}"))
        .collect();
    let file = Items {
        before: "GET /metrics?x HTTP/1.1\r\n",
        items: &items,
        between: "\r\n",
        after: "\r\n\r\n",
    };
    assert_eq!(parse_request(&file.whole()), Parsed::Get("/metrics"));
    file.each_poisoned(&lines(), |bytes, _, what| {
        let parsed = parse_request(bytes);
        let is_right = matches!(parsed, Parsed::Get("/metrics") | Parsed::Malformed(_));
        assert!(is_right, "{what}: {parsed:?}");
        assert!(
            bytes.len() < MOST_BYTES || parsed != Parsed::Incomplete,
            "{what}"
        );
    });
    for Poison { name, text } in lines() {
        let line = [b"GET /", &text[..], b" HTTP/1.1\r\n\r\n"].concat();
        if let Parsed::Get(path) = parse_request(&line) {
            let is_plain = path.bytes().all(|of| of.is_ascii_graphic());
            assert!(path.starts_with('/') && is_plain, "{name}");
        }
    }
}
