//! What an engine says by itself: an event a line.

use core::time::Duration;
use std::io::BufRead;

use super::client::Connection;
use crate::follow::has_more;
use crate::{Changes, Failure};
use evictd_json::{Json, first};

/// The longest word for what happened that is kept: `exec_start: COMMAND` has no bound.
const MOST_ACTION_BYTES: usize = 4096;

/// After which a list is another one. One that was made and has not started yet holds nothing
/// that is short; the events of health checks (`exec_create`, `exec_start`, `exec_die`,
/// `health_status: healthy`) come all the time. Podman's `died` and `remove` are Docker's
/// `die` and `destroy`.
const CHANGES: [&str; 10] = [
    "start", "restart", "die", "died", "destroy", "remove", "rename", "update", "pause", "unpause",
];

/// The events of a connection.
pub(super) struct Events(Connection);

impl Events {
    pub(super) const fn new(connection: Connection) -> Self {
        Self(connection)
    }
}

impl Changes for Events {
    fn wait(&mut self, at_most: Duration) -> Result<bool, Failure> {
        Ok(has_more(&mut self.0, at_most)? && read_event(&mut self.0)?)
    }
}

/// Reads the next line, which holds an event or nothing, and returns whether containers may
/// be others after it: also after one that cannot be read.
///
/// # Errors
/// When the stream ends, or that is no line of JSON.
pub fn read_event(stream: &mut impl BufRead) -> Result<bool, Failure> {
    match stream.fill_buf()?.first() {
        None => return Err(Failure::Closed),
        Some(b'\n') => {
            stream.consume(1);
            return Ok(false);
        }
        Some(_) => {}
    }
    let mut action = None;
    let mut json = Json::new(&mut *stream);
    json.object(|json, key| {
        if key == "Action" {
            first(&mut action, json.text(MOST_ACTION_BYTES)?);
        }
        Ok(())
    })?;
    end_line(stream)?;
    Ok(action.is_none_or(|action: String| CHANGES.contains(&&*action)))
}

/// Reads the end of a line, or of the stream.
fn end_line(stream: &mut impl BufRead) -> Result<(), Failure> {
    loop {
        match stream.fill_buf()?.first() {
            None => return Ok(()),
            Some(b'\n') => {
                stream.consume(1);
                return Ok(());
            }
            Some(b' ' | b'\t' | b'\r') => stream.consume(1),
            Some(_) => return Err(Failure::malformed("two events in a line")),
        }
    }
}
