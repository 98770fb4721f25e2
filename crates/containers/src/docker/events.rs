//! What an engine says by itself: an event a line.

use alloc::borrow::Cow;
use core::time::Duration;
use std::io::BufRead;

use serde::Deserialize;

use super::client::Connection;
use crate::follow::has_more;
use crate::{Changes, Failure};

/// Events that are longer are not looked into: a container may have labels without end.
const MOST_EVENT_BYTES: usize = 64 << 10;

/// After which a list is another one. One that was made and has not started yet holds nothing
/// that is short; the events of health checks (`exec_create`, `exec_start`, `exec_die`,
/// `health_status: healthy`) come all the time. Podman's `died` and `remove` are Docker's
/// `die` and `destroy`.
const CHANGES: [&str; 10] = [
    "start", "restart", "die", "died", "destroy", "remove", "rename", "update", "pause", "unpause",
];

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "Action", borrow)]
    action: Cow<'a, str>,
}

/// The events of a connection.
pub(super) struct Events {
    connection: Connection,
    line: Vec<u8>,
}

impl Events {
    pub(super) const fn new(connection: Connection) -> Self {
        let line = Vec::new();
        Self { connection, line }
    }
}

impl Changes for Events {
    fn wait(&mut self, at_most: Duration) -> Result<bool, Failure> {
        Ok(has_more(&mut self.connection, at_most)?
            && read_event(&mut self.connection, &mut self.line)?)
    }
}

/// Reads the next event and returns whether containers may be others after it. The line
/// serves as memory.
///
/// # Errors
/// When the stream ends, or that is no event.
pub fn read_event(stream: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, Failure> {
    line.clear();
    if !read_line(stream, line)? {
        return Ok(true);
    }
    let event: Event<'_> = serde_json::from_slice(line).map_err(Failure::malformed)?;
    Ok(CHANGES.contains(&&*event.action))
}

/// Reads a line; `false` where it is longer than what is kept of it.
fn read_line(stream: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, Failure> {
    let mut is_whole = true;
    loop {
        let bytes = stream.fill_buf()?;
        if bytes.is_empty() {
            return Err(Failure::Closed);
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(bytes.len(), |end| end.saturating_add(1));
        is_whole &= line.len().saturating_add(count) <= MOST_EVENT_BYTES;
        if is_whole {
            line.extend(bytes.iter().take(count));
        }
        stream.consume(count);
        if end.is_some() {
            return Ok(is_whole);
        }
    }
}
