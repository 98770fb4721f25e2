//! One of many pods is absurd: it costs itself, and no other.
#![cfg(feature = "yaml")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::PathBuf;

use evictd_manifest::{Error, MAX_BYTES, ManifestDir, parse_each_pod, parse_pods};
use evictd_node::pod::Pod;
use evictd_testkit::poison::{Items, Poison, lines, yaml_values};

// Each reader of this crate, as ci/deps finds them, and the test that poisons what it reads.
// readers: parse_each_pod, parse_documents -> a_document_costs_itself, a_field_costs_its_pod
// readers: parse_pods -> any_fault_is_an_error
// readers: refresh -> a_file_costs_itself

const COUNT: usize = 100;
const FEW: usize = 20;

/// A pod in one line, with something else as one of its fields.
fn pod(number: usize, field: &str, value: &str) -> String {
    let fields = [
        ("NAME", format!("\"pod-{number}\"")),
        ("META", "{}".to_owned()),
        ("REQUESTS", "{\"memory\": \"64Mi\"}".to_owned()),
        ("CONTAINER", "\"main\"".to_owned()),
        ("VOLUME", "{\"name\": \"data\"}".to_owned()),
        ("GRACE", "7".to_owned()),
        ("PRIORITY", "1000".to_owned()),
        ("STATUS", "{}".to_owned()),
    ];
    let text = r#"{"kind": "Pod", "metadata": {"name": NAME, "annotations": META},
        "spec": {"priority": PRIORITY, "terminationGracePeriodSeconds": GRACE,
        "volumes": [VOLUME],
        "containers": [{"name": CONTAINER, "resources": {"requests": REQUESTS}}]},
        "status": STATUS}"#;
    let text = text.replace('\n', " ");
    fields.iter().fold(text, |text, (name, usual)| {
        text.replace(name, if *name == field { value } else { usual })
    })
}

const FIELDS: [&str; 8] = [
    "NAME",
    "META",
    "REQUESTS",
    "CONTAINER",
    "VOLUME",
    "GRACE",
    "PRIORITY",
    "STATUS",
];

fn pods() -> Vec<String> {
    (0..COUNT).map(|number| pod(number, "", "")).collect()
}

/// Whether all pods but one are there, as they were.
fn check_others(before: &[Pod], after: &[Pod], at: usize, what: &str) {
    let others = before.iter().enumerate().filter(|(index, _)| *index != at);
    for (_, pod) in others {
        let name = &pod.metadata.name;
        let found = after.iter().find(|other| other.metadata.name == *name);
        assert_eq!(found, Some(pod), "{what}: {name}");
    }
}

#[test]
fn a_document_costs_itself() {
    let items = pods();
    let file = Items {
        before: "",
        items: &items,
        between: "\n---\n",
        after: "\n",
    };
    let before = parse_pods(&file.whole()).unwrap();
    assert_eq!(before.len(), COUNT);
    file.each_poisoned(&lines(), |bytes, at, what| {
        // A text that is too long is one item with all that it holds.
        if bytes.len() <= MAX_BYTES {
            let (pods, faults) = parse_each_pod(bytes);
            check_others(&before, &pods, at, what);
            assert!(faults.len() <= 1, "{what}: {faults:?}");
        }
    });
}

/// In a document of its own, and as an item of a list.
#[test]
fn a_field_costs_its_pod() {
    let items = &pods()[..FEW];
    let documents = Items {
        before: "",
        items,
        between: "\n---\n",
        after: "\n",
    };
    let list = Items {
        before: "kind: List\nitems:\n- ",
        between: "\n- ",
        ..documents
    };
    let before = parse_pods(&documents.whole()).unwrap();
    assert_eq!(parse_pods(&list.whole()).unwrap(), before);
    for field in FIELDS {
        for Poison { name, text } in yaml_values().into_iter() {
            let text = String::from_utf8_lossy(&text);
            let poisoned = pod(7, field, &text);
            let what = format!("{field}: {name}");
            let bytes = documents.with(7, poisoned.as_bytes());
            if bytes.len() > MAX_BYTES {
                continue;
            }
            let (pods, faults) = parse_each_pod(&bytes);
            check_others(&before, &pods, 7, &what);
            let costs = FEW - pods.len();
            assert!(costs <= 1 && faults.len() == costs, "{what}: {faults:?}");
            // What is wrong with the text is wrong with the whole document.
            let is_of_text = |fault: &Error| matches!(fault, Error::Text(_));
            if !parse_each_pod(poisoned.as_bytes()).1.iter().any(is_of_text) {
                let (pods, faults) = parse_each_pod(&list.with(7, poisoned.as_bytes()));
                check_others(&before, &pods, 7, &what);
                assert_eq!(faults.len(), costs, "{what}: {faults:?}");
            }
        }
    }
}

#[test]
fn any_fault_is_an_error() {
    let items = pods();
    let file = Items {
        before: "",
        items: &items,
        between: "\n---\n",
        after: "\n",
    };
    file.each_poisoned(&lines(), |bytes, _, what| {
        let (pods, faults) = parse_each_pod(bytes);
        let all = parse_pods(bytes);
        assert_eq!(all.as_ref().err(), faults.first(), "{what}");
        assert!(all.is_err() || all == Ok(pods), "{what}");
    });
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[test]
fn a_file_costs_itself() {
    let place = std::env::temp_dir().join(format!("evictd-poisons-{}", std::process::id()));
    fs::create_dir(&place).unwrap();
    let place = Folder(place);
    let path = |number: usize| place.0.join(format!("{number:03}.yaml"));
    for (number, text) in pods().iter().enumerate() {
        fs::write(path(number), text).unwrap();
    }
    let mut dir = ManifestDir::new(place.0.clone());
    assert!(dir.refresh().is_empty());
    let all = |dir: &ManifestDir| {
        dir.pods()
            .iter()
            .map(|pod| (**pod).clone())
            .collect::<Vec<_>>()
    };
    let before = all(&dir);
    assert_eq!(before.len(), COUNT);
    for at in [0, 50, COUNT - 1] {
        for Poison { name, text } in lines() {
            fs::write(path(at), text).unwrap();
            let problems = dir.refresh().to_vec();
            assert_eq!(problems.len(), 1, "{name}: {problems:?}");
            assert_eq!(problems[0].path, path(at), "{name}");
            let text = problems[0].to_string();
            assert!(
                text.len() < 2000 && !text.contains(char::is_control),
                "{name}: {text}"
            );
            check_others(&before, &all(&dir), at, name);
        }
        fs::write(path(at), pod(at, "", "")).unwrap();
    }
    assert!(dir.refresh().is_empty());
    assert_eq!(all(&dir), before);
}
