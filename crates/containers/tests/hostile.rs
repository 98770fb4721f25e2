//! Acceptance row 196: no answer of a container runtime makes its reader take much memory.
#![cfg(all(feature = "cri", feature = "docker"))]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use core::fmt::Write as _;
use std::fs;
use std::process::Command;

use evictd_containers::cri::{
    Parse, Reader, Writer, parse_container, parse_image, parse_list, parse_sandbox,
};
use evictd_containers::docker::{parse_containers, parse_images};
use evictd_containers::{Items, Ranked};

/// What is read of an answer at most.
const MOST: usize = 4 << 20;

/// A number of this process's status, in KiB.
fn status(key: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(key));
    let number = line.and_then(|line| line.split_ascii_whitespace().nth(1));
    number.unwrap().parse().unwrap()
}

/// A list of so many of these as an answer has room for.
fn list(item: &Writer) -> Vec<u8> {
    let mut one = Writer::default();
    one.message(1, item);
    let one = one.into_bytes();
    one.repeat(MOST / one.len())
}

/// A message with as many maps' pairs as an answer has room for, each another one.
fn pairs(field: u32) -> Vec<u8> {
    let mut item = Writer::default();
    for number in 0..MOST / 12 {
        item.pair(field, &format!("{number:05x}"), "");
    }
    let mut list = Writer::default();
    list.message(1, &item);
    list.into_bytes()
}

fn json(item: &str) -> Vec<u8> {
    let items = format!("{item},").repeat((MOST / (item.len() + 1)).saturating_sub(1));
    format!("[{items}{item}]").into_bytes()
}

/// In one piece, so that nothing lies about in memory that is freed and used again.
fn labels() -> String {
    let mut text = String::with_capacity(MOST);
    text.push_str("{\"Id\":\"a\",\"Labels\":{\"\":\"\"");
    for number in 0..MOST / 12 {
        write!(text, ",\"{number:05x}\":\"\"").unwrap();
    }
    text.push_str("}}");
    text
}

/// A hundred thousand containers that have ended, as an engine lists them.
fn dead() -> String {
    let (id, image) = ("0f".repeat(28), "3e".repeat(32));
    let mut text = String::with_capacity(60 << 20);
    text.push('[');
    for number in 0..100_000 {
        let comma = if number > 0 { "," } else { "" };
        write!(
            text,
            r#"{comma}{{"Id":"{id}{number:08x}","Names":["/cron_backup_run_{number}"],
            "Image":"backup:1","ImageID":"sha256:{image}","Command":"/bin/backup","Created":
            {number},"Ports":[],"Labels":{{"com.docker.compose.project":"cron",
            "com.docker.compose.service":"backup"}},"State":"exited","Status":
            "Exited (0) 2 weeks ago","HostConfig":{{"NetworkMode":"default"}},"Mounts":[]}}"#
        )
        .unwrap();
    }
    text.push(']');
    text
}

/// Thousands that have ended, of other images, with as much to say as is read.
fn wordy() -> String {
    let mut text = String::with_capacity(60 << 20);
    text.push('[');
    for number in 0..6_000 {
        let comma = if number > 0 { "," } else { "" };
        write!(
            text,
            r#"{comma}{{"Id":"{number}","ImageID":"{number}","State":"exited","Labels":{{"":"""#
        )
        .unwrap();
        for key in [
            "protect",
            "priority",
            "disk-limit",
            "memory-request",
            "log-relief",
        ] {
            write!(
                text,
                r#","evictd.{key}":"{:0900}","annotation.evictd.{key}":"{:0900}""#,
                0, 0
            )
            .unwrap();
        }
        text.push_str("}}");
    }
    text.push(']');
    text
}

#[test]
fn an_answer_of_any_content_costs_little_memory() {
    let mut name = Writer::default();
    name.bytes(1, &vec![0xff; MOST - 64]);
    let mut not_utf8 = Writer::default();
    not_utf8.message(2, &name).pair(5, "a", "");
    let mut tags = Writer::default();
    for _ in 0..MOST / 3 {
        tags.text(2, "a");
    }
    let answers = [
        list(&Writer::default()),
        pairs(8),
        list(&not_utf8),
        list(&tags),
    ];
    let many = |before: &str, piece: &str, after: &str| {
        json(&format!(
            "{before}{}{after}",
            piece.repeat(MOST / piece.len())
        ))
    };
    let texts = [
        json("{\"Id\":\"a\"}"),
        json("{\"Id\":7}"),
        dead().into_bytes(),
        wordy().into_bytes(),
        json("{\"Id\":\"a\",\"Labels\":{\"a\":\"b\",\"c\":\"d\",\"e\":\"f\"}}"),
        json(&labels()),
        many("{\"Id\":\"a\",\"Names\":[", "\"\",", "\"\"]}"),
        many("{\"Id\":\"a\",\"RepoTags\":[", "\"\",", "\"\"]}"),
        many("{\"Id\":\"", "a", "\"}"),
    ];
    for answer in &answers {
        check("cri", answer);
    }
    for text in &texts {
        check("docker", text);
    }
}

/// Has a process of its own parse it, in which no memory was used and freed before.
fn check(api: &str, answer: &[u8]) {
    let file = std::env::temp_dir().join(format!("evictd-hostile-{}", std::process::id()));
    fs::write(&file, answer).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["parse_in_a_process_of_its_own", "--exact", "--nocapture"])
        .env("EVICTD_HOSTILE", format!("{api} {}", file.display()))
        .output();
    fs::remove_file(&file).unwrap();
    let child = child.unwrap();
    let told = String::from_utf8_lossy(&child.stdout);
    assert!(
        child.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&child.stderr)
    );
    println!(
        "{}",
        told.lines()
            .find(|line| line.contains("KiB"))
            .unwrap_or_default()
    );
}

/// Reads a list.
fn read<T: Ranked>(answer: &[u8], parse: Parse<T>) {
    let (mut source, mut items) = (answer, Items::default());
    let mut reader = Reader::new(&mut source, answer.len());
    let read = parse_list(&mut reader, parse, &mut |item, part| items.take(item, part));
    assert_eq!(read.unwrap(), Ok(()));
    drop(items.finish());
}

/// Does nothing where it is not the test above that runs it.
#[test]
fn parse_in_a_process_of_its_own() {
    let Ok(what) = std::env::var("EVICTD_HOSTILE") else {
        return;
    };
    let (api, file) = what.split_once(' ').unwrap();
    let answer = fs::read(file).unwrap();
    let before = status("VmRSS:");
    if api == "cri" {
        read(&answer, parse_sandbox);
        read(&answer, parse_container);
        read(&answer, parse_image);
    } else {
        drop(parse_containers(answer.as_slice()));
        drop(parse_images(answer.as_slice()));
    }
    let added = status("VmHWM:").saturating_sub(before);
    let begin = String::from_utf8_lossy(answer.get(..40).unwrap_or(&answer)).into_owned();
    println!("{added} KiB for {begin:?}");
    // Beside the answer itself.
    assert!(added < 6 << 10, "{added} KiB");
}
