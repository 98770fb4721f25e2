//! A node is recorded, replayed and explained, by the program itself.

#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Memory is always below it, so that something is decided.
const HARD: &str = "--eviction-hard=memory.available<99.99%";

fn evictd(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_evictd");
    Command::new(program).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

/// Removed with what lies in it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("evictd-{name}-{}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn record(file: &str) {
    let recorded = evictd(&["record", "--every=20ms", "--length=100ms", HARD, file]);
    assert!(recorded.status.success(), "{}", text(&recorded.stderr));
}

#[test]
fn a_recording_replays_as_it_was_decided() {
    let scratch = Scratch::new("record");
    let file = scratch.file("node.jsonl");
    record(&file);
    let recorded = fs::read_to_string(&file).unwrap();
    let moments = recorded
        .lines()
        .filter(|line| line.starts_with("{\"seen\":"));
    assert!(moments.count() >= 1, "{recorded}");

    let replayed = evictd(&["replay", &file]);
    assert!(replayed.status.success(), "{}", text(&replayed.stderr));
    let decided = text(&replayed.stdout);
    assert!(
        decided.contains("threshold memory.available<99.99% is met"),
        "{decided}"
    );
    assert!(decided.contains("MemoryPressure is true"), "{decided}");
    assert_eq!(evictd(&["replay", &file]).stdout, replayed.stdout);

    let same = evictd(&["replay", "--compare", &file]);
    assert!(same.stdout.is_empty());
    assert!(text(&same.stderr).contains("are decided as recorded"));
}

#[test]
fn other_thresholds_decide_otherwise() {
    let scratch = Scratch::new("compare");
    let file = scratch.file("node.jsonl");
    record(&file);
    let other = "--eviction-hard=memory.available<1";
    let compared = evictd(&["replay", "--compare", other, &file]);
    assert!(compared.status.success(), "{}", text(&compared.stderr));
    let lines = text(&compared.stdout);
    assert!(lines.lines().all(|line| line.starts_with("- ")), "{lines}");
    assert!(lines.contains("MemoryPressure is true"), "{lines}");
}

#[test]
fn what_was_changed_by_hand_is_noticed() {
    let scratch = Scratch::new("changed");
    let file = scratch.file("node.jsonl");
    record(&file);
    let recorded = fs::read_to_string(&file).unwrap();
    let changed = recorded.replace("MemoryPressure is true", "MemoryPressure is false");
    fs::write(&file, changed).unwrap();
    let replayed = evictd(&["replay", &file]);
    assert_eq!(replayed.status.code(), Some(1));
    assert!(
        text(&replayed.stderr).contains("decided otherwise"),
        "{}",
        text(&replayed.stderr)
    );
}

#[test]
fn a_torn_recording_is_told_after_what_there_is() {
    let scratch = Scratch::new("torn");
    let file = scratch.file("node.jsonl");
    record(&file);
    let recorded = fs::read(&file).unwrap();
    fs::write(&file, recorded.get(..recorded.len() - 7).unwrap()).unwrap();
    let replayed = evictd(&["replay", &file]);
    assert_eq!(replayed.status.code(), Some(1));
    assert!(text(&replayed.stdout).contains("MemoryPressure is true"));
    assert!(text(&replayed.stderr).contains("ends within a line"));
}

#[test]
fn a_bad_line_of_a_recording_costs_itself() {
    let scratch = Scratch::new("bad-line");
    let file = scratch.file("node.jsonl");
    record(&file);
    let recorded = fs::read_to_string(&file).unwrap();
    let usual = evictd(&["replay", &file]);
    let mut lines: Vec<&str> = recorded.lines().collect();
    let long = "x".repeat(9 << 20);
    lines.insert(1, "{\"seen\":");
    lines.insert(3, &long);
    fs::write(&file, lines.join("\n") + "\n").unwrap();
    let replayed = evictd(&["replay", &file]);
    assert_eq!(replayed.status.code(), Some(1));
    assert_eq!(text(&replayed.stdout), text(&usual.stdout));
    let told = text(&replayed.stderr);
    assert!(told.contains("node.jsonl:2: EOF while parsing"), "{told}");
    assert!(
        told.ends_with("; lines that cannot be used besides it: 1\n"),
        "{told}"
    );
}

#[test]
fn what_would_be_done_now_is_told() {
    let explained = evictd(&["explain", "--over=20ms", HARD]);
    assert!(explained.status.success(), "{}", text(&explained.stderr));
    let told = text(&explained.stdout);
    assert!(
        told.starts_with("memory.available<99.99%, hard\n    met: "),
        "{told}"
    );
    assert!(told.contains(" are missing\n"), "{told}");
    assert!(told.contains("\nMemoryPressure is true\n"), "{told}");

    let never = "--eviction-hard=memory.available<1";
    let explained = evictd(&["explain", "--over=20ms", "--json", never]);
    let told = text(&explained.stdout);
    assert!(
        told.contains("\"met\":false") && told.contains("\"decided\":[]"),
        "{told}"
    );
}

#[test]
fn mistakes_are_told_in_one_line() {
    let scratch = Scratch::new("mistakes");
    let (file, other) = (scratch.file("there"), scratch.file("missing"));
    fs::write(&file, "no recording\n").unwrap();
    for (arguments, code, told) in [
        (["record", &file], 1, "is there already"),
        (["replay", &file], 2, "no recording of evictd record"),
        (["replay", &other], 2, "No such file"),
        (["record", "--every=1ms"], 2, "a duration from 10ms on"),
    ] {
        let output = evictd(&arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let error = text(&output.stderr);
        assert!(
            error.contains(told) && error.lines().count() == 1,
            "{error}"
        );
    }
    assert_eq!(
        fs::read_to_string(Path::new(&file)).unwrap(),
        "no recording\n"
    );
}

/// The recorded hour of a real node: each eviction that is printed is in the picture.
#[test]
fn a_recording_is_drawn() {
    let scratch = Scratch::new("picture");
    let file = scratch.file("hour.svg");
    let hour = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/recording/tests/hour.jsonl"
    );
    let replayed = evictd(&["replay", &format!("--svg={file}"), hour]);
    assert!(replayed.status.success(), "{}", text(&replayed.stderr));
    let picture = fs::read_to_string(&file).unwrap();
    let printed = text(&replayed.stdout)
        .matches(" would be evicted: ")
        .count();
    let drawn = picture.matches(" would be evicted</title>").count();
    assert_eq!((printed, drawn), (11, 11));
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for told in [
        "memory.available",
        "MemoryPressure",
        "hard below 20.5Gi",
        "default/batch",
    ] {
        assert!(picture.contains(told), "{told}");
    }
    for tag in ["svg", "text", "line", "title"] {
        let count = |what: String| picture.matches(&what).count();
        let alone = picture
            .lines()
            .filter(|line| line.starts_with(&format!("<{tag} ")));
        let closed_alone = alone.filter(|line| line.ends_with("/>")).count();
        let opened = count(format!("<{tag} ")) + count(format!("<{tag}>"));
        assert_eq!(opened, count(format!("</{tag}>")) + closed_alone, "{tag}");
    }
    let nowhere = evictd(&["replay", "--svg=/no/such/place.svg", hour]);
    assert!(text(&nowhere.stderr).contains("--svg: /no/such/place.svg"));
    assert_eq!(nowhere.status.code(), Some(1));
}

/// Acceptance row 335: the picture that the README shows is that of a recording in the tree.
#[test]
fn the_picture_of_the_readme_is_drawn_from_its_recording() {
    let scratch = Scratch::new("readme-picture");
    let drawn = scratch.file("eviction.svg");
    let recording = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/recording/tests/eviction.jsonl"
    );
    let picture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/eviction.svg");
    let replayed = evictd(&["replay", &format!("--svg={drawn}"), recording]);
    assert!(replayed.status.success(), "{}", text(&replayed.stderr));
    let [drawn, shown] = [drawn.as_str(), picture].map(|file| fs::read_to_string(file).unwrap());
    assert_eq!(
        drawn, shown,
        "evictd replay --svg=docs/eviction.svg crates/recording/tests/eviction.jsonl"
    );
}

/// Acceptance row 336: without a flag, a daemon or root.
#[test]
fn look_says_what_a_machine_is_and_what_would_be_done() {
    let look = |more: &[&str]| {
        let output = evictd(&[&["look", "--over=10ms"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let said = look(&[]);
    for told in [
        "This machine",
        "Linux ",
        "memory.available<100Mi: ",
        "evicted then",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    let said = look(&["--json"]);
    assert!(said.starts_with("{\"machine\":{\"kernel\":\""), "{said}");
    let said: Value = serde_json::from_str(&said).unwrap();
    // Row 372: whatever fills first, also the disk of images where that is another.
    let signals = |of: &str| -> Vec<String> {
        let all = said[of].as_array().unwrap().iter();
        all.map(|of| of["signal"].as_str().unwrap().to_owned())
            .collect()
    };
    let with_threshold = signals("thresholds");
    let mut would_go = signals("firstToBeEvicted");
    assert_eq!(would_go.first(), with_threshold.first());
    would_go.retain(|signal| !with_threshold.contains(signal));
    assert!(would_go.is_empty(), "{would_go:?}");
    for first in said["firstToBeEvicted"].as_array().unwrap() {
        let somebody = !first["pods"].as_array().unwrap().is_empty();
        assert_ne!(somebody, first["nobody"].is_string(), "{first}");
    }
    // Acceptance row 403: what is recommended is taken as it stands.
    let recommended = said["recommended"].as_array().unwrap();
    let flags = recommended.iter().map(|of| of["flags"].as_str().unwrap());
    let all: Vec<&str> = flags.flat_map(|of| of.split(' ')).collect();
    let all: Vec<String> = all.iter().map(|flag| flag.replace('\'', "")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let config = evictd(&[&["config"], &*all].concat());
    assert_eq!(config.status.code(), Some(0), "{}", text(&config.stderr));
    let again = look(&all);
    assert!(!again.contains("--eviction-hard="), "{again}");
    let long = evictd(&["look", "--over=2m"]);
    assert_eq!(long.status.code(), Some(2));
    assert!(
        text(&long.stderr).contains("at most 1m"),
        "{}",
        text(&long.stderr)
    );
}

/// Acceptance row 285.
#[test]
fn explain_goes_by_the_daemons_settings() {
    let scratch = Scratch::new("explain");
    let state = format!("--state-dir={}", scratch.0.display());
    let explain = |more: &[&str]| {
        let mut words = vec![
            "explain",
            "--over=10ms",
            "--container-runtime-endpoint=",
            &state,
        ];
        words.extend(more);
        let explained = evictd(&words);
        assert!(explained.status.success(), "{}", text(&explained.stderr));
        text(&explained.stdout).to_owned()
    };
    let nobody = explain(&[]);
    assert!(
        nobody.starts_with("by these flags and the defaults: no daemon"),
        "{nobody}"
    );

    let socket = UnixListener::bind(scratch.file("evictd.sock")).unwrap();
    let daemon = std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut peer, _) = socket.accept().unwrap();
            let mut request = [0; 512];
            let _ = peer.read(&mut request).unwrap();
            let view = "{\"flags\":[\"--eviction-hard=memory.available<12345Ki\"],\
                        \"thresholds\":[],\"conditions\":[],\"readings\":{}}";
            let length = view.len();
            write!(
                peer,
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{view}"
            )
            .unwrap();
        }
    });
    let of_daemon = explain(&[]);
    // Acceptance row 404: the order of eviction too, but where flags say whose.
    let order = |more: &[&str]| {
        let ranked = evictd(&[&["explain", "memory.available", &state], more].concat());
        assert!(ranked.status.success(), "{}", text(&ranked.stderr));
        text(&ranked.stdout).contains("by the settings of the running daemon")
    };
    assert!(order(&[]));
    assert!(!order(&["--pod-cgroup-root=/evictd-commands-none"]));
    daemon.join().unwrap();
    assert!(
        of_daemon.starts_with("by the settings of the running daemon\n"),
        "{of_daemon}"
    );
    assert!(
        of_daemon.contains("memory.available<12345Ki, hard"),
        "{of_daemon}"
    );
    // Whoever names a threshold wants to know what that one would do.
    let of_flags = explain(&["--eviction-hard=memory.available<54321Ki"]);
    assert!(
        of_flags.starts_with("memory.available<54321Ki, hard"),
        "{of_flags}"
    );
}
