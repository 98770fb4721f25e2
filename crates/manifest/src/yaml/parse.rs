use alloc::vec::Vec;

use serde_json::Value;

use crate::yaml::error::MAX_BYTES;
use crate::yaml::json;
use crate::yaml::{Error, ErrorKind};

/// Reads every document of a YAML stream, or every value of a JSON text; without the
/// feature `yaml` of a JSON text only.
///
/// An empty document is `null`; a text without any content has no documents.
///
/// # Errors
/// With line and column, at the first thing that is not YAML, that JSON cannot
/// say, or that goes beyond the limits of this crate.
pub fn parse_documents(input: &[u8]) -> Result<Vec<Value>, Error> {
    if input.len() > MAX_BYTES {
        return Err(Error::new(ErrorKind::TooLong, 1, 1));
    }
    let text = core::str::from_utf8(input);
    let text = text.map_err(|error| at(ErrorKind::NotUtf8, input, error.valid_up_to()))?;
    // The scanner would take it for the end of the text, and what follows would not count.
    if let Some(place) = input.iter().position(|byte| *byte == 0) {
        return Err(at(ErrorKind::Nul, input, place));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    parse_text(text)
}

#[cfg(feature = "yaml")]
fn parse_text(text: &str) -> Result<Vec<Value>, Error> {
    // What starts like JSON may still be YAML's flow style.
    if text.trim_start().starts_with(['{', '[']) {
        match json::parse_values(text) {
            Err(error) if error.kind == ErrorKind::NotJson => {}
            result => return result,
        }
    }
    crate::yaml::reader::parse(text)
}

#[cfg(not(feature = "yaml"))]
fn parse_text(text: &str) -> Result<Vec<Value>, Error> {
    if text.trim_start().is_empty() {
        return Ok(Vec::new());
    }
    json::parse_values(text)
}

/// An error at that byte.
fn at(kind: ErrorKind, input: &[u8], byte: usize) -> Error {
    let before = input.get(..byte).unwrap_or_default();
    let line = before.split(|byte| *byte == b'\n');
    let column = line.clone().next_back().map_or(0, <[u8]>::len);
    Error::new(kind, line.count(), column.saturating_add(1))
}
