//! The one message of a unary gRPC call's answer, as it comes in.

use std::io::{self, BufRead, Read, Write};

use super::grpc::{MESSAGE_HEAD_BYTES, check_status, message_length};
use super::http2::Call;
use super::reader::Reader;
use crate::Failure;

/// What a call comes to whose answer this stream carries to us: the message. For fuzzing.
///
/// # Errors
/// Where that is no answer, or not all of one.
pub fn parse_connection<S: Read + Write>(stream: S) -> Result<Vec<u8>, Failure> {
    let call = Call::send(stream, "/", &[], core::time::Duration::ZERO)?;
    read_answer(call, |reader| {
        let whole = reader.whole();
        reader.prefix(whole, usize::MAX)
    })
}

/// Waits for the message that answers a call, and has it read as it comes in.
///
/// # Errors
/// When there is no answer, not all of one, or none that is gRPC.
pub(super) fn read_answer<S: Read + Write, T>(
    call: Call<S>,
    read: impl FnOnce(&mut Reader<'_>) -> io::Result<T>,
) -> Result<T, Failure> {
    let mut answer = Answer {
        call,
        at: 0,
        length: 0,
        came: 0,
    };
    answer.begin()?;
    let length = answer.length;
    let mut reader = Reader::new(&mut answer, length);
    let told = read(&mut reader)?;
    let whole = reader.whole();
    reader.skip(whole)?;
    answer.finish()?;
    Ok(told)
}

struct Answer<S> {
    call: Call<S>,
    /// How much of the body that is there was read.
    at: usize,
    /// How long the message is, and how much of it was read.
    length: usize,
    came: usize,
}

impl<S: Read + Write> Answer<S> {
    /// Waits for the head that stands before the message.
    fn begin(&mut self) -> Result<(), Failure> {
        loop {
            if let Some(head) = self.call.body.first_chunk::<MESSAGE_HEAD_BYTES>() {
                self.length = message_length(*head).map_err(Failure::malformed)?;
                self.at = MESSAGE_HEAD_BYTES;
                return Ok(());
            }
            if self.call.is_over() {
                check_status(&self.call.fields)?;
                return Err(Failure::malformed("no message"));
            }
            self.call.step()?;
        }
    }

    /// The next piece of the message, while there is any.
    fn next_piece(&mut self) -> Result<(), Failure> {
        while self.call.body.len() <= self.at {
            self.call.body.clear();
            self.at = 0;
            if self.call.is_over() {
                check_status(&self.call.fields)?;
                let Self { length, came, .. } = self;
                let odd = format!("a message of {length} bytes ends after {came}");
                return Err(Failure::malformed(odd));
            }
            self.call.step()?;
        }
        Ok(())
    }

    /// The message was read: nothing may follow it but the runtime's word that all is well.
    fn finish(mut self) -> Result<(), Failure> {
        loop {
            if self.call.body.len() > self.at {
                return Err(Failure::malformed("more than one message"));
            }
            if self.call.is_over() {
                return check_status(&self.call.fields);
            }
            self.call.step()?;
        }
    }
}

impl<S: Read + Write> Read for Answer<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<S: Read + Write> BufRead for Answer<S> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.next_piece()?;
        Ok(self.call.body.get(self.at..).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
        self.came = self.came.saturating_add(count);
    }
}
