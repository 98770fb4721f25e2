//! The property of each reader of Docker's answers: whatever stands in one item of a hundred,
//! the other ninety-nine are read as if nothing had happened.

use alloc::collections::BTreeSet;
use std::fs;
use std::path::Path;

use evictd_testkit::poison::{Poison, json_values};
use serde_json::{Value, json};

use crate::docker::{
    parse_containers, parse_details, parse_image, parse_image_labels, parse_images, parse_info,
    parse_message, parse_pods, parse_pruned, parse_size, parse_usage, parse_uses, parse_version,
    parse_volumes, read_event,
};
use crate::{Failure, RuntimePod, assemble};

/// Where a poison is put in the text of an answer.
const MARK: &str = "@poison@";

/// How many items an answer has.
const ITEMS: usize = 100;
/// Which of them is poisoned.
const POISONED: usize = 41;

/// A kind of answer.
struct Case {
    /// The readers that it shows the property of.
    readers: &'static [&'static str],
    item: fn(usize) -> Value,
    /// The answer with these items.
    answer: fn(&[String]) -> String,
    /// What is read of each item but of the poisoned one, whose name has its number.
    read: fn(&[u8]) -> Result<Vec<String>, Failure>,
}

const CASES: &[Case] = &[
    Case {
        readers: &["parse_containers", "parse_listed"],
        item: container,
        answer: list,
        read: |text| {
            let listed = parse_containers(text)?;
            let pods = assemble(listed.items, &[], false).pods;
            let pod = |pod: &RuntimePod| {
                let (of, spec) = (&pod.pod.metadata, &pod.pod.spec);
                let names = format!("{} {} {}", of.uid, of.name, pod.running.concat());
                format!("{names} {:?} {}", spec.priority, spec.containers.len())
            };
            Ok(pods.iter().map(pod).collect())
        },
    },
    Case {
        readers: &["parse_uses"],
        item: container,
        answer: list,
        read: |text| {
            let used = |at: usize| {
                let image = format!("sha256:{at:064}");
                parse_uses(text, &image)
            };
            // The poisoned one may be of any image, and comes first for those behind it.
            let users = [0, 7, POISONED - 1].map(used);
            let users = users.into_iter().collect::<Result<Vec<_>, _>>()?;
            Ok(users.iter().map(|user| format!("{user:?}")).collect())
        },
    },
    Case {
        readers: &["parse_images"],
        item: |at| {
            json!({"Id": format!("sha256:{at:064}"), "RepoTags": [format!("i:{at}"), "j"],
            "RepoDigests": [format!("i@sha256:{at}")], "Size": at, "Created": 7,
            "Labels": {"evictd.protect": "true"}})
        },
        answer: list,
        read: |text| {
            let images = parse_images(text)?.items;
            Ok(images.iter().map(|image| format!("{image:?}")).collect())
        },
    },
    Case {
        readers: &["parse_volumes"],
        item: |at| {
            json!({"Name": format!("{at:064}"), "Driver": "local", "Mountpoint": format!("/v/{at}"),
            "CreatedAt": "2026-11-20T10:00:00Z", "Labels": {"com.docker.volume.anonymous": ""},
            "Options": null, "Scope": "local"})
        },
        answer: |items| format!(r#"{{"Warnings":null,"Volumes":{}}}"#, list(items)),
        read: |text| {
            let volumes = parse_volumes(text)?.items;
            Ok(volumes.iter().map(|volume| format!("{volume:?}")).collect())
        },
    },
    Case {
        readers: &["parse_pods"],
        item: |at| {
            json!({"Id": format!("{at:064}"), "Name": format!("p{at}"), "InfraId": format!("i{at}"),
            "Containers": [{"Id": format!("i{at}"), "Names": "infra"}, {"Id": format!("c{at}")}]})
        },
        answer: list,
        read: |text| {
            let mut pods = Vec::new();
            parse_pods(text, |pod| pods.push(format!("{pod:?}")))?;
            Ok(pods)
        },
    },
    Case {
        readers: &["parse_usage"],
        item: |at| {
            json!({"ID": format!("{at}"), "Type": "regular", "Description": "RUN make",
            "InUse": false, "Shared": false, "Size": 1000, "LastUsedAt": null})
        },
        answer: |items| format!(r#"{{"LayersSize":9,"BuildCache":{}}}"#, list(items)),
        read: |text| {
            let usage = parse_usage(text)?;
            // The poisoned one may count, by whatever its size is said to be.
            let others = 99_000;
            assert!(usage.unused >= others && usage.total >= usage.unused);
            assert!(usage.unused <= 100_000, "{usage:?}");
            Ok(Vec::new())
        },
    },
    Case {
        readers: &["parse_version"],
        item: |at| json!({"Name": format!("Podman Engine {at}"), "Version": "4", "Details": {}}),
        answer: |items| {
            let parts = list(items);
            format!(r#"{{"Platform":{{}},"Components":{parts},"Version":"1","ApiVersion":"1.41"}}"#)
        },
        read: |text| {
            let version = parse_version(text)?;
            assert!(version.names("podman engine 0"));
            Ok(vec![format!("{} {:?}", version.version, version.api())])
        },
    },
    Case {
        readers: &["parse_info"],
        item: |at| match at {
            99 => json!(["driver-type", "io.containerd.snapshotter.v1"]),
            _ => json!([format!("key {at}"), "value"]),
        },
        answer: |items| {
            let status = list(items);
            format!(r#"{{"DriverStatus":{status},"DockerRootDir":"/d","Driver":"overlayfs"}}"#)
        },
        read: |text| {
            let info = parse_info(text)?;
            assert!(info.is_in_containerd());
            Ok(vec![info.docker_root_dir, info.driver])
        },
    },
    Case {
        readers: &["read_event"],
        item: |at| {
            let action = if at % 2 == 0 { "start" } else { "exec_die" };
            json!({"status": action, "Type": "container", "Action": action,
            "Actor": {"ID": format!("{at}"), "Attributes": {"image": "one:1"}}})
        },
        answer: |items| items.join("\n") + "\n",
        read: |mut text| {
            let mut changes = Vec::new();
            loop {
                match read_event(&mut text) {
                    Ok(is_change) => changes.push(is_change),
                    Err(Failure::Closed) => break,
                    Err(failure) => return Err(failure),
                }
            }
            changes.remove(POISONED);
            let numbered = changes.iter().enumerate();
            Ok(numbered.map(|one| format!("{one:?}")).collect())
        },
    },
    // What is about one thing: its fields are the items.
    Case {
        readers: &["parse_details"],
        item: |at| match at {
            0 => json!({"Pid": 7, "FinishedAt": "1970-01-01T00:00:07Z"}),
            1 => json!({"Memory": 64, "MemoryReservation": 32, "CgroupParent": "/p",
                "RestartPolicy": {"Name": "always"}, "Mounts": null,
                "LogConfig": {"Type": "json-file", "Config": {"max-size": "10m"}}}),
            2 => json!([{"Type": "bind", "Source": "/srv", "RW": true}]),
            _ => json!({"Env": [format!("A={at}")], "Cmd": null, "Labels": {"a": "b"}}),
        },
        answer: |items| {
            let named = items.iter().enumerate().map(|(at, item)| match at {
                0 => format!(r#""State":{item}"#),
                1 => format!(r#""HostConfig":{item}"#),
                2 => format!(r#""Mounts":{item}"#),
                POISONED => format!(r#""Config":{item}"#),
                _ => format!(r#""Field{at}":{item}"#),
            });
            let named: Vec<String> = named.collect();
            format!(r#"{{"Id":"a",{}}}"#, named.join(","))
        },
        read: |text| {
            let mut details = parse_details(text, "a")?;
            details.fault = None;
            Ok(vec![format!("{details:?}")])
        },
    },
    Case {
        readers: &["parse_image", "parse_image_labels"],
        item: |at| json!({"Env": [format!("A={at}")], "Cmd": null, "Size": "x"}),
        answer: |items| {
            let named = items.iter().enumerate();
            let named = named.map(|(at, item)| format!(r#""Field{at}":{item}"#));
            let config = r#"{"Labels":{"evictd.protect":"true","a":"b"},"Entrypoint":["x"]}"#;
            let named: Vec<String> = named.collect();
            let fields = named.join(",");
            format!(r#"{{"Id":"sha256:3e","RepoTags":["a:1"],{fields},"Config":{config}}}"#)
        },
        read: |text| {
            let (image, labels) = (parse_image(text)?, parse_image_labels(text)?);
            Ok(vec![format!("{image:?} {labels:?}")])
        },
    },
    Case {
        readers: &["parse_size", "parse_pruned", "parse_message"],
        item: |at| json!({"CacheID": format!("{at}")}),
        answer: |items| {
            let named = items.iter().enumerate();
            let named = named.map(|(at, item)| format!(r#""Field{at}":{item}"#));
            let fields = named.collect::<Vec<_>>().join(",");
            format!(r#"{{"message":"no","SizeRw":7,"SpaceReclaimed":9,{fields}}}"#)
        },
        read: |text| {
            let (size, pruned) = (parse_size(text)?, parse_pruned(text)?);
            Ok(vec![format!("{size:?} {pruned} {}", parse_message(text))])
        },
    },
];

fn container(at: usize) -> Value {
    json!({"Id": format!("{at:064}"), "Names": [format!("/c{at}")], "Image": "one:1",
    "ImageID": format!("sha256:{at:064}"), "Command": "sleep", "Created": 100, "State": "running",
    "Status": "Up 5 minutes", "Ports": [], "NetworkSettings": {"Networks": {"bridge": {}}},
    "Labels": {"evictd.priority": "7", "org.opencontainers.image.title": "x"}, "Mounts": []})
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// The paths of all values within a value, itself included.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), all);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                pointers(value, &format!("{at}/{}", key.replace('/', "~1")), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The item with the mark in place of a value of it.
fn marked(item: &Value, pointer: &str) -> (String, Value) {
    let mut item = item.clone();
    let place = item.pointer_mut(pointer).unwrap();
    let good = core::mem::replace(place, MARK.into());
    (item.to_string(), good)
}

/// Each way of putting a poison in place of a value; some in a field that comes twice, in both
/// orders.
fn ways(pointer: &str, good: &Value, poison: &Poison) -> Vec<Vec<u8>> {
    let key = pointer.rsplit('/').next().unwrap().replace("~1", "/");
    let (name, poison) = (poison.name, poison.text.clone());
    let good = good.to_string().into_bytes();
    let mut ways = vec![poison.clone()];
    let is_field = !pointer.is_empty() && key.parse::<usize>().is_err();
    if is_field
        && [
            "half of a character",
            "no UTF-8",
            "null",
            "a negative number",
            "deep nesting",
        ]
        .contains(&name)
    {
        let colon = format!(",\"{key}\":").into_bytes();
        ways.push([&poison[..], &colon, &good].concat());
        ways.push([&good[..], &colon, &poison].concat());
    }
    ways
}

fn put(answer: &str, poison: &[u8]) -> Vec<u8> {
    let mark = format!("\"{MARK}\"");
    let (before, after) = answer.split_once(&mark).unwrap();
    [before.as_bytes(), poison, after.as_bytes()].concat()
}

/// What is read of the others.
fn others(case: &Case, answer: &[u8]) -> Vec<String> {
    let name = format!("{POISONED:064}");
    let read = (case.read)(answer).unwrap_or_else(|failure| panic!("{failure}"));
    read.into_iter()
        .filter(|one| !one.contains(&name))
        .collect()
}

/// readers: parse_containers, parse_uses, parse_images, parse_volumes, parse_pods, parse_usage, parse_version, parse_info, read_event, parse_details, parse_image, parse_image_labels, parse_size, parse_pruned, parse_message -> one_poisoned_item_of_a_hundred_costs_no_other
#[test]
fn one_poisoned_item_of_a_hundred_costs_no_other() {
    let poisons = json_values();
    for case in CASES {
        let items: Vec<Value> = (0..ITEMS).map(case.item).collect();
        let texts: Vec<String> = items.iter().map(Value::to_string).collect();
        let whole = others(case, (case.answer)(&texts).as_bytes());
        let mut all = Vec::new();
        pointers(&items[POISONED], "", &mut all);
        for pointer in &all {
            let mut texts = texts.clone();
            let (text, good) = marked(&items[POISONED], pointer);
            texts[POISONED] = text;
            let answer = (case.answer)(&texts);
            for poison in &poisons {
                for bytes in ways(pointer, &good, poison) {
                    let mut read = others(case, &put(&answer, &bytes));
                    // What had the number of the poisoned one may have another name now.
                    read.retain(|one| whole.contains(one));
                    let what = (case.readers, pointer, poison.name);
                    assert_eq!(read, whole, "{what:?}");
                }
            }
        }
    }
}

/// The item itself stays, by its id.
#[test]
fn a_container_is_known_by_its_id_whatever_else_is_odd() {
    let item = container(POISONED);
    let id = item["Id"].as_str().unwrap().to_owned();
    let mut all = Vec::new();
    pointers(&item, "", &mut all);
    for pointer in all.iter().filter(|one| !matches!(one.as_str(), "" | "/Id")) {
        let (text, good) = marked(&item, pointer);
        for poison in json_values() {
            for bytes in ways(pointer, &good, &poison) {
                let answer = put(&format!("[{text}]"), &bytes);
                let listed = parse_containers(answer.as_slice()).unwrap();
                let what = (pointer, poison.name);
                assert_eq!(*listed.items[0].container.id, id, "{what:?}");
                assert!(listed.notes.len() <= 1, "{what:?}");
                let is_plain = |note: &String| !note.contains(char::is_control);
                assert!(listed.notes.iter().all(is_plain), "{what:?}");
            }
        }
    }
}

/// Taken from the code: a reader that is new has to be among the cases.
#[test]
fn each_reader_of_an_answer_has_the_property() {
    let mut readers = BTreeSet::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/docker");
    for source in fs::read_dir(sources).unwrap() {
        let Ok(text) = fs::read_to_string(source.unwrap().path()) else {
            continue; // a directory
        };
        let functions = text.split("fn ").skip(1);
        let takes_stream = |function: &&str| {
            let head = function.split('{').next().unwrap_or_default();
            head.contains("impl BufRead") && (head.starts_with("parse_") || head.contains("event"))
        };
        let readers_here = functions.filter(takes_stream);
        readers.extend(readers_here.map(|one| one.split('(').next().unwrap().to_owned()));
    }
    // It reads what tells where a body ends.
    readers.remove("parse_head");
    let shown = CASES.iter().flat_map(|case| case.readers);
    let shown: BTreeSet<String> = shown.map(|reader| (*reader).to_owned()).collect();
    assert_eq!(readers, shown);
}
