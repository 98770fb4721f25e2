//! What a runtime says by itself, a gRPC message an event: `GetContainerEvents`.

use core::time::Duration;
use std::io::{Read, Write};

use super::grpc::{MESSAGE_HEAD_BYTES, check_status, next_length};
use super::http2::Call;
use crate::follow::has_more;
use crate::socket::Socket;
use crate::{Changes, Failure};

/// The events of a call. Each says that a container was made, has started, has stopped or is
/// gone; what else it says is not read.
pub(super) struct Events<S> {
    call: Call<S>,
    /// How much of the last event is still to come.
    left: usize,
}

impl<S: Read + Write> Events<S> {
    pub(super) const fn new(call: Call<S>) -> Self {
        Self { call, left: 0 }
    }

    /// Takes in a frame, and returns how many events begin there.
    fn step(&mut self) -> Result<usize, Failure> {
        let filled = self.call.step()?;
        if self.call.is_over() {
            check_status(&self.call.fields)?;
            return Err(Failure::Closed);
        }
        self.call.reopen_windows(filled);
        self.take_events().map_err(Failure::malformed)
    }

    /// Nothing of an event is kept, however long it is.
    fn take_events(&mut self) -> Result<usize, String> {
        let (body, mut count) = (&mut self.call.body, 0);
        loop {
            let here = self.left.min(body.len());
            body.drain(..here);
            self.left = self.left.saturating_sub(here);
            let Some(length) = next_length(body)? else {
                return Ok(count);
            };
            self.left = length.saturating_add(MESSAGE_HEAD_BYTES);
            count += 1;
        }
    }
}

impl Changes for Events<Socket> {
    fn wait(&mut self, at_most: Duration) -> Result<bool, Failure> {
        Ok(has_more(&mut self.call.stream, at_most)? && self.step()? > 0)
    }
}

/// Counts the events that this stream carries to us.
///
/// # Errors
/// Always: why no more come.
pub fn count_events<S: Read + Write>(stream: S, count: &mut usize) -> Result<(), Failure> {
    let mut events = Events::new(Call::send(stream, "/", &[], Duration::ZERO)?);
    loop {
        *count += events.step()?;
    }
}
