//! Lists, read item by item: in all of them the items are the field 1.

use std::io;

use super::reader::{Fault, Reader, Value};

/// Reads an item of a list as far as it can be read.
pub type Parse<T> = fn(&mut Reader<'_>, Value) -> io::Result<T>;

/// Takes an item of a list, and which part of it could not be read.
pub type Take<'t, T> = dyn FnMut(T, Option<Box<str>>) + 't;

/// Hands out the items of a list, each as far as it can be read. Where the list itself breaks
/// off, that is the fault that is returned.
///
/// # Errors
/// The source's.
pub fn parse_list<T>(
    reader: &mut Reader<'_>,
    parse: Parse<T>,
    take: &mut Take<'_, T>,
) -> io::Result<Result<(), Fault>> {
    let whole = reader.whole();
    reader.message(whole, &mut |reader, field, value| {
        if field == 1 {
            let item = parse(reader, value)?;
            // What an item lacks is no fault of the list.
            take(item, reader.take_fault().map(Fault::part));
        }
        Ok(())
    })?;
    Ok(reader.take_fault().map_or(Ok(()), Err))
}
