//! What comes in over a connection, up to the end of one call's answer. No I/O.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::cri_api::connection::Trouble;
use crate::cri_api::h2::{Event, Http2};
use crate::cri_api::hpack::Fields;
use crate::cri_api::{AnswerReader, Bytes, Failure, MOST_ANSWER_BYTES};

/// Characters of a runtime's own words.
const MOST_WORDS: usize = 512;

/// What the first call over a connection comes to that carries these bytes to us,
/// in pieces of that many, and no more.
///
/// # Errors
/// Where that is no answer, or not all of one.
pub fn parse_connection(bytes: &[u8], piece: usize) -> Result<Vec<u8>, Failure> {
    let mut h2 = Http2::new();
    h2.request(&[(":path", "/")], &[0; 5])
        .map_err(|why| Failure::NotReachable(why.into()))?;
    let mut answer = Received::new();
    for piece in bytes.chunks(piece.max(1)) {
        h2.receive(piece);
        drop(h2.take_outgoing());
        while let Some(event) = h2.next_event() {
            if answer.take(event)? {
                return answer.finish();
            }
        }
    }
    Err(Failure::NotReachable(
        "it ends before the answer does".into(),
    ))
}

/// What has come of an answer.
pub(crate) struct Received {
    reader: AnswerReader,
    has_head: bool,
    code: Option<u32>,
    message: String,
}

impl Received {
    pub(crate) const fn new() -> Self {
        Self {
            reader: AnswerReader::new(MOST_ANSWER_BYTES),
            has_head: false,
            code: None,
            message: String::new(),
        }
    }

    /// Answers whether that was the last of it.
    pub(crate) fn take(&mut self, event: Event) -> Result<bool, Trouble> {
        match event {
            Event::Fields(fields) => self.fields(&fields)?,
            Event::Data(piece) => self.reader.push(&piece).map_err(Failure::Malformed)?,
            Event::End => return Ok(true),
            Event::Closing(why) => return Err(Trouble::Closed(why.into())),
            Event::Broken(why) => return Err(Failure::Malformed(why).into()),
        }
        Ok(false)
    }

    fn fields(&mut self, fields: &Fields) -> Result<(), Failure> {
        if !core::mem::replace(&mut self.has_head, true) {
            check_head(fields)?;
        }
        if let Some(text) = &fields.grpc_status {
            let number = core::str::from_utf8(text)
                .ok()
                .and_then(|text| text.parse().ok());
            let what = || malformed(format!("a gRPC status of {}", words(text)));
            self.code = Some(number.ok_or_else(what)?);
        }
        if let Some(text) = &fields.grpc_message {
            self.message = words(text);
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>, Failure> {
        match self.code {
            Some(0) => self.reader.finish().map_err(Failure::Malformed),
            Some(code) => Err(Failure::Refused {
                code,
                message: self.message.into(),
            }),
            None => Err(malformed("it ends without a gRPC status")),
        }
    }
}

fn check_head(fields: &Fields) -> Result<(), Failure> {
    let status = fields.status.as_deref().unwrap_or_default();
    if status != b"200" {
        return Err(malformed(format!("HTTP status {}", words(status))));
    }
    let content = fields.content_type.as_deref().unwrap_or_default();
    if !content.starts_with(b"application/grpc") {
        return Err(malformed(format!("content of type {}", words(content))));
    }
    Ok(())
}

/// A runtime's words for a log line: percent-decoded as gRPC has them encoded, on
/// one line, cut.
fn words(text: &[u8]) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let code = match after {
            [high, low, ..] if *first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match code {
            Some((high, low)) => {
                bytes.push(high << 4 | low);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    let text = Bytes::new(&bytes).text();
    let plain = |char: char| if char.is_control() { ' ' } else { char };
    text.chars().take(MOST_WORDS).map(plain).collect()
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

pub(crate) fn malformed(what: impl Into<Box<str>>) -> Failure {
    Failure::Malformed(what.into())
}
