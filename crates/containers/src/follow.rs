//! Waiting for what a runtime says by itself.

use core::time::Duration;
use std::io::{BufRead, BufReader};

use crate::Failure;
use crate::socket::{Deadline, Socket};

/// How long what has begun to come in may take to be whole: what never ends does not hold up
/// whoever reads it.
const WHOLE_WITHIN: Duration = Duration::from_secs(2);

/// Waits, that long at most, and returns whether there is anything to be read now.
pub(crate) fn has_more(stream: &mut BufReader<Socket>, at_most: Duration) -> Result<bool, Failure> {
    if stream.buffer().is_empty() {
        stream.get_mut().renew(Deadline::after(at_most));
        match stream
            .fill_buf()
            .map(<[u8]>::is_empty)
            .map_err(Failure::from)
        {
            Ok(false) => {}
            Ok(true) => return Err(Failure::Closed),
            Err(Failure::TimedOut(_)) => return Ok(false),
            Err(failure) => return Err(failure),
        }
    }
    stream.get_mut().renew(Deadline::after(WHOLE_WITHIN));
    Ok(true)
}
