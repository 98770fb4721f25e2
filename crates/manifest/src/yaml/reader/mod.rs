//! YAML proper: feature `yaml`.

mod build;
mod scalar;

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::cell::Cell;

use saphyr_parser::{Marker, Parser, ScanError};
use serde_json::Value;

use crate::yaml::limits::MAX_MARKS;
use crate::yaml::{Error, ErrorKind};
use build::Builder;

/// What begins with `[` or `{` may turn out to be a key, so the scanner keeps all of its
/// tokens until it ends: a hundred bytes and more for each mark. It reads at most
/// [`MAX_MARKS`] of them for one event; then the text ends for it.
pub(crate) fn parse(text: &str) -> Result<Vec<Value>, Error> {
    let marks = Cell::new(0_usize);
    let bounded = text.chars().map_while(|c| {
        let new = marks.get() + usize::from(c.is_ascii_punctuation());
        marks.set(new);
        (new <= MAX_MARKS).then_some(c)
    });
    let mut parser = Parser::new_from_iter(bounded);
    let mut builder = Builder::new();
    while let Some(event) = parser.next_event() {
        let is_cut_off = marks.get() > MAX_MARKS;
        let (event, span) = match event {
            Err(error) if is_cut_off => return Err(at(ErrorKind::TooManyMarks, error.marker())),
            Ok((_, span)) if is_cut_off => return Err(at(ErrorKind::TooManyMarks, &span.start)),
            event => event.map_err(|error| syntax(&error))?,
        };
        marks.set(0);
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
