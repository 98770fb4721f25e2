//! Files of flags: whatever one holds, it gives the same settings or the same error of one
//! line, which names a line of the file; no file changes what the command line says; and
//! what its lines say, the command line can say.
#![no_main]
// parses: crates/config/src/flags_file.rs
// parses: crates/config/src/typed.rs

use evictd_config::{ConfigError, Place, Typed, reload, resolve};
use evictd_fuzz::{check_error, in_bounded_memory};
use libfuzzer_sys::fuzz_target;

const HARD: &str = "eviction-hard";
const LIMIT: &str = "memory.available<7%";

/// The settings as text, or the error.
fn outcome(bytes: &[u8]) -> Result<String, Box<ConfigError>> {
    let mut typed = Typed::default();
    in_bounded_memory(|| typed.add_flags_file("file", bytes))?;
    Ok(format!("{:?}", resolve(&typed)?))
}

fuzz_target!(|bytes: &[u8]| {
    let first = outcome(bytes);
    assert_eq!(first, outcome(bytes));
    if let Err(error) = &first {
        check_error(error, bytes);
        let is_placed = |place: &Place| place.line.is_some();
        assert!(error.place.as_ref().is_none_or(is_placed));
    }
    // The command line stays what it is.
    let mut typed = Typed::default();
    assert!(typed.add(HARD, LIMIT));
    if typed.add_flags_file("file", bytes).is_ok()
        && let Ok(resolved) = resolve(&typed)
    {
        assert_eq!(typed.get(HARD), [LIMIT]);
        assert!(typed.get("flags-file").is_empty());
        assert_eq!(resolved.evict.thresholds[0].to_string(), LIMIT);
        // Read anew it says the same; and in place of nothing what may be in force at once.
        let again = reload(&typed, typed.clone()).expect("it was right before");
        assert!(again.need_restart.is_empty());
        assert_eq!(again.settings.settings, resolved.settings);
        let first = reload(&Typed::default(), typed).expect("it was right before");
        assert_eq!(first.settings.evict.thresholds[0].to_string(), LIMIT);
    }
    // Comments and empty lines say nothing.
    let wider: Vec<u8> = b"# \n\n".iter().chain(bytes).copied().collect();
    let parts = |error: Box<ConfigError>| (error.message, error.offending, error.hint);
    assert_eq!(outcome(&wider).map_err(parts), first.map_err(parts));
});
