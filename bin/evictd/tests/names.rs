//! Acceptance row 198: names from outside do nothing to whoever reads them.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn evictd(words: &[&str], folder: &Folder) -> Output {
    Command::new(env!("CARGO_BIN_EXE_evictd"))
        .args(words)
        .arg(format!("--pod-manifest-path={}", folder.0.display()))
        .arg("--container-runtime-endpoint=")
        .arg("--state-dir=")
        .output()
        .unwrap()
}

/// All that a terminal or a log is to see of it: lines of letters.
fn assert_plain(what: &str, bytes: &[u8]) {
    let text = core::str::from_utf8(bytes).unwrap();
    let is_odd = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{2066}\u{2028}".contains(c));
    assert!(!text.contains(is_odd), "{what}: {text:?}");
    let is_of_name = |line: &str| line.starts_with("forged");
    assert!(!text.lines().any(is_of_name), "{what}: {text:?}");
}

#[test]
fn a_manifest_of_any_name_is_told_in_plain_letters() {
    let name = format!("evictd-names-{}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    fs::create_dir_all(&folder.0).unwrap();
    let hostile = "a\u{1b}[2J\r\nforged\u{9b}31m\u{202e}\u{2066}\u{2028}.yaml";
    fs::write(folder.0.join(hostile), "kind: \"x\\e[2J\\u202e\"\n").unwrap();
    for words in [
        &["status"][..],
        &["status", "--json"],
        &["explain", "memory.available"],
        &["explain", "memory.available", "--json"],
        &["oom-score"],
        &["oom-score", "--json"],
        &["gc", "containers", "--dry-run"],
        &["config"],
        &["config", "--json"],
    ] {
        let output = evictd(words, &folder);
        let what = words.join(" ");
        assert_plain(&what, &output.stdout);
        assert_plain(&what, &output.stderr);
    }
    let told = evictd(&["status"], &folder).stderr;
    let told = String::from_utf8_lossy(&told).into_owned();
    assert!(
        told.contains("a\\u{1b}[2J\\u{d}\\u{a}forged\\u{9b}31m\\u{202e}"),
        "{told}"
    );

    // Flags, too, are from outside for whoever reads the error.
    let output = evictd(&["--eviction-hard=a\u{1b}[2J\r\nforged\u{202e}"], &folder);
    assert_plain("flag", &output.stderr);
}
