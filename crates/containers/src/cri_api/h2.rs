//! HTTP/2 (RFC 9113) without I/O, as far as one unary gRPC call at a time needs it.
//!
//! What makes it small: the other side is told to keep no table of header fields,
//! and may send as much as it likes without asking, because who reads stops at
//! a bound of its own.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::cri_api::hpack::{Fields, parse_block, write_field};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// No table of header fields (1), no pushed answers (2), all that fits into a
/// window (4).
const SETTINGS: [u8; 18] = [
    0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff,
];
/// The connection's window as wide as a stream's: it begins with 65,535.
const WIDEN: u32 = 0x7fff_ffff - 65_535;

/// No frame may be longer, as nobody was told that one may.
const MOST_FRAME_BYTES: usize = 16_384;
const HEAD_BYTES: usize = 9;
/// What may stand before and after an answer's body, as it is sent.
const MOST_BLOCK_BYTES: usize = 64 << 10;
/// The last number of a stream.
const LAST_STREAM: u32 = 0x7fff_ffff;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS_KIND: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;
const PADDED: u8 = 8;
const PRIORITY: u8 = 32;

/// The error code of a request that was not looked at.
const REFUSED_STREAM: u32 = 7;

/// What happened to the request in flight.
#[derive(Debug)]
pub(crate) enum Event {
    /// The head of the answer, or what stands after its body.
    Fields(Fields),
    /// A piece of the body.
    Data(Vec<u8>),
    /// The answer is over. Comes after the last of the others.
    End,
    /// The other side takes no more requests, or not this one: it may be made
    /// again elsewhere.
    Closing(&'static str),
    /// What came is not HTTP/2, or the request was ended.
    Broken(Box<str>),
}

/// Our side of a connection.
#[derive(Debug)]
pub(crate) struct Http2 {
    /// What came in and was not looked at yet, from `at` on.
    incoming: Vec<u8>,
    at: usize,
    outgoing: Vec<u8>,
    /// The request in flight, or the last one; 0 before the first.
    stream: u32,
    /// Header fields of which more is to come, and whether the answer ends there.
    block: Option<(Vec<u8>, bool)>,
    /// Bytes of bodies since the connection's window was last made wide.
    used: u32,
    is_greeted: bool,
    is_over: bool,
    is_closing: bool,
}

struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Http2 {
    pub(crate) fn new() -> Self {
        let mut new = Self {
            incoming: Vec::new(),
            at: 0,
            outgoing: PREFACE.to_vec(),
            stream: 0,
            block: None,
            used: 0,
            is_greeted: false,
            is_over: false,
            is_closing: false,
        };
        new.send(SETTINGS_KIND, 0, 0, &SETTINGS);
        new.send(WINDOW_UPDATE, 0, 0, &WIDEN.to_be_bytes());
        new
    }

    fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        self.outgoing
            .extend_from_slice(&(length << 8 | u32::from(kind)).to_be_bytes());
        self.outgoing.push(flags);
        self.outgoing.extend_from_slice(&stream.to_be_bytes());
        self.outgoing.extend_from_slice(payload);
    }

    /// Begins a request; the last one has ended. The body is short: at most what
    /// fits into a frame.
    pub(crate) fn request(
        &mut self,
        head: &[(&str, &str)],
        body: &[u8],
    ) -> Result<(), &'static str> {
        if self.is_closing || self.stream >= LAST_STREAM {
            return Err("the runtime closes its connections");
        }
        self.stream = self
            .stream
            .saturating_add(if self.stream == 0 { 1 } else { 2 });
        self.is_over = false;
        if self.used > 0 {
            let used = core::mem::take(&mut self.used);
            self.send(WINDOW_UPDATE, 0, 0, &used.to_be_bytes());
        }
        let mut block = Vec::new();
        for (name, value) in head {
            write_field(name, value, &mut block);
        }
        if block.len().max(body.len()) > MOST_FRAME_BYTES {
            return Err("a request that is too long");
        }
        self.send(HEADERS, END_HEADERS, self.stream, &block);
        self.send(DATA, END_STREAM, self.stream, body);
        Ok(())
    }

    /// Takes what came in.
    pub(crate) fn receive(&mut self, bytes: &[u8]) {
        self.incoming.drain(..self.at.min(self.incoming.len()));
        self.at = 0;
        self.incoming.extend_from_slice(bytes);
    }

    /// What is to be sent now; empty when nothing is.
    pub(crate) fn take_outgoing(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.outgoing)
    }

    /// What has happened since.
    pub(crate) fn next_event(&mut self) -> Option<Event> {
        if core::mem::take(&mut self.is_over) {
            return Some(Event::End);
        }
        loop {
            let handled = match self.next_frame() {
                Ok(Some(frame)) => self.handle(frame),
                Ok(None) => return None,
                Err(why) => Err(why),
            };
            match handled {
                Ok(None) => {}
                Ok(event) => return event,
                Err(why) => return Some(Event::Broken(why)),
            }
        }
    }

    fn next_frame(&mut self) -> Result<Option<Frame>, Box<str>> {
        let rest = self.incoming.get(self.at..).unwrap_or_default();
        let Some((head, rest)) = rest.split_first_chunk::<HEAD_BYTES>() else {
            return Ok(None);
        };
        if head.starts_with(b"HTTP/1.") {
            return Err("it speaks HTTP/1".into());
        }
        let [a, b, c, kind, flags, stream @ ..] = *head;
        let length = usize::try_from(u32::from_be_bytes([0, a, b, c])).unwrap_or(usize::MAX);
        if length > MOST_FRAME_BYTES {
            return Err(format!("a frame of {length} bytes").into());
        }
        let Some(payload) = rest.get(..length) else {
            return Ok(None);
        };
        let frame = Frame {
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & LAST_STREAM,
            payload: payload.to_vec(),
        };
        self.at = self.at.saturating_add(HEAD_BYTES).saturating_add(length);
        Ok(Some(frame))
    }

    fn handle(&mut self, frame: Frame) -> Result<Option<Event>, Box<str>> {
        let Frame {
            kind,
            flags,
            stream,
            payload,
        } = frame;
        if !core::mem::replace(&mut self.is_greeted, true) && kind != SETTINGS_KIND {
            return Err("it does not begin with SETTINGS".into());
        }
        if self.block.is_some() != (kind == CONTINUATION) {
            return Err("header fields and CONTINUATION do not go together".into());
        }
        if stream > self.stream && matches!(kind, DATA | HEADERS) {
            return Err("an answer to no request".into());
        }
        // Else it belongs to one that is over.
        let is_ours = stream == self.stream;
        match kind {
            DATA => {
                let count = u32::try_from(payload.len()).unwrap_or(u32::MAX);
                self.used = self.used.saturating_add(count).min(LAST_STREAM);
                let body = body_of(flags, &payload, 0).ok_or("a padding that is too long")?;
                self.is_over = is_ours && flags & END_STREAM != 0;
                return Ok(is_ours.then(|| Event::Data(body.to_vec())));
            }
            HEADERS => {
                let priority = if flags & PRIORITY == 0 { 0 } else { 5 };
                let block =
                    body_of(flags, &payload, priority).ok_or("a padding that is too long")?;
                return self.fields(block.to_vec(), flags & END_STREAM != 0, flags, is_ours);
            }
            CONTINUATION => {
                let (mut block, is_last) = self.block.take().unwrap_or_default();
                block.extend_from_slice(&payload);
                return self.fields(block, is_last, flags, is_ours);
            }
            RST_STREAM if is_ours => {
                let code = number(&payload);
                if code == REFUSED_STREAM {
                    return Ok(Some(Event::Closing("the request was refused")));
                }
                return Err(format!("the request was ended with HTTP/2 error {code}").into());
            }
            SETTINGS_KIND if flags & ACK == 0 => self.send(SETTINGS_KIND, ACK, 0, &[]),
            PING if flags & ACK == 0 => self.send(PING, ACK, 0, &payload),
            GOAWAY => {
                self.is_closing = true;
                if number(&payload) & LAST_STREAM < self.stream {
                    return Ok(Some(Event::Closing("the runtime closes its connections")));
                }
            }
            PUSH_PROMISE => return Err("a pushed answer".into()),
            // Windows: requests are short. All else: a newer HTTP/2's.
            _ => {}
        }
        Ok(None)
    }

    fn fields(
        &mut self,
        block: Vec<u8>,
        is_last: bool,
        flags: u8,
        is_ours: bool,
    ) -> Result<Option<Event>, Box<str>> {
        if block.len() > MOST_BLOCK_BYTES {
            return Err("header fields without end".into());
        }
        if flags & END_HEADERS == 0 {
            self.block = Some((block, is_last));
            return Ok(None);
        }
        let fields = parse_block(&block).ok_or("header fields that are not in HPACK's form")?;
        self.is_over = is_ours && is_last;
        Ok(is_ours.then_some(Event::Fields(fields)))
    }
}

/// A frame's content without padding, and without so many bytes that stand first.
fn body_of(flags: u8, payload: &[u8], skip: usize) -> Option<&[u8]> {
    let (padding, rest) = if flags & PADDED == 0 {
        (0, payload)
    } else {
        let (padding, rest) = payload.split_first()?;
        (usize::from(*padding), rest)
    };
    rest.get(skip..rest.len().checked_sub(padding)?)
}

/// The number that a payload begins with; 0 where it is too short.
fn number(payload: &[u8]) -> u32 {
    let first = payload.first_chunk::<4>();
    first.map_or(0, |bytes| u32::from_be_bytes(*bytes))
}
