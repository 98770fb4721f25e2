//! HTTP/2 (RFC 9113) over a stream, as far as one gRPC call with one request needs it: no
//! socket, no clock.
//!
//! What makes it small: a connection carries one call; the other side is told to keep no
//! table of header fields, and may send as much as it likes without asking, because what
//! comes is read at once and nothing is kept of it here. Why no crate does it: those that exist
//! multiplex calls and keep the table, which is most of their code, and leave gRPC to
//! their user.

use std::io::{BufReader, Read, Write};

use super::grpc::check_head;
use super::hpack::{Fields, read_block, write_field};
use crate::Failure;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// No table of header fields (1), no pushed answers (2), all that fits into a
/// window (4).
const OUR_SETTINGS: [u8; 18] = [
    0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff,
];
/// The connection's window as wide as a stream's: it begins with 65,535.
const WIDEN: u32 = 0x7fff_ffff - 65_535;

/// No frame may be longer, as the other side was not told that one may.
const MOST_FRAME_BYTES: usize = 16_384;
const HEAD_BYTES: usize = 9;
/// What may stand before and after an answer's body, as it is sent.
const MOST_BLOCK_BYTES: usize = 64 << 10;
/// What may come between two pieces of a body.
const MOST_AROUND_BYTES: usize = 256 << 10;
/// The last number of a stream.
const LAST_STREAM: u32 = 0x7fff_ffff;
/// The stream of the one request over a connection.
const REQUEST: u32 = 1;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
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

/// One gRPC call over a connection of its own.
pub(super) struct Call<S> {
    pub(super) stream: BufReader<S>,
    /// What is to be sent before anything is waited for.
    outgoing: Vec<u8>,
    /// The first frame has come.
    has_begun: bool,
    pub(super) fields: Fields,
    has_head: bool,
    /// Header fields of which more is to come.
    block: Option<Vec<u8>>,
    /// What has come of the body, and was not taken out of it.
    pub(super) body: Vec<u8>,
    /// How many bytes have come since that brought nothing of a body.
    pub(super) around: usize,
    /// Whether nothing follows, except for the rest of a block.
    is_last: bool,
}

struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl<S: Read + Write> Call<S> {
    /// Sends a request. It is short: at most what fits into a frame.
    pub(super) fn send(
        stream: S,
        method: &str,
        message: &[u8],
        within: core::time::Duration,
    ) -> Result<Self, Failure> {
        let timeout = format!("{}m", within.as_millis().min(99_999_999));
        let mut block = Vec::new();
        for (name, value) in [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", "localhost"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("user-agent", "evictd"),
            // For what containerd serves beside CRI, which puts its things there.
            ("containerd-namespace", "k8s.io"),
            ("grpc-timeout", &timeout),
        ] {
            write_field(name, value, &mut block);
        }
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        let body = [&[0], &length.to_be_bytes()[..], message].concat();
        if block.len().max(body.len()) > MOST_FRAME_BYTES {
            return Err(Failure::malformed("a request that is too long"));
        }
        let mut call = Self {
            stream: BufReader::new(stream),
            outgoing: PREFACE.to_vec(),
            has_begun: false,
            fields: Fields::default(),
            has_head: false,
            block: None,
            body: Vec::new(),
            around: 0,
            is_last: false,
        };
        call.write(SETTINGS, 0, 0, &OUR_SETTINGS);
        call.write(WINDOW_UPDATE, 0, 0, &WIDEN.to_be_bytes());
        call.write(HEADERS, END_HEADERS, REQUEST, &block);
        call.write(DATA, END_STREAM, REQUEST, &body);
        call.flush()?;
        Ok(call)
    }

    fn write(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        let head = (length << 8 | u32::from(kind)).to_be_bytes();
        self.outgoing.extend_from_slice(&head);
        self.outgoing.push(flags);
        self.outgoing.extend_from_slice(&stream.to_be_bytes());
        self.outgoing.extend_from_slice(payload);
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let outgoing = core::mem::take(&mut self.outgoing);
        Ok(self.stream.get_mut().write_all(&outgoing)?)
    }

    /// Takes in a frame, and returns how much of the windows it has filled.
    pub(super) fn step(&mut self) -> Result<usize, Failure> {
        let frame = self.read_frame()?;
        if !core::mem::replace(&mut self.has_begun, true) && frame.kind != SETTINGS {
            return Err(Failure::malformed("it does not begin with SETTINGS"));
        }
        let before = self.body.len();
        self.handle(&frame)?;
        if self.body.len() > before {
            self.around = 0;
        } else {
            // What never ends is given up before the deadline.
            let bytes = frame.payload.len().saturating_add(HEAD_BYTES);
            self.around = self.around.saturating_add(bytes);
            if self.around > MOST_AROUND_BYTES {
                return Err(Failure::malformed("an answer without end"));
            }
        }
        // Not after each frame: the runtime may have sent the whole answer and gone.
        if !self.is_over() && self.stream.buffer().is_empty() {
            self.flush()?;
        }
        let is_data = frame.kind == DATA;
        Ok(if is_data { frame.payload.len() } else { 0 })
    }

    /// Whether nothing more will come.
    pub(super) const fn is_over(&self) -> bool {
        self.is_last && self.block.is_none()
    }

    /// So many more bytes may come.
    pub(super) fn reopen_windows(&mut self, bytes: usize) {
        if let Ok(bytes @ 1..) = u32::try_from(bytes) {
            self.write(WINDOW_UPDATE, 0, 0, &bytes.to_be_bytes());
            self.write(WINDOW_UPDATE, 0, REQUEST, &bytes.to_be_bytes());
        }
    }

    fn read_frame(&mut self) -> Result<Frame, Failure> {
        let mut head = [0; HEAD_BYTES];
        self.stream.read_exact(&mut head)?;
        if head.starts_with(b"HTTP/1.") {
            return Err(Failure::malformed("it speaks HTTP/1"));
        }
        let [a, b, c, kind, flags, stream @ ..] = head;
        let length = usize::try_from(u32::from_be_bytes([0, a, b, c])).unwrap_or(usize::MAX);
        if length > MOST_FRAME_BYTES {
            return Err(Failure::malformed(format!("a frame of {length} bytes")));
        }
        let mut payload = vec![0; length];
        self.stream.read_exact(&mut payload)?;
        Ok(Frame {
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & LAST_STREAM,
            payload,
        })
    }

    fn handle(&mut self, frame: &Frame) -> Result<(), Failure> {
        let kind = frame.kind;
        if self.block.is_some() != (kind == CONTINUATION) {
            let odd = "header fields and CONTINUATION do not go together";
            return Err(Failure::malformed(odd));
        }
        let is_ours = frame.stream == REQUEST;
        match kind {
            DATA | HEADERS | CONTINUATION if !is_ours => {
                return Err(Failure::malformed("an answer to no request"));
            }
            DATA => self.take_data(frame)?,
            HEADERS | CONTINUATION => self.take_headers(frame)?,
            RST_STREAM if is_ours => match first_number(&frame.payload) {
                REFUSED_STREAM => return Err(Failure::Closed),
                code => {
                    let odd = format!("the request was ended with HTTP/2 error {code}");
                    return Err(Failure::malformed(odd));
                }
            },
            SETTINGS if frame.flags & ACK == 0 => self.write(SETTINGS, ACK, 0, &[]),
            PING if frame.flags & ACK == 0 => self.write(PING, ACK, 0, &frame.payload),
            // The last request that will be answered is none of ours.
            GOAWAY if first_number(&frame.payload) & LAST_STREAM < REQUEST => {
                return Err(Failure::Closed);
            }
            PUSH_PROMISE => return Err(Failure::malformed("a pushed answer")),
            // Windows: requests are short. All else: a newer HTTP/2's.
            _ => {}
        }
        Ok(())
    }

    fn take_data(&mut self, frame: &Frame) -> Result<(), Failure> {
        self.body.extend_from_slice(content_of(frame, 0)?);
        self.is_last = frame.flags & END_STREAM != 0;
        Ok(())
    }

    fn take_headers(&mut self, frame: &Frame) -> Result<(), Failure> {
        let mut block = self.block.take().unwrap_or_default();
        if frame.kind == CONTINUATION {
            block.extend_from_slice(&frame.payload);
        } else {
            self.is_last = frame.flags & END_STREAM != 0;
            let priority = if frame.flags & PRIORITY == 0 { 0 } else { 5 };
            block.extend_from_slice(content_of(frame, priority)?);
        }
        if block.len() > MOST_BLOCK_BYTES {
            return Err(Failure::malformed("header fields without end"));
        }
        if frame.flags & END_HEADERS == 0 {
            self.block = Some(block);
            return Ok(());
        }
        read_block(&block, &mut self.fields)
            .ok_or_else(|| Failure::malformed("header fields that are not in HPACK's form"))?;
        if !core::mem::replace(&mut self.has_head, true) {
            check_head(&self.fields).map_err(Failure::malformed)?;
        }
        Ok(())
    }
}

/// A frame's content without padding, and without so many bytes that stand first.
fn content_of(frame: &Frame, skip: usize) -> Result<&[u8], Failure> {
    let payload = frame.payload.as_slice();
    let padded = frame.flags & PADDED != 0;
    let (padding, rest) = match payload.split_first() {
        Some((padding, rest)) if padded => (usize::from(*padding), rest),
        _ => (usize::from(padded), payload),
    };
    let end = rest.len().checked_sub(padding);
    end.and_then(|end| rest.get(skip..end))
        .ok_or_else(|| Failure::malformed("a padding that is too long"))
}

/// The number that a payload begins with; 0 where it is too short.
fn first_number(payload: &[u8]) -> u32 {
    let first = payload.first_chunk::<4>();
    first.map_or(0, |bytes| u32::from_be_bytes(*bytes))
}
