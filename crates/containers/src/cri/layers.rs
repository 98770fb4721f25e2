//! What containers have written, as CRI tells it, read into the model.

use std::io;

use super::fields::id;
use super::reader::{Reader, Value};
use crate::WritableLayer;

/// Reads a `ContainerStats`, as far as it can be read: what a container has written into its
/// layer, by its id.
///
/// # Errors
/// The source's.
pub fn parse_layer(reader: &mut Reader<'_>, stats: Value) -> io::Result<(String, WritableLayer)> {
    let (mut of, mut bytes, mut inodes) = (String::new(), None, None);
    reader.message(stats, &mut |reader, field, value| {
        match field {
            1 => reader.message(value, &mut |reader, field, value| {
                if field == 1 {
                    of = id(reader, value)?;
                }
                Ok(())
            })?,
            4 => reader.message(value, &mut |reader, field, value| {
                match field {
                    3 => bytes = wrapped(reader, value)?,
                    4 => inodes = wrapped(reader, value)?,
                    _ => {}
                }
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    let used = bytes.map(|bytes| WritableLayer::Used { bytes, inodes });
    Ok((of, used.unwrap_or_default()))
}

/// Reads an `UInt64Value`: one that is there without a number is 0.
fn wrapped(reader: &mut Reader<'_>, value: Value) -> io::Result<Option<u64>> {
    let mut number = Some(0);
    reader.message(value, &mut |reader, field, value| {
        if field == 1 {
            number = reader.number(value);
        }
        Ok(())
    })?;
    Ok(number)
}
