//! Configuration files: whatever one holds, it gives the same settings or the same
//! error of one line; YAML and JSON of the same content mean the same; no file changes
//! what a flag says; and files behind each other are read like one.
#![no_main]
// parses: crates/config/src/file/mod.rs
// parses: crates/config/src/file/kubelet.rs
// parses: crates/config/src/file/okd.rs
// parses: crates/config/src/file/fields.rs

use evictd_config::{ConfigError, Typed, resolve};
use evictd_fuzz::{check_error, in_bounded_memory};
use libfuzzer_sys::fuzz_target;

const HARD: &str = "eviction-hard";
const LIMIT: &str = "memory.available<7%";

/// The settings as text, or the error.
fn outcome(bytes: &[u8]) -> Result<String, Box<ConfigError>> {
    let mut typed = Typed::default();
    in_bounded_memory(|| typed.add_file("file", bytes))?;
    Ok(format!("{:?}", resolve(&typed)?))
}

fn check(error: &ConfigError, bytes: &[u8]) {
    assert!(error.place.is_some(), "not as one of a file: {error}");
    check_error(error, bytes);
}

/// Files between NUL bytes, the last change to win; one alone is as ever, but for
/// OKD's form, which takes no others.
fn several(bytes: &[u8], alone: &Result<String, Box<ConfigError>>) {
    let added = |files: &[&[u8]]| {
        let mut typed = Typed::default();
        typed.add_files(files.iter().map(|bytes| ("file", *bytes)))?;
        Ok(format!("{:?}", resolve(&typed)?))
    };
    let is_okd = bytes.windows(16).any(|part| part == b"kubeletArguments");
    if !is_okd {
        assert_eq!(added(&[bytes]), *alone);
    }
    let files: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
    match added(&files) {
        Ok(_) => {
            let twice: Vec<&[u8]> = files.iter().chain(&files).copied().collect();
            assert!(added(&twice).is_ok());
        }
        Err(error) => check(&error, bytes),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let first = outcome(bytes);
    if let Err(error) = &first {
        check(error, bytes);
    }
    assert_eq!(first, outcome(bytes));
    // The same content as JSON.
    if let Ok(documents) = evictd_manifest::yaml::parse_documents(bytes)
        && let [document] = documents.as_slice()
        && document.is_object()
    {
        let parts = |error: &Box<ConfigError>| {
            let parts = [&error.message, &error.offending, &error.hint];
            parts.map(String::clone)
        };
        let json = outcome(document.to_string().as_bytes());
        assert_eq!(
            json.as_ref().map_err(parts),
            first.as_ref().map_err(parts),
            "{document}"
        );
    }
    several(bytes, &first);
    // A flag stays what it is, before the file and behind it.
    let mut typed = Typed::default();
    assert!(typed.add(HARD, LIMIT));
    let taken = typed.add_file("file", bytes).is_ok();
    assert_eq!(typed.get(HARD), [LIMIT]);
    if taken && let Ok(resolved) = resolve(&typed) {
        assert_eq!(resolved.evict.thresholds[0].to_string(), LIMIT);
        for warning in &resolved.warnings {
            assert!(!warning.to_string().contains(char::is_control));
        }
        let mut behind = Typed::default();
        assert!(behind.add_file("file", bytes).is_ok());
        assert!(behind.add(HARD, LIMIT));
        assert_eq!(behind, typed);
    }
});
