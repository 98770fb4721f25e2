//! What a runtime says by itself: `GetContainerEvents`.

use core::time::Duration;
use std::io::{Read, Write};

use super::grpc::check_status;
use super::http2::Call;
use crate::follow::has_more;
use crate::socket::Socket;
use crate::{Changes, Failure};

/// The events of a call. Each says that a container was made, has started, has stopped or is
/// gone. Whatever comes is taken for one and not read: it only has the containers listed.
pub(super) struct Events<S> {
    call: Call<S>,
}

impl<S: Read + Write> Events<S> {
    pub(super) const fn new(call: Call<S>) -> Self {
        Self { call }
    }

    /// Takes in a frame, and returns whether it brought anything of an event.
    fn step(&mut self) -> Result<bool, Failure> {
        let filled = self.call.step()?;
        if self.call.is_over() {
            check_status(&self.call.fields)?;
            return Err(Failure::Closed);
        }
        self.call.reopen_windows(filled);
        let is_event = !self.call.body.is_empty();
        self.call.body.clear();
        Ok(is_event)
    }
}

impl Changes for Events<Socket> {
    fn wait(&mut self, at_most: Duration) -> Result<bool, Failure> {
        // It may go on for ever.
        self.call.around = 0;
        Ok(has_more(&mut self.call.stream, at_most)? && self.step()?)
    }
}

/// Counts the pieces of events that this stream carries to us.
///
/// # Errors
/// Always: why no more come.
pub fn count_events<S: Read + Write>(stream: S, count: &mut usize) -> Result<(), Failure> {
    let mut events = Events::new(Call::send(stream, "/", &[], Duration::ZERO)?);
    loop {
        *count += usize::from(events.step()?);
    }
}
