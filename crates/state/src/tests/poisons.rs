//! One item of many is absurd: it costs itself, and no other.

use std::fs;

use evictd_testkit::poison::{Items, Poison, json_values, lines};
use serde_json::{Map, Value};

use super::disk::Place;
use super::*;
use crate::damaged;

/// Each reader of this crate, as `ci/deps` finds them, and the test that poisons what it reads.
/// readers: parse -> a_member_costs_itself, an_entry_of_a_list_costs_itself
/// readers: parse -> an_entry_of_an_object_costs_itself, a_member_of_a_record_costs_itself
/// readers: parse_begun, read_state -> a_line_of_begun_costs_itself
/// readers: read_events -> a_line_of_the_journal_costs_itself
const COUNT: usize = 40;

fn members(object: &Value) -> Vec<(String, Value)> {
    let members: &Map<String, Value> = object.as_object().unwrap();
    members
        .iter()
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect()
}

/// The members as they are written.
fn texts(members: &[(String, Value)]) -> Vec<String> {
    let text = |(key, value): &(String, Value)| format!("\"{key}\":{value}");
    members.iter().map(text).collect()
}

fn poisons_of(key: &str) -> Vec<Poison> {
    let mut poisons = json_values();
    for poison in &mut poisons {
        poison.text = [format!("\"{key}\":").as_bytes(), &poison.text].concat();
    }
    poisons.push(Poison {
        name: "missing",
        text: b"\"other\":0".to_vec(),
    });
    poisons
}

/// A state with many entries in each list.
fn many() -> State {
    let mut state = full();
    state.history.clear();
    state.reliefs.clear();
    for number in 0..COUNT {
        let mut record = record(&format!("uid-{number}"));
        record.wall_seconds += number as u64;
        state.push(record);
    }
    // One fewer than are kept, so that one more pushes none out.
    for number in 1..RELIEFS as u64 {
        state.push_relief(Relief::new(number * 100, "logs", Some(number), "a log"));
    }
    let ids: Vec<String> = (0..COUNT).map(|n| format!("sha256:{n:032x}")).collect();
    let ids: Vec<_> = ids.iter().map(|id| (id.as_str(), true)).collect();
    state.images.observe(1_000_001, "unix:///run/a.sock", &ids);
    state.protected = (0..COUNT)
        .map(|n| {
            (
                format!("docker/{n:02}").into(),
                "unix:///run/a.sock".to_owned(),
            )
        })
        .collect();
    state
}

fn value_of(state: &State) -> Value {
    to_json(state).parse().unwrap()
}

const fn object(members: &[String]) -> Items<'_> {
    Items {
        before: "{",
        items: members,
        between: ",",
        after: "}",
    }
}

#[test]
fn a_member_costs_itself() {
    let state = many();
    let all = members(&value_of(&state));
    let items = texts(&all);
    let file = object(&items);
    for (at, (key, _)) in all.iter().enumerate() {
        for Poison { name, text } in poisons_of(key) {
            let bytes = file.with(at, &text);
            if key == "kind" || key == "version" {
                assert!(parse(&bytes).is_err(), "{key}: {name}");
                continue;
            }
            let read = parse(&bytes).unwrap_or_else(|error| panic!("{key}: {name}: {error}"));
            let read = value_of(&read);
            for (other, value) in &all {
                // What is held follows from the conditions.
                if other != key && other != "taints" {
                    assert_eq!(read.get(other), Some(value), "{key}: {name}: {other}");
                }
            }
        }
    }
}

/// What each entry of a list in the state is known by.
fn names(state: &State, list: &str) -> Vec<String> {
    match list {
        "history" => state.history.iter().map(|of| of.uid.clone()).collect(),
        "reliefs" => state
            .reliefs
            .iter()
            .map(|of| of.wall_seconds.to_string())
            .collect(),
        "firstMet" => state
            .first_met
            .iter()
            .map(|of| of.threshold.clone())
            .collect(),
        "conditions" => state.held().each().map(|of| of.name().to_owned()).collect(),
        "images" => state.images.texts().map(|(id, _)| id).collect(),
        "protected" => state
            .protected
            .iter()
            .map(|of| of.0.display().to_string())
            .collect(),
        other => panic!("{other}"),
    }
}

/// Whether all names are there but for the one that was replaced.
fn check_others(before: &[String], after: &[String], at: usize, what: &str) {
    let others = before.iter().enumerate().filter(|(index, _)| *index != at);
    for (_, name) in others {
        assert!(after.contains(name), "{what}: lost {name}: {after:?}");
    }
}

#[test]
fn an_entry_of_a_list_costs_itself() {
    let state = many();
    let whole = value_of(&state);
    for list in ["history", "reliefs", "firstMet", "conditions"] {
        let entries = whole[list].as_array().unwrap();
        let items: Vec<String> = entries.iter().map(Value::to_string).collect();
        let text = whole.to_string();
        let (before, after) = text.split_once(&format!("[{}]", items.join(","))).unwrap();
        let (before, after) = (format!("{before}["), format!("]{after}"));
        let file = Items {
            before: &before,
            items: &items,
            between: ",",
            after: &after,
        };
        let entries = names(&parse(&file.whole()).unwrap(), list);
        file.each_poisoned(&json_values(), |bytes, at, what| {
            let read = parse(bytes).unwrap_or_else(|error| panic!("{list}: {what}: {error}"));
            check_others(
                &entries,
                &names(&read, list),
                at,
                &format!("{list}: {what}"),
            );
            for other in ["history", "reliefs", "firstMet", "images", "protected"] {
                if other != list {
                    assert_eq!(names(&read, other), names(&state, other), "{list}: {what}");
                }
            }
        });
    }
}

#[test]
fn an_entry_of_an_object_costs_itself() {
    let state = many();
    let whole = value_of(&state);
    for (list, object) in [
        ("images", &whole["images"]["times"]),
        ("protected", &whole["protected"]),
    ] {
        let items = texts(&members(object));
        let text = whole.to_string();
        let (before, after) = text
            .split_once(&format!("{{{}}}", items.join(",")))
            .unwrap();
        let (before, after) = (format!("{before}{{"), format!("}}{after}"));
        let file = Items {
            before: &before,
            items: &items,
            between: ",",
            after: &after,
        };
        let entries = names(&parse(&file.whole()).unwrap(), list);
        file.each_poisoned(&poisons_of("x"), |bytes, at, what| {
            let read = parse(bytes).unwrap_or_else(|error| panic!("{list}: {what}: {error}"));
            check_others(
                &entries,
                &names(&read, list),
                at,
                &format!("{list}: {what}"),
            );
            assert_eq!(names(&read, "history"), names(&state, "history"), "{what}");
        });
    }
}

#[test]
fn a_member_of_a_record_costs_itself() {
    let whole = serde_json::to_value(record("a")).unwrap();
    let all = members(&whole);
    let items = texts(&all);
    let file = object(&items);
    for (at, (key, _)) in all.iter().enumerate() {
        for Poison { name, text } in poisons_of(key) {
            let read = parse_begun(&file.with(at, &text));
            let [read] = &read[..] else {
                panic!("{key}: {name}: {read:?}");
            };
            let read = serde_json::to_value(read).unwrap();
            for (other, value) in &all {
                // The phase follows from the outcome.
                if other != key && !(key == "outcome" && other == "phase") {
                    assert_eq!(read.get(other), Some(value), "{key}: {name}: {other}");
                }
            }
        }
    }
}

fn file_of(items: &[String]) -> Items<'_> {
    Items {
        before: "",
        items,
        between: "\n",
        after: "\n",
    }
}

#[test]
fn a_line_of_begun_costs_itself() {
    let place = Place::new();
    fs::create_dir(&place.0).unwrap();
    let uids: Vec<String> = (0..COUNT).map(|number| format!("uid-{number}")).collect();
    let line = |uid: &String| serde_json::to_string(&record(uid)).unwrap();
    let items: Vec<String> = uids.iter().map(line).collect();
    file_of(&items).each_poisoned(&lines(), |bytes, at, what| {
        let read: Vec<String> = parse_begun(bytes).iter().map(|of| of.uid.clone()).collect();
        check_others(&uids, &read, at, what);
        fs::write(place.0.join("begun.jsonl"), bytes).unwrap();
        let state = read_state(&place.0).unwrap().unwrap();
        check_others(&uids, &names(&state, "history"), at, what);
    });
}

#[test]
fn a_line_of_the_journal_costs_itself() {
    let place = Place::new();
    fs::create_dir(&place.0).unwrap();
    let line = |number: usize| format!("{{\"sequence\":{number},\"message\":\"pod {number}\"}}");
    let items: Vec<String> = (0..100).map(line).collect();
    for name in ["events.jsonl", "events.old.jsonl"] {
        file_of(&items).each_poisoned(&lines(), |bytes, at, what| {
            fs::write(place.0.join(name), bytes).unwrap();
            let text = read_events(&place.0).unwrap();
            let read: Vec<String> = text.lines().map(str::to_owned).collect();
            check_others(&items, &read, at, &format!("{name}: {what}"));
        });
        fs::remove_file(place.0.join(name)).unwrap();
    }
}

/// What is whole is read as every reader of JSON does.
#[test]
fn whole_json_is_read_as_it_is() {
    let mut texts: Vec<Vec<u8>> = json_values().into_iter().map(|of| of.text).collect();
    texts.push(to_json(&many()).into_bytes());
    let ugly = r#"{"a":" \u00e9\ud83d\ude00\b\f\t\/\"","b":[1,-2.5e3,{"c":null}],"":false}"#;
    texts.push(ugly.as_bytes().to_vec());
    for text in texts {
        // Limits are this reader's own.
        let shown = String::from_utf8_lossy(&text)
            .chars()
            .take(60)
            .collect::<String>();
        if let Ok(value) = serde_json::from_slice::<Value>(&text)
            && text.len() < 128 << 10
            && !shown.contains("name")
        {
            let read = damaged::read(&text);
            assert_eq!((read.fault(), read.value), (None, value), "{shown}");
        }
    }
}
