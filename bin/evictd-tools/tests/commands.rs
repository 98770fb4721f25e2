//! A node is recorded and the recording replayed, by the program itself.

#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Memory is always below it, so that something is decided.
const HARD: &str = "--eviction-hard=memory.available<99.99%";

fn evictd_tools(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_evictd-tools");
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
    let recorded = evictd_tools(&["record", "--every=20ms", "--length=100ms", HARD, file]);
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

    let replayed = evictd_tools(&["replay", &file]);
    assert!(replayed.status.success(), "{}", text(&replayed.stderr));
    let decided = text(&replayed.stdout);
    assert!(
        decided.contains("threshold memory.available<99.99% is met"),
        "{decided}"
    );
    assert!(decided.contains("MemoryPressure is true"), "{decided}");
    assert_eq!(evictd_tools(&["replay", &file]).stdout, replayed.stdout);

    let same = evictd_tools(&["replay", "--compare", &file]);
    assert!(same.stdout.is_empty());
    assert!(text(&same.stderr).contains("are decided as recorded"));
}

#[test]
fn other_thresholds_decide_otherwise() {
    let scratch = Scratch::new("compare");
    let file = scratch.file("node.jsonl");
    record(&file);
    let other = "--eviction-hard=memory.available<1";
    let compared = evictd_tools(&["replay", "--compare", other, &file]);
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
    let replayed = evictd_tools(&["replay", &file]);
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
    let replayed = evictd_tools(&["replay", &file]);
    assert_eq!(replayed.status.code(), Some(1));
    assert!(text(&replayed.stdout).contains("MemoryPressure is true"));
    assert!(text(&replayed.stderr).contains("ends within a line"));
}

#[test]
fn what_would_be_done_now_is_told() {
    let explained = evictd_tools(&["explain", "--over=20ms", HARD]);
    assert!(explained.status.success(), "{}", text(&explained.stderr));
    let told = text(&explained.stdout);
    assert!(
        told.starts_with("memory.available<99.99%, hard\n    met: "),
        "{told}"
    );
    assert!(told.contains(" are missing\n"), "{told}");
    assert!(told.contains("\nMemoryPressure is true\n"), "{told}");

    let never = "--eviction-hard=memory.available<1";
    let explained = evictd_tools(&["explain", "--over=20ms", "--json", never]);
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
        (
            ["status", "--json"],
            2,
            "evictd-tools does explain, record, replay, serve and summary",
        ),
    ] {
        let output = evictd_tools(&arguments);
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
    let replayed = evictd_tools(&["replay", &format!("--svg={file}"), hour]);
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
    let nowhere = evictd_tools(&["replay", "--svg=/no/such/place.svg", hour]);
    assert!(text(&nowhere.stderr).contains("--svg: /no/such/place.svg"));
    assert_eq!(nowhere.status.code(), Some(1));
}
