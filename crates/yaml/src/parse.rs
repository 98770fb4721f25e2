use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use saphyr_parser::{Marker, Parser, ScanError};
use serde_json::Value;

use crate::build::Builder;
use crate::json;
use crate::limits::MAX_BYTES;
use crate::{Error, ErrorKind};

/// Reads every document of a YAML stream, or every value of a JSON text.
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
    let text = core::str::from_utf8(input).map_err(|error| not_utf8(input, error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // What starts like JSON may still be YAML's flow style.
    if text.trim_start().starts_with(['{', '['])
        && let Some(result) = json::parse_values(text)
    {
        return result;
    }
    parse_yaml(text)
}

fn parse_yaml(text: &str) -> Result<Vec<Value>, Error> {
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder::new();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| syntax(&error))?;
        builder.take(event).map_err(|kind| at(kind, &span.start))?;
    }
    Ok(builder.finish())
}

fn at(kind: ErrorKind, marker: &Marker) -> Error {
    Error::new(kind, marker.line(), marker.col().saturating_add(1))
}

fn syntax(error: &ScanError) -> Error {
    at(ErrorKind::Syntax(error.info().to_owned()), error.marker())
}

/// The place of the first byte that is not UTF-8.
fn not_utf8(input: &[u8], valid: usize) -> Error {
    let before = input.get(..valid).unwrap_or_default();
    let line = before.split(|byte| *byte == b'\n');
    let column = line.clone().next_back().map_or(0, <[u8]>::len);
    Error::new(ErrorKind::NotUtf8, line.count(), column.saturating_add(1))
}
