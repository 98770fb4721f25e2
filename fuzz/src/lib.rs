//! What the fuzz targets share: what an error of a settings file says, and a bound of the
//! memory that a parser may hold, whatever it reads.

mod bound;

pub use bound::in_bounded_memory;
use evictd_config::ConfigError;

/// An error of `bytes`, which were read as the file `file`: one line with a hint, and with a
/// line of the file if it names one.
///
/// # Panics
///
/// When it is not so.
pub fn check_error(error: &ConfigError, bytes: &[u8]) {
    let message = error.to_string();
    assert!(!message.contains(char::is_control), "{message:?}");
    assert!(!error.hint.is_empty());
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    if let Some(place) = &error.place {
        assert_eq!(place.file, "file");
        assert!(place.line.is_none_or(|line| (1..=lines).contains(&line)));
    }
}
