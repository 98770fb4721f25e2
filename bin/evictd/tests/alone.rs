//! The program without commands: the daemon, help and the version.
#![cfg(not(feature = "cli"))]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::process::Command;

/// The exit code, and what stands on stdout and stderr.
fn evictd(argument: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evictd"));
    let done = command.arg(argument).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code(), text(done.stdout), text(done.stderr))
}

#[test]
fn daemon_alone_answers_help_and_version() {
    let (code, help, errors) = evictd("--help");
    assert_eq!((code, &*errors), (Some(0), ""));
    assert!(help.starts_with("Usage: evictd [FLAGS] "), "{help}");
    assert!(help.contains("--eviction-hard="), "{help}");
    assert!(!help.contains("The commands"), "{help}");
    let version = format!("evictd {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(evictd("--version"), (Some(0), version, String::new()));
}

#[test]
fn daemon_alone_refuses_commands_with_2() {
    for (argument, expected) in [
        (
            "status",
            "evictd: unknown command: status; this evictd was built without commands\n",
        ),
        (
            "--jsn",
            "evictd: unknown flag: --jsn; evictd --help lists all flags\n",
        ),
        ("--v=-1", "evictd: --v:"),
    ] {
        let (code, output, errors) = evictd(argument);
        assert_eq!((code, &*output), (Some(2), ""), "{argument}");
        assert!(errors.starts_with(expected), "{errors}");
    }
}
