//! The command line, split and resolved: whatever is typed, the same arguments
//! give the same settings or the same error of one line, and a flag split in two
//! words means what it means in one.
#![no_main]
// parses: crates/config/src/command_line/mod.rs
// parses: crates/cli/src/args/line.rs
// parses: crates/cli/src/args/mod.rs
// parses: crates/config/src/typed.rs
// parses: crates/config/src/values.rs
// parses: crates/config/src/lists.rs
// parses: crates/config/src/endpoint.rs

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use evictd_cli::args::{Request, parse};
use evictd_config::{
    Machine, effective, lint, parse_priority, parse_qos_class, parse_signal, resolve,
};
use libfuzzer_sys::fuzz_target;

/// Everything that comes of a command line, as text.
fn outcome(argv: &[OsString]) -> Result<String, String> {
    let typed = match parse(argv).map_err(|error| error.to_string())? {
        Request::Print(text) => return Ok(text),
        Request::Run(command, typed) => (command, typed),
    };
    let resolved = resolve(&typed.1).map_err(|error| {
        let typed: usize = argv.iter().map(|word| word.len() + 1).sum();
        assert!(error.position <= typed);
        error.to_string()
    })?;
    assert_eq!(
        resolved.evict.thresholds.len(),
        resolved.threshold_origins.len()
    );
    assert!(resolved.daemon.housekeeping_interval.as_millis() >= 100);
    let machine = Machine {
        capacities: [Some(10 << 30); evictd_node::Signal::COUNT],
        left: [Some(1 << 30); evictd_node::Signal::COUNT],
        min_free_bytes: Some(64 << 20),
        unaccounted_bytes: Some(20 << 20),
        swap_bytes: Some(0),
        processors: Some(4),
    };
    for warning in lint(&resolved, &machine) {
        assert!(!warning.to_string().contains(char::is_control));
    }
    assert_eq!(
        effective(&resolved, &machine).thresholds.len(),
        resolved.evict.thresholds.len()
    );
    Ok(format!("{typed:?} {resolved:?}"))
}

/// What flags of single commands take.
fn values(text: &str) {
    let signal = parse_signal("signal", text).map(|signal| signal.name() == text);
    let class = parse_qos_class("qos", text).map(|class| class.name() == text);
    let priority = parse_priority("priority", text).map(|_| !text.is_empty());
    for parsed in [signal, class, priority] {
        match parsed {
            Ok(is_same) => assert!(is_same, "{text:?}"),
            Err(error) => assert!(!error.to_string().contains(char::is_control)),
        }
    }
}

fuzz_target!(|text: &[u8]| {
    let lines = text.split(|byte| *byte == b'\n');
    let argv: Vec<OsString> = lines
        .map(|line| OsString::from_vec(line.to_vec()))
        .collect();
    let first = outcome(&argv);
    assert_eq!(first, outcome(&argv));
    if let Err(message) = &first {
        assert!(!message.contains(char::is_control), "{message:?}");
    }
    argv.iter()
        .filter_map(|word| word.to_str())
        .for_each(values);
    // A flag that comes last is split in two; booleans do not take a second word.
    let Some((last, before)) = argv.split_last() else {
        return;
    };
    let Some((name, value)) = last.to_str().and_then(|last| last.split_once('=')) else {
        return;
    };
    let takes_value = name.strip_prefix("--").and_then(evictd_config::Flag::find);
    if takes_value.is_some_and(|flag| flag.takes != evictd_config::Takes::Bool)
        && !before
            .iter()
            .any(|word| word == "--" || !word.to_string_lossy().contains('='))
    {
        let mut apart = before.to_vec();
        apart.extend([OsString::from(name), OsString::from(value)]);
        assert_eq!(first, outcome(&apart));
    }
});
