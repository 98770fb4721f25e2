//! What all answers have in common.

use std::io::BufRead;

use crate::Failure;
use evictd_json::{Json, ReadError};

/// The longest id, name or label that is kept; no longer one means anything to evictd.
pub(super) const MOST_TEXT_BYTES: usize = 1024;

/// The longest path that is kept; the kernel takes no longer one.
pub(super) const MOST_PATH_BYTES: usize = 4096;

/// Reads an answer that is a list; Go writes `null` for an empty one.
///
/// # Errors
/// When that is no list.
pub(super) fn read_list<R: BufRead>(
    stream: R,
    each: impl FnMut(&mut Json<R>) -> Result<(), ReadError>,
) -> Result<(), Failure> {
    let mut json = Json::new(stream);
    if !json.array(each)? && json.fault().is_some() {
        return Err(Failure::malformed("no list"));
    }
    Ok(json.end()?)
}

/// Reads an answer that is an object; returns the first field of it that was not readable.
///
/// # Errors
/// When that is no object.
pub(super) fn read_object<R: BufRead>(
    stream: R,
    each: impl FnMut(&mut Json<R>, &str) -> Result<(), ReadError>,
) -> Result<Option<Box<str>>, Failure> {
    let mut json = Json::new(stream);
    if !json.object(each)? {
        return Err(Failure::malformed("no object"));
    }
    json.end()?;
    Ok(json.fault())
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let ReadError::Stream(error) = error else {
            return Self::malformed(error);
        };
        error.into()
    }
}
