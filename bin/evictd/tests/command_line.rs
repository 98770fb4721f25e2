//! The program as a shell sees it: exit codes, and which stream says what.

#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::process::{Command, Output, Stdio};

fn evictd(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evictd"));
    command.args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

/// Acceptance row 155 and decision D28: exit 2 and one line, the kubelet's words.
#[test]
fn wrong_settings_end_with_2_and_one_line() {
    for (arguments, expected) in [
        (
            &[
                "--eviction-soft=nodefs.available<1.5Gi,nodefs.inodesFree<10",
                "--eviction-soft-grace-period=nodefs.available=1m",
            ][..],
            "evictd: --eviction-soft: grace period must be specified for the soft eviction \
             threshold nodefs.inodesFree, in \"nodefs.inodesFree<10\" at byte 23; add \
             nodefs.inodesFree=1m30s (or other durations) to --eviction-soft-grace-period\n",
        ),
        (
            &["config", "--v=-1"],
            "evictd: --v: \"-1\" is out of range, in \"-1\" at byte 0; a whole number from 0 to 2147483647, without a unit\n",
        ),
        (
            &["--frobnicate"],
            "evictd: unknown flag: --frobnicate; evictd --help lists all flags\n",
        ),
    ] {
        let output = evictd(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stderr), expected);
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn removed_flag_ends_with_2_and_one_line_that_names_its_replacement() {
    let mut walked = 0;
    for (name, instead) in evictd_config::removed_flags() {
        walked += 1;
        let flag = format!("--{name}");
        for arguments in [
            vec![&*flag],
            vec!["config", &flag],
            vec!["status", &flag, "x"],
        ] {
            let output = evictd(&arguments);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            let line = format!("evictd: {flag} was removed; {instead}\n");
            assert_eq!(text(&output.stderr), line);
            assert_eq!(text(&output.stdout), "");
        }
    }
    assert!(walked >= 16, "{walked}");
}

#[test]
fn each_flag_of_the_help_has_a_sentence_that_names_its_user() {
    let document = include_str!("../../../docs/dev/flags.md");
    let table = document.split("\n## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `--"));
    let rows: Vec<(&str, &str)> = rows.filter_map(|row| row.split_once("` | ")).collect();
    assert!(rows.len() <= 48, "{} flags", rows.len());
    assert!(rows.iter().all(|(_, user)| user.ends_with(". |")));
    let named: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    let flags: Vec<&str> = evictd_config::Flag::all().map(|flag| flag.name).collect();
    assert!(flags.iter().all(|name| named.contains(name)), "{flags:?}");
    assert!(named.iter().all(|name| flags.contains(name)), "{named:?}");
}

/// Asked before the start, `config` was content, and the daemon then ended with 2.
#[test]
fn config_warns_of_what_the_daemon_will_not_start_with() {
    for (file, expected) in [
        (
            "/not-there/evictd.prom",
            "its directory is not there: make it first",
        ),
        (
            "/evictd.txt",
            "node_exporter reads files that end in .prom alone",
        ),
    ] {
        let flag = format!("--metrics-file={file}");
        let output = evictd(&["config", "--json", &flag]);
        assert!(output.status.success(), "{output:?}");
        let warning = format!("evictd will not start: {flag}: {expected}");
        assert!(text(&output.stdout).contains(&warning), "{output:?}");
    }
    let output = evictd(&["config", "--json", "--metrics-file=/evictd.prom"]);
    assert!(
        !text(&output.stdout).contains("will not start"),
        "{output:?}"
    );
}

/// Acceptance row 220: a container runtime that does not answer took ten seconds.
#[test]
fn status_does_not_wait_for_a_slow_runtime() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("slow-runtime");
    drop(std::fs::remove_dir_all(&directory));
    std::fs::create_dir(&directory).unwrap();
    let socket = directory.join("r.sock");
    // Whoever connects is never answered.
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let endpoint = format!("--container-runtime-endpoint=unix://{}", socket.display());
    let begun = evictd_stats::now();
    let output = evictd(&["status", "--state-dir=", &endpoint]);
    let seconds = evictd_stats::now().since(begun).as_secs();
    assert!(seconds < 6, "{seconds} s, two of them for files of pods");
    assert!(output.status.success(), "{output:?}");
    let told = text(&output.stderr);
    let missing = format!(
        "{}: no answer yet: what it knows of pods is missing",
        socket.display()
    );
    assert!(told.contains(&missing), "{told}");
    assert!(text(&output.stdout).contains("memory.available"));
    drop(listener);
}

/// Acceptance row 190: with the daemon's own flags, and the word that there is none.
#[test]
fn status_shows_what_the_running_daemon_knows() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("status-view");
    drop(std::fs::remove_dir_all(&directory));
    std::fs::create_dir(&directory).unwrap();
    let state = format!("--state-dir={}", directory.display());
    let status = ["status", "--container-runtime-endpoint=", &state];
    let alone = evictd(&status);
    assert!(
        text(&alone.stdout).contains("\nNo daemon answers; "),
        "{alone:?}"
    );
    let admit = evictd(&[
        "admit",
        "--qos=Burstable",
        "--container-runtime-endpoint=",
        &state,
    ]);
    assert!(
        text(&admit.stderr).contains("no daemon answers ("),
        "{admit:?}"
    );
    let flags = [
        "--dry-run",
        "--container-runtime-endpoint=",
        "--eviction-hard=memory.available<7",
        &state,
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_evictd"));
    let mut daemon = command.args(flags).stderr(Stdio::null()).spawn().unwrap();
    let shows = || {
        let shown = evictd(&status);
        let shown = text(&shown.stdout);
        // Its threshold, and none of those that hold without flags.
        shown.contains("\nThe running daemon answers: ")
            && shown.contains("  hard 7\n")
            && !shown.contains("hard 100Mi")
    };
    let shown = (0..100).any(|_| {
        std::thread::sleep(core::time::Duration::from_millis(50));
        shows()
    });
    let json = evictd(&["status", "--json", "--container-runtime-endpoint=", &state]);
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    assert!(shown, "the daemon's view is shown");
    let json: serde_json::Value = serde_json::from_str(text(&json.stdout)).unwrap();
    let flags = json["daemon"]["flags"].to_string();
    assert!(flags.contains("\"--dry-run=true\""), "{flags}");
    let signals = json["signals"].as_array().unwrap();
    let memory = signals.iter().find(|of| of["signal"] == "memory.available");
    let memory = memory.unwrap();
    // To the byte what the daemon has read, and not what is there now.
    let read = &json["daemon"]["readings"]["memory.available"];
    assert!(read["available"].is_i64(), "{json}");
    assert_eq!(memory["available"], read["available"]);
    assert_eq!(memory["thresholds"][0]["threshold"], "memory.available<7");
    assert_eq!(memory["thresholds"].as_array().unwrap().len(), 1);
}

/// Acceptance row 189: a root that cannot be right is told, each in one line.
#[test]
fn roots_that_cannot_be_right_are_told() {
    let settings = [
        "config",
        "--json",
        "--pod-cgroup-root=/sys/fs/cgroup/pods",
        "--pod-cgroup-root=/evictd-test-none",
        "--pod-cgroup-root=/",
    ];
    let output = evictd(&settings);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    let told = |what: &str| shown.matches(what).count();
    assert_eq!(
        told("the root of the hierarchies; write /pods\""),
        1,
        "{shown}"
    );
    assert_eq!(
        told("--pod-cgroup-root=/evictd-test-none: there is no "),
        1,
        "{shown}"
    );
    // The root has children, but not where this machine has cgroup v2 alone and no process
    // in one.
    let root = told("--pod-cgroup-root=/: it has no children");
    assert_eq!(told("--pod-cgroup-root=") - root, 2, "{shown}");
}

/// Acceptance row 192: by the daemon and by `config`.
#[test]
fn reserves_are_checked_before_anything_is_evicted() {
    let settings = ["--system-reserved=memory=900Pi", "--state-dir="];
    for command in [&settings[..], &["config", settings[0]]] {
        let output = evictd(command);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        let said = text(&output.stderr);
        let expected = "--system-reserved: 900Pi of memory are kept back, and the machine has ";
        assert!(said.contains(expected), "{said}");
    }
    let output = evictd(&["config", "--system-reserved=pid=1"]);
    assert!(text(&output.stdout).contains("\nAllocatable: "));
}

/// Acceptance row 193: an init script for the kubelet can start evictd.
#[test]
fn the_kubelets_flags_without_use_are_passed_over() {
    let flags = [
        "--max-pods",
        "110",
        "--kubeconfig=/k",
        "--fail-swap-on",
        "config",
        "--json",
    ];
    let output = evictd(&flags);
    assert_eq!(output.status.code(), Some(0));
    let line = "\"passed over, as evictd has no use for it: max-pods, kubeconfig, fail-swap-on\"";
    assert!(text(&output.stdout).contains(line));
}

#[test]
fn config_prints_what_is_in_force_and_ends_with_0() {
    let arguments = ["config", "--eviction-hard=memory.available<1Gi"];
    let output = evictd(&arguments);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        shown.contains("memory.available            <1Gi   1073741824"),
        "{shown}"
    );
    assert!(
        shown.contains("Warnings\n  - --eviction-hard replaces all defaults"),
        "{shown}"
    );
    assert!(
        shown.lines().all(|line| line.chars().count() <= 80),
        "{shown}"
    );

    let output = evictd(&["config", "--json", "--v", "2"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let threshold = &document["thresholds"][0];
    assert_eq!(threshold["signal"], "memory.available");
    assert_eq!(threshold["amount"], 104_857_600);
    assert_eq!(threshold["from"], "default");
    let settings = document["settings"].as_array().unwrap();
    let level = settings
        .iter()
        .find(|setting| setting["flag"] == "v")
        .unwrap();
    assert_eq!(
        (&level["value"], &level["from"]),
        (&"2".into(), &"--v".into())
    );
    assert!(document["warnings"].is_array());
}

#[test]
fn help_and_version_end_with_0() {
    for (arguments, start) in [
        (&["--help"][..], "Usage: evictd [FLAGS]"),
        (&["-h"], "Usage: evictd [FLAGS]"),
        (&["help", "look"], "Usage: evictd look "),
        (&["--version"], "evictd "),
    ] {
        let output = evictd(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(text(&output.stdout).starts_with(start), "{arguments:?}");
        assert_eq!(text(&output.stderr), "");
    }
}

#[test]
fn status_is_readable_at_80_columns_and_plain_where_nobody_looks() {
    let flags = [
        "--eviction-hard=memory.available<99%,nodefs.inodesFree<104857",
        "--eviction-soft=memory.available<99.5%,pid.available<1023",
        "--eviction-soft-grace-period=memory.available=1m30s,pid.available=1h",
    ];
    let output = evictd(&[&["status"][..], &flags].concat());
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output.stdout);
    assert!(
        shown.lines().all(|line| line.chars().count() <= 80),
        "{shown}"
    );
    assert!(!shown.contains('\u{1b}'), "colour in a pipe: {shown}");
    assert!(shown.contains("hard 99%"), "{shown}");
    assert!(shown.contains("MemoryPressure="), "{shown}");

    let output = evictd(&[&["status", "--json"][..], &flags].concat());
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let signals = document["signals"].as_array().unwrap();
    let memory = signals
        .iter()
        .find(|signal| signal["signal"] == "memory.available")
        .unwrap();
    assert_eq!(memory["thresholds"].as_array().unwrap().len(), 2);
    assert!(memory["capacity"].as_i64() > memory["available"].as_i64());
    assert_eq!(document["conditions"][2]["type"], "PIDPressure");
}

#[test]
fn explain_names_the_signal_that_was_meant() {
    let output = evictd(&["explain", "memory.availabel"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("memory.available"),
        "{}",
        text(&output.stderr)
    );
}

/// Acceptance rows 148, 152, 154 and 155: what the documentation shows can be typed as it is.
#[test]
fn the_documented_examples_are_taken() {
    let documents = concat!(
        include_str!("../../../README.md"),
        include_str!("../../../docs/thresholds.md")
    )
    .replace("\\\n", " ");
    let examples = documents
        .lines()
        .filter_map(|line| line.strip_prefix("evictd --"));
    let examples: Vec<&str> = examples.collect();
    assert!(examples.len() >= 5, "{examples:?}");
    for example in examples {
        let line = format!("exec \"$0\" config --{example}");
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", &line, env!("CARGO_BIN_EXE_evictd")]);
        let output = output.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{example}: {output:?}");
    }
}

/// Acceptance row 217: nothing is left out.
#[test]
fn every_switch_stands_in_the_table_of_differences() {
    let table = include_str!("../../../docs/kubelet-differences.md");
    let policy = format!("{:?}", evictd_node::Policy::default());
    let fields = policy.trim_start_matches("Policy { ").split(", ");
    let names: Vec<&str> = fields
        .filter_map(|field| Some(field.split_once(": ")?.0))
        .collect();
    assert!(names.contains(&"ranking") && names.len() > 30, "{names:?}");
    for name in names {
        assert!(table.contains(&format!("\n| `{name}` |")), "{name}");
    }
}
