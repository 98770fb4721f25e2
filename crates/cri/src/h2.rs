//! HTTP/2 without I/O, as far as one call at a time needs it. The trait is the
//! seam: the crate behind it is young, and may be changed for another.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use ringline_h2::{ErrorCode, H2Connection, H2Event, HeaderField, Settings};

/// One side of a connection, one request at a time.
pub(crate) trait Http2: Send {
    /// Begins a request; the last one has ended.
    fn request(&mut self, head: &[(&str, &str)], body: &[u8]) -> Result<(), Box<str>>;
    /// Takes what came in.
    fn receive(&mut self, bytes: &[u8]);
    /// What is to be sent now; empty when nothing is.
    fn to_send(&mut self) -> Vec<u8>;
    /// What has happened since.
    fn next_event(&mut self) -> Option<Event>;
}

/// What happened to the request in flight.
#[derive(Debug)]
pub(crate) enum Event {
    /// The head of the answer, or what stands after its body.
    Fields(Vec<HeaderField>),
    /// A piece of the body.
    Data(Vec<u8>),
    /// The answer is over. Comes after the last of the others.
    End,
    /// The other side takes no more requests, or not this one: it may be made
    /// again elsewhere.
    Closing(Box<str>),
    /// The connection is of no use any more.
    Broken(Box<str>),
}

/// How much may be on its way to us without our having asked for more.
const WINDOW_BYTES: u32 = 1 << 20;

/// [`Http2`] by ringline-h2.
///
/// It hears nothing more after a GOAWAY, also where requests begun before are
/// still answered: hence [`Event::Closing`] for those too.
pub(crate) struct Ringline {
    h2: H2Connection,
    stream: u32,
    /// To be told after the event that carried it.
    is_over: bool,
}

impl Ringline {
    pub(crate) fn new() -> Self {
        let settings = Settings {
            initial_window_size: WINDOW_BYTES,
            ..Settings::client_default()
        };
        Self {
            h2: H2Connection::new(settings),
            stream: 0,
            is_over: false,
        }
    }

    fn end(&mut self, stream: u32, is_over: bool, event: Event) -> Option<Event> {
        if stream != self.stream {
            return None;
        }
        self.is_over = is_over;
        Some(event)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "ringline-h2 promises that further events only inform"
    )]
    fn translate(&mut self, event: H2Event) -> Option<Event> {
        match event {
            H2Event::Response {
                stream_id,
                headers,
                end_stream,
            } => self.end(stream_id, end_stream, Event::Fields(headers)),
            H2Event::Trailers { stream_id, headers } => {
                self.end(stream_id, true, Event::Fields(headers))
            }
            H2Event::Data {
                stream_id,
                data,
                end_stream,
            } => self.end(stream_id, end_stream, Event::Data(data)),
            H2Event::StreamReset {
                stream_id,
                error_code,
            } if stream_id == self.stream => Some(match error_code {
                ErrorCode::RefusedStream => Event::Closing("the request was refused".into()),
                code => Event::Broken(reset(code)),
            }),
            H2Event::GoAway { .. } => {
                Some(Event::Closing("the runtime closes its connections".into()))
            }
            H2Event::Error(error) => Some(Event::Broken(error.to_string().into())),
            _ => None,
        }
    }
}

#[expect(
    clippy::as_conversions,
    reason = "the number of the code, which HTTP/2 fixes"
)]
fn reset(code: ErrorCode) -> Box<str> {
    format!(
        "the runtime ended the request with HTTP/2 error {}",
        code as u32
    )
    .into()
}

impl Http2 for Ringline {
    fn request(&mut self, head: &[(&str, &str)], body: &[u8]) -> Result<(), Box<str>> {
        let field =
            |(name, value): &(&str, &str)| HeaderField::new(name.as_bytes(), value.as_bytes());
        let fields: Vec<HeaderField> = head.iter().map(field).collect();
        let sent = self.h2.send_request(&fields, false).and_then(|stream| {
            self.stream = stream;
            self.is_over = false;
            self.h2.send_data(stream, body, true)
        });
        sent.map_err(|error| error.to_string().into())
    }

    fn receive(&mut self, bytes: &[u8]) {
        // It tells of errors by an event.
        drop(self.h2.recv(bytes));
    }

    fn to_send(&mut self) -> Vec<u8> {
        self.h2.take_pending_send()
    }

    fn next_event(&mut self) -> Option<Event> {
        if core::mem::take(&mut self.is_over) {
            return Some(Event::End);
        }
        while let Some(event) = self.h2.poll_event() {
            let event = self.translate(event);
            if event.is_some() {
                return event;
            }
        }
        None
    }
}
