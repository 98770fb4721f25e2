//! YAML proper: feature `yaml`.

mod build;
mod scalar;

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use saphyr_parser::{Marker, Parser, ScanError};
use serde_json::Value;

use crate::yaml::{Error, ErrorKind};
use build::Builder;

pub(crate) fn parse(text: &str) -> Result<Vec<Value>, Error> {
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
