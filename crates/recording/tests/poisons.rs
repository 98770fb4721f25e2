//! One line, signal or pod of a recording is absurd: it costs itself, and no other.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use evictd_evict::{Config, Evict};
use evictd_node::Signal;
use evictd_recording::{Line, Seen, Session};
use evictd_testkit::poison::{Items, Poison, json_values, lines};
use evictd_threshold::{Lists, parse};

// Each reader of this crate, as ci/deps finds them, and the test that poisons what it reads.
// readers: Line::parse -> a_line_costs_itself, a_signal_costs_itself, a_pod_costs_its_usage

const MOMENTS: usize = 100;

fn session() -> Session {
    let config = Config {
        thresholds: parse(&Lists::of_hard("memory.available<100Mi")).unwrap(),
        ..Config::default()
    };
    Session::new(Evict::new(config))
}

fn moment(number: usize, signals: &str, pods: &str) -> String {
    let at = u64::try_from(number + 1).unwrap() * 1_000_000_000;
    format!(
        r#"{{"seen":{{"atNanos":{at},"time":"t{number}","signals":{{{signals}}},"pods":[{pods}]}}}}"#
    )
}

/// A node that is short of memory in every tenth moment, as its hog is large then.
fn recording() -> Vec<String> {
    let of = |number: usize| {
        let (left, held) = if number % 10 == 5 {
            (50, 500)
        } else {
            (500, 50)
        };
        let signals = format!(
            r#""memory.available":{{"available":{},"capacity":{}}}"#,
            left << 20,
            1 << 30
        );
        let pods = format!(
            r#"{{"uid":"hog","memoryWorkingSetBytes":{}}},{{"uid":"web","memoryWorkingSetBytes":1048576}}"#,
            held << 20
        );
        moment(number, &signals, &pods)
    };
    (0..MOMENTS).map(of).collect()
}

/// What is decided in each moment, by its time; lines that are none are passed over.
fn decided(bytes: &[u8]) -> Vec<(String, String)> {
    let mut session = session();
    let mut all = Vec::new();
    for line in bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let Ok(line) = Line::parse(line) else {
            continue;
        };
        let time = match &line {
            Line::Seen(seen) => seen.time.clone(),
            Line::Begun(_) | Line::Pod(_) | Line::Decided(_) | _ => String::new(),
        };
        for of in session.show(&line).unwrap_or_default() {
            all.push((time.clone(), of.text));
        }
    }
    all
}

#[test]
fn a_line_costs_itself() {
    let moments = recording();
    let file = Items {
        before: "{\"pod\":{\"metadata\":{\"name\":\"hog\",\"uid\":\"hog\"}}}\n\
                 {\"pod\":{\"metadata\":{\"name\":\"web\",\"uid\":\"web\"}}}\n",
        items: &moments,
        between: "\n",
        after: "\n",
    };
    let usual = decided(&file.whole());
    assert!(
        usual
            .iter()
            .any(|(_, text)| text.contains("pod hog would be evicted"))
    );
    file.each_poisoned(&lines(), |bytes, _, what| {
        assert_eq!(decided(bytes), usual, "{what}");
    });
    // A pod that cannot be read in one moment is there in the next.
    let hog = "{\"uid\":\"hog\",\"memoryWorkingSetBytes\":52428800}";
    for Poison { name, text } in json_values() {
        let (before, after) = moments[40].split_once(hog).unwrap();
        let line = [before.as_bytes(), &text, after.as_bytes()].concat();
        assert_eq!(decided(&file.with(40, &line)), usual, "{name}");
    }
    // A moment at an absurd time is one.
    for Poison { name, text } in json_values() {
        let text = String::from_utf8_lossy(&text);
        let line = moments[40].replace("41000000000", &text);
        assert_eq!(decided(&file.with(40, line.as_bytes())), usual, "{name}");
    }
}

fn seen(bytes: &[u8], what: &str) -> Option<Seen> {
    match Line::parse(bytes) {
        Ok(Line::Seen(seen)) => Some(*seen),
        Ok(line) => panic!("{what}: {line}"),
        // What is no JSON is no line.
        Err(_) => None,
    }
}

#[test]
fn a_signal_costs_itself() {
    let signals = Signal::ALL.map(|signal| {
        format!(
            r#""{}":{{"available":7,"capacity":9,"atNanos":5}}"#,
            signal.name()
        )
    });
    let file = Items {
        before: r#"{"seen":{"atNanos":1,"signals":{"#,
        items: &signals,
        between: ",",
        after: r#"},"pods":[{"uid":"a","processCount":3}]}}"#,
    };
    let usual = seen(&file.whole(), "usual").unwrap();
    for (at, signal) in Signal::ALL.into_iter().enumerate() {
        assert!(usual.readings.get(signal).is_some());
        for Poison { name, text } in json_values() {
            let forms: [(&[u8], &[u8]); 3] = [
                (b"", b""),
                (b"{\"available\":", b",\"capacity\":9}"),
                (b"{\"available\":7,\"capacity\":9,\"atNanos\":", b"}"),
            ];
            for (before, after) in forms {
                let key = format!("\"{}\":", signal.name());
                let poisoned = [key.as_bytes(), before, &text, after].concat();
                let what = format!("{signal}: {name}");
                let Some(read) = seen(&file.with(at, &poisoned), &what) else {
                    assert!(is_no_json(&text), "{what}");
                    continue;
                };
                for other in Signal::ALL.into_iter().filter(|other| *other != signal) {
                    assert_eq!(
                        read.readings.get(other),
                        usual.readings.get(other),
                        "{what}"
                    );
                }
                assert_eq!(read.pods, usual.pods, "{what}");
            }
        }
        let unknown = file.with(at, b"\"of.tomorrow\":{\"available\":1}");
        assert_eq!(seen(&unknown, "unknown").unwrap().pods, usual.pods);
    }
}

/// What serde_json refuses to read at all, which costs the line.
fn is_no_json(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(text).is_err()
}

#[test]
fn a_pod_costs_its_usage() {
    let pods: Vec<String> = (0..100)
        .map(|number| format!(r#"{{"uid":"{number}","memoryWorkingSetBytes":{number}}}"#))
        .collect();
    let file = Items {
        before: r#"{"seen":{"atNanos":1,"signals":{},"pods":["#,
        items: &pods,
        between: ",",
        after: "]}}",
    };
    let usual = seen(&file.whole(), "usual").unwrap();
    for Poison { name, text } in json_values() {
        for (before, after) in [
            (&b""[..], &b""[..]),
            (b"{\"uid\":\"50\",\"memoryWorkingSetBytes\":", b"}"),
            (b"{\"uid\":\"50\",\"containers\":", b"}"),
            (b"{\"uid\":\"50\",\"volumes\":", b"}"),
        ] {
            let poisoned = [before, &text, after].concat();
            let Some(read) = seen(&file.with(50, &poisoned), name) else {
                assert!(is_no_json(&text), "{name}");
                continue;
            };
            for (at, pod) in usual.pods.iter().enumerate().filter(|(at, _)| *at != 50) {
                assert_eq!(read.pods.get(at), Some(pod), "{name}");
            }
            if !before.is_empty() {
                assert_eq!(
                    read.pods[50].uid, "50",
                    "{name}: it is known by what is left"
                );
            }
        }
    }
}
