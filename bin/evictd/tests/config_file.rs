//! `--config` and `--config-dir`, as a shell sees them.

#![cfg(feature = "cli")]
#![cfg(feature = "yaml")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HEADER: &str = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

/// A directory of its own, gone with the test.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let name = format!("evictd-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn evictd(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evictd"));
    command.args(arguments).output().unwrap()
}

fn config(arguments: &[&str]) -> String {
    let output = evictd(&[&["config"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Acceptance row 122: by file or by flag, and which it was.
#[test]
fn the_settings_in_force_name_their_source() {
    let dir = Dir::new("source");
    let text = format!("{HEADER}evictionHard: {{pid.available: 5%}}\nimageMinimumGCAge: 1h\n");
    let file = format!("--config={}", dir.write("node.yaml", &text));
    let shown = config(&[&file, "--image-gc-low-threshold=70"]);
    let has = |parts: &[&str]| {
        let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        shown
            .lines()
            .any(|text| line(text).starts_with(&parts.join(" ")))
    };
    assert!(has(&["pid.available", "<5%"]), "{shown}");
    assert!(
        has(&["--minimum-image-ttl-duration file 1h0m0s"]),
        "{shown}"
    );
    assert!(has(&["--image-gc-low-threshold flag 70"]), "{shown}");
    assert!(has(&["--image-gc-high-threshold default 85"]), "{shown}");
    assert!(
        shown.contains("evictionHard replaces all defaults"),
        "{shown}"
    );
    let json = config(&[&file, "--json"]);
    assert!(json.contains(r#""from":"file:evictionHard""#), "{json}");
    let flagged = config(&[&file, "--eviction-hard=memory.available<1%"]);
    assert!(!flagged.contains("pid.available  "), "{flagged}");
}

/// Decision D52: by name, in directories below too, nothing but `.conf`.
#[test]
fn files_are_dropped_in_by_name() {
    let dir = Dir::new("dropped");
    let percent = |high| format!("{HEADER}imageGCHighThresholdPercent: {high}\n");
    let file = format!("--config={}", dir.write("node.yaml", &percent(95)));
    dir.write("d/20.conf", &percent(92));
    dir.write("d/10.conf", &percent(91));
    dir.write("d/15/a.conf", &percent(93));
    dir.write("d/30.yaml", "no configuration at all");
    let shown = config(&[&file, &format!("--config-dir={}/d", dir.path().display())]);
    assert!(shown.contains("file    92"), "{shown}");
    dir.write("d/40.conf", &format!("{HEADER}maxPods: 1\nmaxPosd: 1\n"));
    let output = evictd(&[&file, &format!("--config-dir={}/d", dir.path().display())]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message.contains("/d/40.conf: line 4: maxPosd: unknown field"),
        "{message}"
    );
}

/// What cannot be read or is not right ends with 2 and one line.
#[test]
fn wrong_files_end_with_2_and_one_line() {
    let dir = Dir::new("wrong");
    let wrong = dir.write("node.yaml", &format!("{HEADER}evictionHard:\n  x: 1%\n"));
    let cut = dir.write("cut.json", "{\"kind\": \"KubeletConf");
    let huge = dir.write("huge", &"#".repeat((4 << 20) + 1));
    let none = dir.path().join("none").display().to_string();
    for (file, expected) in [
        (
            &wrong,
            format!(
                "{wrong}: line 4: evictionHard[x]: unsupported eviction signal x, in \"x<1%\"; "
            ),
        ),
        (&cut, format!("{cut}: line 1, column ")),
        (&huge, format!("{huge}: line 1, column 1: ")),
        (
            &none,
            format!("--config: {none:?}: No such file or directory"),
        ),
    ] {
        for command in [&["config", "--config", file][..], &["--config", file]] {
            let output = evictd(command);
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{message}");
            assert!(
                message.starts_with(&format!("evictd: {expected}")),
                "{message}"
            );
            assert_eq!(message.lines().count(), 1, "{message}");
        }
    }
}

/// Acceptance rows 136 and 143: what the documentation shows works as it stands.
#[test]
fn the_documented_files_are_taken() {
    let document = include_str!("../../../docs/thresholds.md");
    let dir = Dir::new("documented");
    let mut taken = 0;
    for start in ["apiVersion: kubelet", "kubeletArguments:"] {
        let at = document.find(start).unwrap();
        let lines = document.get(at..).unwrap().lines();
        let block: Vec<&str> = lines.take_while(|line| !line.starts_with("```")).collect();
        let file = dir.write("node.yaml", &(block.join("\n") + "\n"));
        let shown = config(&["--config", &file]);
        assert!(shown.contains("524288000"), "{shown}");
        taken += 1;
    }
    assert_eq!(taken, 2);
}

/// As an init script starts it: nothing is quoted, and the command line wins.
#[test]
fn flags_are_read_from_a_file() {
    let dir = Dir::new("flags");
    let node = dir.write(
        "node.yaml",
        &format!("{HEADER}evictionHard: {{pid.available: 5%}}\n"),
    );
    let text = format!("# {node}\n--config={node}\n--eviction-hard=memory.available<10%\n--v=2\n");
    let file = format!("--flags-file={}", dir.write("evictd.conf", &text));
    let json = config(&[&file, "--v=0", "--json"]);
    for part in [
        r#""from":"flags-file:--eviction-hard""#,
        r#"{"flag":"v","value":"0","from":"--v"}"#,
        r#""from":"flags-file:--config""#,
    ] {
        assert!(json.contains(part), "{part}: {json}");
    }
    assert!(!json.contains("pid.available"), "{json}");

    dir.write("evictd.conf", &format!("{text}--eviction-soft=x\n"));
    let output = evictd(&[&file]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    let place = format!(
        "evictd: {}: line 5: --eviction-soft: ",
        dir.path().join("evictd.conf").display()
    );
    assert!(error.starts_with(&place), "{error}");
    for (path, told) in [
        ("/nonexistent", "No such file"),
        ("/dev/zero", "not a regular file"),
    ] {
        let output = evictd(&["status", "--flags-file", path]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.contains(told) && output.status.code() == Some(2),
            "{error}"
        );
    }
}

/// The one that packages install, as it is and with all that it suggests.
#[test]
fn the_sample_is_right() {
    let sample = include_str!("../../../dist/evictd.conf");
    let dir = Dir::new("sample");
    let file = format!("--flags-file={}", dir.write("evictd.conf", sample));
    let json = config(&[&file, "--json"]);
    assert!(!json.contains("flags-file:"), "{json}");
    dir.write("evictd.conf", &sample.replace("\n#--", "\n--"));
    assert!(config(&[&file]).contains("memory.available"));
}
