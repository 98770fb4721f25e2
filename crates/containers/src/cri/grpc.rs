//! gRPC: what stands in the header fields and the body that HTTP/2 carries.

use super::hpack::Fields;
use super::reader::shown;
use crate::Failure;
use crate::text::clean;

/// A flag and a length stand before each message.
pub(super) const MESSAGE_HEAD_BYTES: usize = 5;

/// Whether an answer is one of gRPC's at all.
pub(super) fn check_head(fields: &Fields) -> Result<(), String> {
    let value = |name| fields.get(name).map_or(&b""[..], Vec::as_slice);
    let (status, content) = (value(":status"), value("content-type"));
    if status != b"200" {
        return Err(format!("HTTP status {}", words(status)));
    }
    if !content.starts_with(b"application/grpc") {
        return Err(format!("content of type {}", words(content)));
    }
    Ok(())
}

/// What the runtime says of a call that is over.
pub(super) fn check_status(fields: &Fields) -> Result<(), Failure> {
    let status = fields.get("grpc-status");
    let status = status.ok_or_else(|| Failure::malformed("it ends without a gRPC status"))?;
    let code = str::from_utf8(status).ok().and_then(|it| it.parse().ok());
    match code {
        Some(0) => Ok(()),
        Some(code) => {
            let message = fields.get("grpc-message").map(|message| words(message));
            let message = message.unwrap_or_default().into();
            Err(Failure::Refused { code, message })
        }
        None => {
            let odd = format!("a gRPC status of {}", words(status));
            Err(Failure::malformed(odd))
        }
    }
}

/// How long the message is that begins so.
///
/// # Errors
/// What is odd, in words.
pub(super) fn message_length(head: [u8; MESSAGE_HEAD_BYTES]) -> Result<usize, &'static str> {
    let [flag, length @ ..] = head;
    match flag {
        0 => Ok(usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX)),
        1 => Err("a compressed message, which was not asked for"),
        _ => Err("a message with an unknown flag"),
    }
}

/// A runtime's words for a log line: percent-decoded as gRPC has them encoded.
fn words(text: &[u8]) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let code = match after {
            [high, low, ..] if *first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        bytes.push(code.map_or(*first, |(high, low)| high << 4 | low));
        rest = after
            .get(if code.is_some() { 2 } else { 0 }..)
            .unwrap_or_default();
    }
    clean(&shown(&bytes))
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}
